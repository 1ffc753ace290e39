# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of layers and models that are Python, in the order in which Keras lists them: as their parts are made, not called."""
import numpy as np
import tensorflow as tf
from tensorflow import keras


class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__(name="block")
        self.second = keras.layers.Dense(2, name="second")
        self.first = keras.layers.BatchNormalization(name="first")
        self.scale = self.add_weight("scale", (1,))

    def call(self, x):
        return self.second(self.first(x)) * self.scale


class Inner(keras.Model):
    def __init__(self):
        super().__init__(name="inner")
        self.last, self.norm = keras.layers.Dense(3, name="last"), keras.layers.BatchNormalization(name="norm")

    def call(self, x):
        return self.last(self.norm(x))


class Outer(keras.Model):
    def __init__(self):
        super().__init__(name="outer")
        self.end, self.inner, self.block = keras.layers.Dense(5, name="end"), Inner(), Block()
        self.own = self.add_weight("own", (7,))

    def call(self, x):
        return self.end(self.block(self.inner(x))) + self.own[0]


model = Outer()
x = np.ones((2, 4), np.float32)
model(x)
names = [weight.name.removesuffix(":0") for weight in model.weights]
print(*names)
print([names.index(weight.name.removesuffix(":0")) for weight in model.trainable_weights])
print(*[weight.name for weight in model.block.weights], len(model.block.trainable_weights), len(model.block.non_trainable_weights))
print(model.block.count_params(), [weight.shape for weight in model.inner.get_weights()])
model.set_weights([np.full(weight.shape, i + 1.0, np.float32) for i, weight in enumerate(model.weights)])
norm = (x - 7) / np.sqrt(8 + 1e-3) * 5 + 6
inner = norm.sum(1, keepdims=True) * 3 + 4
first = (inner - 14) / np.sqrt(15 + 1e-3) * 12 + 13
block = (3 * first * 10 + 11) * 9
print(np.allclose(model(x), np.repeat(2 * block * 1 + 2 + 16, 5, 1), rtol=1e-4))
model.block.set_weights([np.zeros_like(each) for each in model.block.get_weights()])
print(model(x).numpy()[0].tolist())
model.summary(line_length=40)
alone = keras.Sequential([keras.Input((4,)), Block(), keras.layers.Dense(1)])
alone.summary(line_length=40)
variable = tf.Variable([1.0, 2.0, 3.0])
print(variable[0].numpy(), variable[1:].numpy().tolist())
