# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimisers whose rate decays and that clip gradients, in fit() and in a tape, against NumPy."""
import numpy as np
import tensorflow as tf
from clipping_by_hand import clipped
from tensorflow import keras

X = np.random.default_rng(0).normal(size=(32, 3)).astype(np.float32)
Y = X @ np.ones((3, 1), np.float32) * 5


def batch(step):
    first = step % 4 * 8
    return X[first:first + 8], Y[first:first + 8]


def trained(steps, decay=0.0, **clipping):
    w, b = np.zeros((3, 1)), np.zeros(1)
    for step in range(steps):
        x, y = batch(step)
        error = x @ w + b - y
        gradients = [2 * x.T @ error / error.size, 2 * error.sum(0) / error.size]
        gradients = clipped(gradients, **clipping)
        w, b = (value - 0.1 / (1 + decay * step) * gradient for value, gradient in zip((w, b), gradients))
    return w, b


def model():
    return keras.Sequential([keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))])


def equal(a, b):
    return all(np.allclose(x, y, atol=1e-5) for x, y in zip(a.get_weights(), b))


for settings in ({"decay": 0.5}, {"clipvalue": 0.5}, {"clipnorm": 0.7}, {"global_clipnorm": 0.9}):
    fitted, taped, minimized, wanted = model(), model(), model(), trained(8, **settings)
    fitted.compile(keras.optimizers.SGD(lr=0.1, **settings), "mse")
    fitted.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    optimizer = keras.optimizers.SGD(0.1, **settings)
    for number in range(8):
        inputs, labels = batch(number)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(taped(inputs, training=True) - labels))
        optimizer.apply_gradients(zip(tape.gradient(loss, taped.trainable_variables), taped.trainable_variables))
    optimizer = keras.optimizers.SGD(0.1, **settings)
    for number in range(8):
        inputs, labels = batch(number)
        optimizer.minimize(lambda: tf.reduce_mean(tf.square(minimized(inputs, training=True) - labels)),
                           lambda: minimized.trainable_variables)
    print(*settings, *(equal(each, wanted) for each in (fitted, taped, minimized)))

# A loss that is there needs its tape: 3 - 1 x 3 / 5, 4 - 1 x 4 / 5.
variable, optimizer = tf.Variable([3.0, 4.0]), keras.optimizers.SGD(1.0, clipnorm=1.0)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(variable * variable) / 2
optimizer.minimize(loss, [variable], tape=tape)
try:
    optimizer.minimize(loss, [variable])
except ValueError as error:
    print(variable.numpy(), error)
