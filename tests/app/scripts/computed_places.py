# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in brackets behind a tensor: those that the device alone knows, counted from the end, too, and what is none. Against
NumPy, and whole numbers divided by 0."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
table = tf.constant(x)
chosen = tf.Variable(1)


def run(function, *values):
    return np.asarray(strategy.run(tf.function(function), [tf.constant(each) for each in (x, *values)]))


for i in (2, -1, -3):
    made = run(lambda t, i: t[:, i, ::2] + t[..., i, None, 1:3][:, 0] + tf.constant(x)[1, i, 2], np.int32(i))
    print(np.array_equal(made, x[:, i, ::2] + x[:, i, 1:3] + x[1, i, 2]), end=" ")
print(np.array_equal(table[[1, 2]], x[1, 2]), np.array_equal(table[x > 20], x[x > 20]), np.array_equal(table[chosen], x[1]),
      np.array_equal(table[np.array(-1)], x[-1]), np.array_equal(run(lambda t: t[chosen, [0, 2][1]]), x[1, 2]),
      np.array_equal(run(lambda t, i: t[i:2], np.int32(1)), x[1:2]))
for wrong in (lambda: run(lambda t, i: t[i], np.float32(1)), lambda: run(lambda t, i: t[i], np.array([0, 1], np.int32)),
              lambda: run(lambda t: t[0.5]), lambda: run(lambda t: t[:1.5]), lambda: table[tf.constant([0, 1])], lambda: table["a"],
              lambda: run(lambda t, i: t[i > 0], np.array([[1, 0, 2], [0, 0, 1]], np.int32)),
              lambda: tf.constant([1, 2]) // tf.constant([1, 0]), lambda: tf.constant(5) % 0, lambda: tf.truncatediv(tf.constant(-7), 0)):
    try:
        print("taken", wrong())
    except Exception as error:
        print(type(error).__name__, error)
print(tf.truncatediv(tf.constant(-7), 2).numpy(), (tf.constant([1, -1, 0]) / 0).numpy())
