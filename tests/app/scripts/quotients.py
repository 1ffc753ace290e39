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
