# SPDX-License-Identifier: GPL-3.0-or-later
# Stateful layers of several cells, of the script's own and of convolutions, against the same steps in one sequence; dropout of ConvLSTM.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
layers = keras.layers
draw = np.random.default_rng(0)


class Sum(layers.Layer):
    """Adds up its inputs, times a weight."""

    state_size = output_size = 3

    def build(self, input_shape):
        self.factor = self.add_weight("factor", [3], initializer="ones")
        self.built = True

    def call(self, inputs, states):
        total = states[0] + inputs * self.factor
        return total, [total]


KINDS = {
    "stack": ((3,), lambda **given: layers.RNN([layers.LSTMCell(4), layers.GRUCell(3)], return_sequences=True, **given)),
    "own": ((3,), lambda **given: layers.RNN(Sum(), return_sequences=True, **given)),
    "plane": ((5, 4, 2), lambda **given: layers.ConvLSTM2D(3, 3, strides=2, padding="same", return_sequences=True, **given)),
    "line": ((2, 6), lambda **given: layers.ConvLSTM1D(3, 2, data_format="channels_first", return_sequences=True, **given))}
for name, (shape, make) in KINDS.items():
    x = draw.normal(size=(2, 6, *shape)).astype(np.float32)
    parts = np.concatenate([x[:, i:i + 2] for i in range(0, 6, 2)])  # batches of 2 samples, one after the other
    for on_ipu in (False, True):
        with ipu.ipu_strategy.IPUStrategy().scope() if on_ipu else keras.utils.custom_object_scope({}):
            stateful = keras.Sequential([make(stateful=True, batch_input_shape=(2, 2, *shape))])
            plain = keras.Sequential([make(input_shape=(6, *shape))])
            for each in (stateful, plain):
                each.compile("sgd", "mse", steps_per_execution=3 if on_ipu and each is stateful else 1)
        plain.set_weights(stateful.get_weights())
        wanted, found = plain.predict(x, batch_size=2), []
        for again in range(3):
            found.append(np.concatenate(np.split(stateful.predict(parts, batch_size=2), 3), 1))
            if again == 1:
                stateful.reset_states()
        print([np.allclose(each, wanted, atol=1e-5) for each in found], len(stateful.get_weights()) == len(plain.get_weights()), end=" ")
        before = [each.numpy() for each in stateful.layers[0].states]
        loss = stateful.fit(parts, np.zeros_like(stateful.predict(parts, batch_size=2)), batch_size=2, shuffle=False, verbose=0).history["loss"]
        print(np.isfinite(loss[0]), any(np.any(a != b.numpy()) for a, b in zip(before, stateful.layers[0].states)), [tuple(each.shape) for each in before])

# With these weights h = x times what is kept of the candidate's inputs.
layer = layers.ConvLSTM2D(1, 1, activation="linear", recurrent_activation="linear", unit_forget_bias=False, return_sequences=True, dropout=0.5)
x = draw.normal(size=(4, 3, 8, 8, 1)).astype(np.float32)
model = keras.Sequential([keras.Input((3, 8, 8, 1), batch_size=4), layer])
model.set_weights([np.float32([0, 0, 1, 0]).reshape(1, 1, 1, 4), np.zeros((1, 1, 1, 4), np.float32), np.float32([1, 0, 0, 1])])
kept = model(x, training=True).numpy() / x
print("dropped", np.allclose(kept * (kept - 2), 0, atol=1e-5), np.allclose(kept, kept[:, :1], atol=1e-5), 0.35 < kept.mean() / 2 < 0.65)
print("kept", np.allclose(model.predict(x, batch_size=4), x, atol=1e-6))
# h = sum of what was before, each time halved or lost at the places that are dropped in all steps.
again = layers.ConvLSTM2D(1, 1, activation="linear", recurrent_activation="linear", unit_forget_bias=False, return_sequences=True,
                          recurrent_dropout=0.5)
model = keras.Sequential([keras.Input((3, 8, 8, 1), batch_size=4), again])
model.set_weights([np.float32([0, 0, 1, 0]).reshape(1, 1, 1, 4), np.float32([0, 0, 1, 0]).reshape(1, 1, 1, 4), np.float32([1, 0, 0, 1])])
ones = np.ones((4, 3, 8, 8, 1), np.float32)
h = model(ones, training=True).numpy()
print("recurrent", sorted({tuple(np.round(each, 4)) for each in h.transpose(0, 2, 3, 4, 1).reshape(-1, 3)}))
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([layers.ConvLSTM2D(2, 3, dropout=0.2, recurrent_dropout=0.2, input_shape=(3, 8, 8, 1)), layers.Flatten(), layers.Dense(1)])
    model.compile("adam", "mse")
    history = model.fit(ones, np.float32([[0], [1], [0], [1]]), batch_size=2, epochs=2, verbose=0)
print("trained", np.isfinite(history.history["loss"]).all())
