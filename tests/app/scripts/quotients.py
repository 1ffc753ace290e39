# SPDX-License-Identifier: GPL-3.0-or-later
"""Quotients of whole numbers are Python's, and those of TensorFlow 1's div are rounded down."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

numbers = np.array([-4, 5, 7], np.int32)
x = tf.constant(numbers)
for made in (x / 4, 4 / x, tf.divide(x, 4), tf.truediv(x, tf.constant(2)), tf.constant(7, tf.uint8) / tf.constant(2, tf.uint8), x // 4, x % 4,
             tf1.div(x, 3), tf1.div(tf.constant(5.0), 2.0)):
    print(made.dtype.name, np.round(made.numpy(), 6).tolist())
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope() as strategy:
    made = ipu.ipu_strategy.IPUStrategy().run(tf.function(lambda x: (tf.cast(x / 4, tf.float32), x // 4, tf1.div(x, 4)), jit_compile=True), args=(x,))
print([each.numpy().tolist() for each in made])
rows = tf.reshape(tf.range(12), [2, 3, 2])
print(tf.gather_nd(rows, [[2], [0]], batch_dims=1).numpy().tolist(), np.array_equal(
    tf.gather_nd(rows, [[2], [0]], batch_dims=1), np.stack([rows.numpy()[0, 2], rows.numpy()[1, 0]])))

# On the device, also beyond what float32 has, and by divisors that it works out.
large = np.int32([2**31 - 1, -2**31 + 1, 2**24 + 1, -2**24 - 1, 7, -7, 0, 6])
divisors = np.int32([3, 3, 2**24 + 1, 5, -2, -2, -5, 3])
CASES = {"//": (lambda a, b: a // b, large // divisors), "%": (lambda a, b: a % b, large % divisors), "by a number": (lambda a, b: (a // 1000) * 7 + a % 1000, (large // 1000) * 7 + large % 1000),
         "truncated": (tf.truncatediv, np.int32([int(a / b) for a, b in zip(large.tolist(), divisors.tolist())])), "rest": (tf.truncatemod, np.fmod(large, divisors)),
         "abs": (lambda a, b: abs(a) + tf.sign(b) + tf.square(b % 100), abs(large) + np.sign(divisors) + (divisors % 100) ** 2), "negative": (lambda a, b: -a, -large),
         "split": (lambda a, b: tf.split(a, [3, -1])[1], large[3:])}
strategy = ipu.ipu_strategy.IPUStrategy()
for name, (function, wanted) in CASES.items():
    print(name, [np.array_equal(found.numpy(), wanted) for found in (strategy.run(tf.function(function), [large, divisors]), function(tf.constant(large), tf.constant(divisors)))], end=" ")
print()
