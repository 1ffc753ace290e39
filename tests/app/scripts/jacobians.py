# SPDX-License-Identifier: GPL-3.0-or-later
# Jacobians of tapes, against NumPy and by hand.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

x = tf.constant([1.0, 2.0, 3.0])
w = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2) / 10)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    square, product = x * x, tf.tanh(tf.linalg.matvec(w, x, transpose_a=True))
slope = 1 - np.tanh(np.array(x) @ np.array(w)) ** 2
print(np.array_equal(tape.jacobian(square, x), np.diag([2.0, 4.0, 6.0])),
      np.allclose(tape.jacobian(product, x), (np.array(w) * slope).T, atol=1e-6),
      np.allclose(tape.jacobian(product, [w, x])[0], np.einsum("ij,k->ikj", np.diag(slope), np.array(x)), atol=1e-6),
      tape.jacobian(square, [x, w])[1], np.shape(tape.jacobian(square, w, unconnected_gradients=tf.UnconnectedGradients.ZERO)))
rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(rows)
    made = tf.stack([rows[:, 0] * rows[:, 1], rows[:, 0] ** 2, rows[:, 1]], 1)
print(tape.batch_jacobian(made, rows).numpy().tolist())
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        cubes = tf.reduce_sum(x ** 3)
    first = inner.gradient(cubes, x)
print(np.allclose(outer.jacobian(first, x), np.diag(6 * np.array(x)), atol=1e-5))
model = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(3,))])
with tf.GradientTape() as tape:
    y = model(tf.reshape(x, [1, 3]))
print(np.allclose(tape.jacobian(y, model.trainable_variables)[0], np.einsum("ij,k->ikj", np.eye(2), np.array(x))[None]))

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    @tf.function(experimental_compile=True)
    def on_device(given):
        with tf.GradientTape() as tape:
            tape.watch(given)
            value = given * given
        return tape.jacobian(value, given)
    print(strategy.run(on_device, [x]).numpy().tolist())
for wrong in (lambda: tape.jacobian(y, x), lambda: large.jacobian(many, many)):
    with tf.GradientTape() as large:
        many = tf.Variable(np.zeros(1001, np.float32)) * 1.0
    try:
        wrong()
    except (AttributeError, RuntimeError) as error:
        print(error)

# What the target does not depend on, and what no tape watches.
a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch([a, b])
    squares = a * a
print(tape.batch_jacobian(squares, b).numpy().tolist(), tape.batch_jacobian(b, a).shape, tape.jacobian(squares, b))
for take in (tape.gradient, tape.jacobian, tape.batch_jacobian):
    try:
        take(squares, np.ones((2, 1), np.float32))
    except TypeError as error:
        print(error)
