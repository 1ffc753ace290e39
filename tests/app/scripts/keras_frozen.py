# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of the script's own that are not to be trained, and those in them: nothing of them is."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

x = np.random.default_rng(0).random((8, 6), np.float32)


class Own(keras.layers.Layer):
    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", (input_shape[-1], 2))
        self.shift = tf.Variable([0.5, 0.5])

    def call(self, inputs):
        return inputs @ self.kernel + self.shift


class Around(keras.layers.Layer):
    def __init__(self, inner, **kwargs):
        super().__init__(**kwargs)
        self.inner = inner

    def call(self, inputs):
        return self.inner(inputs)


class Doubled(keras.layers.Dense):
    def call(self, inputs):
        return 2.0 * super().call(inputs)


def trained(model, freeze):
    """How many weights are trained, and which of them change."""
    model(x)
    freeze(model)
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.fit(x, x[:, :2] + 1, batch_size=8, verbose=0)
    return len(model.trainable_weights), [not np.array_equal(*each) for each in zip(before, model.get_weights())]


def layer(model):
    model.layers[0].trainable = False


def whole(model):
    model.trainable = False


def within(model):
    model.layers[0].inner.trainable = False


def again(model):
    model.trainable = False
    model.layers[0].trainable = True


for made in Own, lambda: Around(keras.layers.Dense(2)), lambda: Around(Around(Own())), lambda: Doubled(2):
    print([trained(keras.Sequential([made()]), freeze) for freeze in (lambda model: None, layer, whole, again)])
print(trained(keras.Sequential([Around(keras.layers.Dense(2))]), within))
print(trained(keras.Sequential([Around(keras.layers.Dense(2), trainable=False), keras.layers.Dense(2)]), lambda model: None))
model = keras.Sequential([Around(keras.layers.Dense(2))])
model.compile("sgd", "mse")
model.fit(x, x[:, :2], verbose=0)
model.layers[0].trainable = False  # which counts from the next compile() on
before = model.get_weights()
model.fit(x, x[:, :2], verbose=0)
print(not np.array_equal(before[0], model.get_weights()[0]), len(model.trainable_weights))
