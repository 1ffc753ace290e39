# SPDX-License-Identifier: GPL-3.0-or-later
# Stateful recurrent layers: batches that go on where the one before ended, against the same steps in one sequence.
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
layers = keras.layers
x = np.random.default_rng(0).normal(size=(2, 12, 3)).astype(np.float32)
parts = np.concatenate([x[:, i:i + 4] for i in range(0, 12, 4)])  # batches of 2, one after the other


def models(kind, on_ipu):
    strategy = ipu.ipu_strategy.IPUStrategy().scope() if on_ipu else keras.utils.custom_object_scope({})
    with strategy:
        stateful = keras.Sequential([kind(4, stateful=True, return_sequences=True, batch_input_shape=(2, 4, 3)), layers.Dense(1)])
        plain = keras.Sequential([kind(4, return_sequences=True, input_shape=(12, 3)), layers.Dense(1)])
        for each in (stateful, plain):
            each.compile("sgd", "mse", steps_per_execution=3 if on_ipu and each is stateful else 1)
    plain.set_weights(stateful.get_weights())
    return stateful, plain


for kind in (layers.LSTM, layers.GRU, layers.SimpleRNN):
    for on_ipu in (False, True):
        stateful, plain = models(kind, on_ipu)
        wanted = plain.predict(x, batch_size=2)
        found = np.concatenate(np.split(stateful.predict(parts, batch_size=2), 3), 1)
        second = np.concatenate(np.split(stateful.predict(parts, batch_size=2), 3), 1)
        stateful.reset_states()
        third = np.concatenate(np.split(stateful.predict(parts, batch_size=2), 3), 1)
        print(np.allclose(found, wanted, atol=1e-5), not np.allclose(second, wanted, atol=1e-3), np.allclose(third, wanted, atol=1e-5), end=" ")
        print(len(stateful.get_weights()), len(stateful.layers[0].states), end=" ")
    print(kind.__name__)

# States that are given and read; training goes on with them, and does not go through them.
stateful, plain = models(layers.LSTM, False)
stateful.layers[0].reset_states([np.full((2, 4), 0.5), np.full((2, 4), -0.5)])
begun = layers.LSTM(4, return_sequences=True, return_state=True)
ends = [keras.Input((4, 3)), keras.Input((4,)), keras.Input((4,))]
ordinary = keras.Model(ends, begun(ends[0], initial_state=ends[1:]))
ordinary.set_weights(stateful.get_weights()[:3])
outputs, h, c = ordinary.predict([x[:, :4], np.full((2, 4), 0.5), np.full((2, 4), -0.5)], batch_size=2)
found = stateful.predict(x[:, :4], batch_size=2)
print(np.allclose(found, outputs @ stateful.get_weights()[3] + stateful.get_weights()[4], atol=1e-5),
      np.allclose(stateful.layers[0].states[0], h, atol=1e-6), np.allclose(stateful.layers[0].states[1], c, atol=1e-6))
stateful.reset_states()
history = stateful.fit(parts, np.ones((6, 4, 1), np.float32), batch_size=2, epochs=20, shuffle=False, verbose=0).history["loss"]
print(history[-1] < history[0] / 2, abs(np.array(stateful.layers[0].states[0])).max() > 0)
stateful.summary()
cloned = keras.layers.LSTM.from_config(stateful.layers[0].get_config())
print(cloned.stateful, cloned.get_config()["stateful"])
for wrong in (lambda: keras.Sequential([layers.LSTM(4, stateful=True, input_shape=(4, 3))]), lambda: stateful.predict(parts, batch_size=3),
              lambda: stateful.layers[0].reset_states([np.zeros((2, 4))]), lambda: layers.LSTM(4).reset_states(),
              lambda: layers.LSTM(4, stateful=True)(x)):
    try:
        wrong()
    except (AttributeError, ValueError) as error:
        print(str(error).splitlines()[0])
