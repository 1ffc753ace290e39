# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of models, and what subclasses may name as they like."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

image = keras.Input((8, 8, 3))
made = keras.layers.Conv2D(4, 3)(image)
model = keras.Model(image, made)
print(model.input_shape, model.output_shape, keras.Model(image, [image, made]).output_shape)
model = keras.Sequential([keras.layers.Dense(3)])
model.build((None, 4))
print(model.input_shape, model.output_shape)


class Wrapped(keras.Model):
    """Has a model's inputs as its own, and a step of its own."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.inputs = inner.inputs

    def call(self, x):
        return self.inner(x) * 2.0


inner = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, kernel_initializer="ones")])
wrapped = Wrapped(inner)
wrapped.compile("sgd", "mse")
x = np.arange(8, dtype=np.float32).reshape(2, 4)
print(wrapped.evaluate(x, np.zeros((2, 1), np.float32), verbose=0), wrapped.predict(x).ravel().tolist())  # 2 x 6 and 2 x 22
print([tf.constant_initializer(3.0)([2]).numpy().tolist(), tf.zeros_initializer()([1]).numpy().tolist(),
       tf.ones_initializer()([1]).numpy().tolist(), tf.random_uniform_initializer(1, 2)([4]).numpy().min() >= 1,
       np.isfinite(tf.random_normal_initializer()([4]).numpy()).all()])
x, y = np.arange(24, dtype=np.float32).reshape(4, 6) / 24, np.ones((4, 3), np.float32)
first, second = keras.Input((3,)), keras.Input((6,))  # one that no output needs
model = keras.Model([first, second], keras.layers.Dense(2)(second))
model.compile("sgd", "mse")
model.fit([y, x], y[:, :2], batch_size=4, verbose=0)
kernel, bias = model.get_weights()
print(np.allclose(model.predict([y, x]), x @ kernel + bias, atol=1e-6), model.train_on_batch([y, x], y[:, :2]) > 0)
