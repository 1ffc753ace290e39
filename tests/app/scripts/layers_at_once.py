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


class Decaying(layers.Layer):
    """What a step has, and half of what was: by keras.backend.rnn."""

    def call(self, inputs, mask=None):
        last, every, states = keras.backend.rnn(lambda x, before: (x + 0.5 * before[0] + before[1], [x + 0.5 * before[0]]), inputs,
                                                [tf.zeros((2, 3))], mask=mask, constants=[tf.ones((2, 3))])
        return tf.concat([every, tf.stack([last, states[0]], 1)], 1)


def decayed(mask):
    state, output, made = np.zeros((2, 3)), np.zeros((2, 3)), []
    for i in range(5):
        after = steps[:, i] + 0.5 * state
        output = np.where(mask[:, i:i + 1], after + 1, output)
        state = np.where(mask[:, i:i + 1], after, state)
        made.append(output)
    return np.stack([*made, output, state], 1)


mask = np.array([[True, True, False, True, False], [True, False, True, True, True]])
model = keras.Sequential([keras.Input((5, 3), batch_size=2), Decaying()])
print(np.allclose(Decaying()(steps, mask=tf.constant(mask)), decayed(mask), atol=1e-5), np.allclose(model.predict(steps), decayed(mask | True), atol=1e-5))
turned = keras.backend.rnn(lambda x, before: (x + before[0], [x + before[0]]), steps.transpose(1, 0, 2), [tf.zeros((2, 3))], go_backwards=True, time_major=True)
print(np.allclose(turned[1], np.cumsum(steps[:, ::-1], 1).transpose(1, 0, 2), atol=1e-5))
