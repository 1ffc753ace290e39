# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes that are derived from layers of Keras, without a call() of their own and with one: against NumPy."""
import os

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Plain(keras.layers.Dense):
    pass


class Scaled(keras.layers.Dense):
    def __init__(self, units, scale=1.0, **kwargs):
        super().__init__(units, kernel_initializer=keras.initializers.Constant(scale), **kwargs)
        self.scale = scale

    def get_config(self):
        return {"units": self.units, "scale": self.scale, "name": self.name}


class Told(keras.layers.Conv2D):
    def build(self, input_shape):
        self.told = [*getattr(self, "told", []), tuple(input_shape)]
        super().build(input_shape)


class Own(keras.layers.Dense):
    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", (input_shape[-1], self.units))


class Words(keras.layers.Embedding):
    pass


class Kept(keras.layers.LSTM):
    pass


x = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
model = keras.Sequential([Plain(5, activation="relu", input_shape=(3,)), Scaled(2, scale=3.0)])
model.compile("sgd", "mse")
first = model.get_weights()
model.fit(x, np.zeros((4, 2), np.float32), batch_size=4, verbose=0)
a = np.maximum(x @ first[0] + first[1], 0)
slope = 2 * (a @ first[2] + first[3]) / 8
print([w.name for w in model.weights], [layer.name for layer in model.layers])
print(np.allclose(model.get_weights()[2], first[2] - 0.01 * a.T @ slope, atol=1e-5), model.layers[1].kernel.numpy()[0, 0] != 3.0)
model.save("derived.h5")
again = keras.models.load_model("derived.h5", custom_objects={"Plain": Plain, "Scaled": Scaled})
print(type(again.layers[1]).__name__, again.layers[1].scale, np.array_equal(again.predict(x), model.predict(x)))
os.remove("derived.h5")
layer = Told(2, 3)
made = layer(np.ones((1, 5, 5, 1), np.float32))
made = layer(np.ones((1, 5, 5, 1), np.float32))
print(made.shape, layer.told, np.allclose(made, layer.kernel.numpy().sum((0, 1, 2)), atol=1e-5))
ids = keras.Input((4,), dtype="int32")
masked = keras.Model(ids, Kept(2)(Words(10, 3, mask_zero=True)(ids)))
print(np.allclose(masked.predict(np.array([[1, 2, 0, 0]])), masked.predict(np.array([[0, 0, 1, 2]])), atol=1e-6), [each.name for each in masked.layers])
try:
    Own(2)(tf.constant(x))
except AttributeError as error:
    print(error)


class Doubled(keras.layers.Dense):
    def call(self, inputs):
        return 2.0 * super().call(inputs)


class Masked(keras.layers.Dense):
    def build(self, input_shape):
        super().build(input_shape)
        self.mask = np.eye(3, self.units, dtype=np.float32)

    def call(self, inputs):
        return self.activation(inputs @ (self.kernel * self.mask) + self.bias)


target = x[:, :2] + 1
model = keras.Sequential([Masked(4, activation="relu", input_shape=(3,)), Doubled(2, kernel_regularizer=keras.regularizers.L2(0.5))])
model.compile(keras.optimizers.SGD(0.1), "mse")
w = model.get_weights()
history = model.fit(x, target, batch_size=4, verbose=0)
mask = np.eye(3, 4)
hidden = np.maximum(x @ (w[0] * mask) + w[1], 0)
made = 2 * (hidden @ w[2] + w[3])
slope = 2 * 2 * (made - target) / 8
back = (slope @ w[2].T) * (hidden > 0)
wanted = [mask * (x.T @ back), back.sum(0), hidden.T @ slope + w[2], slope.sum(0)]
print([np.allclose(after, before - 0.1 * each, atol=1e-5) for after, before, each in zip(model.get_weights(), w, wanted)],
      np.isclose(history.history["loss"][0], ((made - target) ** 2).mean() + 0.5 * (w[2] ** 2).sum(), rtol=1e-5), [each.name for each in model.weights])
layer = Doubled(2)
with tf.GradientTape() as tape:
    total = tf.reduce_sum(layer(x))
print(np.allclose(tape.gradient(total, layer.kernel), 2 * np.repeat(x.sum(0)[:, None], 2, 1), atol=1e-5), layer.count_params())
