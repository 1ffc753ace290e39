# SPDX-License-Identifier: GPL-3.0-or-later
# Activations that are functions of the script's own, against NumPy.
import functools

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
layers = keras.layers
x = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)


def twice(values):
    return tf.nn.relu(values) * 2.0


def checked(activation, rule, on_ipu=True):
    with ipu.ipu_strategy.IPUStrategy().scope() if on_ipu else keras.utils.custom_object_scope({}):
        model = keras.Sequential([layers.Dense(4, activation=activation, input_shape=(3,)), layers.Dense(1)])
        model.compile("sgd", "mse")
    first, bias, second, end = model.get_weights()
    found = model.predict(x, batch_size=8)
    history = model.fit(x, np.ones((8, 1), np.float32), batch_size=8, epochs=3, verbose=0).history["loss"]
    return bool(np.allclose(found, rule(x @ first + bias) @ second + end, atol=1e-5)) and history[-1] < history[0]


print(checked(twice, lambda v: 2 * np.maximum(v, 0)), checked(lambda v: v * v, np.square, False),
      checked(functools.partial(keras.activations.relu, alpha=0.1), lambda v: np.where(v > 0, v, 0.1 * v)),
      checked(tf.nn.leaky_relu, lambda v: np.where(v > 0, v, 0.2 * v)), checked(tf.math.sin, np.sin), checked(tf.identity, lambda v: v))
layer = layers.Dense(2, activation=twice)
made = layer(x)
kernel, bias = layer.get_weights()
print(np.allclose(made, 2 * np.maximum(x @ kernel + bias, 0), atol=1e-5), [each.name.rpartition("/")[2] for each in layer.weights],
      np.array_equal(layer.kernel, kernel))
model = keras.Sequential([keras.Input((3,)), layers.Activation(twice), layers.Dense(2, twice)])
copied = keras.models.clone_model(model)
copied.set_weights(model.get_weights())
print(np.allclose(copied.predict(x, batch_size=8), model.predict(x, batch_size=8)), len(model.weights))
model.summary()
loaded = keras.models.model_from_json(keras.Sequential([keras.Input((3,)), layers.Dense(2, activation="relu", name="d")]).to_json()
                                      .replace('"activation": "relu"', '"activation": "twice"'), custom_objects={"twice": twice})
loaded.set_weights(model.get_weights())
print(np.allclose(loaded.predict(x, batch_size=8), 2 * np.maximum(x @ model.get_weights()[0] + model.get_weights()[1], 0), atol=1e-5))

# Its regulariser is of what the activation makes, of a sample; gradients of a layer that is in no model; files say its name.
def square(values):
    return values * values


penalised = keras.Sequential([keras.Input((3,)), layers.Dense(2, activation=square, activity_regularizer=keras.regularizers.l2(0.5))])
penalised.compile("sgd", "mse")
kernel, bias = penalised.get_weights()
outputs = (x @ kernel + bias) ** 2
print(np.isclose(penalised.evaluate(x, outputs, batch_size=8, verbose=0), 0.5 * (outputs**2).sum() / 8, rtol=1e-5))
alone = layers.Dense(2, activation=square)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(alone(x))
gradient = tape.gradient(loss, alone.trainable_variables)[0]
print(np.allclose(gradient, 2 * x.T @ (x @ alone.get_weights()[0]), atol=1e-4), alone.get_config()["activation"])
penalised.save("penalised.h5")
loaded = keras.models.load_model("penalised.h5", custom_objects={"square": square})
print(np.allclose(loaded.predict(x, batch_size=8), outputs, atol=1e-5))
try:
    keras.Sequential([keras.Input((3,)), layers.Dense(2, activation=functools.partial(twice))]).to_json()
except ValueError as error:
    print(str(error).partition("functools")[0], str(error).partition(": ")[2])
try:
    layers.LSTM(3, activation=twice)
except AttributeError as error:
    print(error)
