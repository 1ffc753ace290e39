# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers made of operations that are called on values, outside of models and tapes: against the same layers in a model, and NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

layers = keras.layers
draw = np.random.default_rng(2)
steps, images, films = draw.random((2, 5, 3), "f"), draw.random((2, 5, 4, 3), "f"), draw.random((2, 3, 4, 4, 1), "f")


class Cell(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.state_size, self.inner = units, layers.Dense(units)

    def call(self, inputs, states):
        made = tf.tanh(self.inner(inputs) + states[0])
        return made, [made]


for layer, given in ((layers.LocallyConnected1D(2, 2), steps), (layers.LocallyConnected2D(2, 2, strides=(2, 1)), images),
                     (layers.ConvLSTM1D(2, 2, return_sequences=True), films[:, :, 0]), (layers.ConvLSTM2D(2, 2), films),
                     (layers.RNN(Cell(2), return_sequences=True), steps), (layers.RandomFlip(), images), (layers.RandomCrop(3, 2), images)):
    made = layer(given)
    model = keras.Sequential([keras.Input(given.shape[1:]), layer])
    print(type(layer).__name__, isinstance(made.numpy(), np.ndarray), np.allclose(made, model.predict(given), atol=1e-5))
local = layers.LocallyConnected1D(2, 2, bias_initializer="ones")
made = local(steps)
kernel, bias = local.get_weights()
print(np.allclose(made, np.stack([steps[:, i:i + 2].reshape(2, -1) @ kernel[i] + bias[i] for i in range(4)], 1), atol=1e-5))
