# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagonals beside the main one, on the host and on the device: against NumPy, a gradient by hand."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
matrix, row = np.arange(12.0, dtype="f").reshape(3, 4), np.float32([1.0, 2.0])


def made(x, y):
    return [(tf.linalg.diag(x, k=k), tf.linalg.diag_part(y, k=k)) for k in (-2, -1, 0, 1, 2)]


with strategy.scope():
    for found in (made(tf.constant(row), tf.constant(matrix)), strategy.run(tf.function(made), [tf.constant(row), tf.constant(matrix)])):
        print([np.array_equal(a, np.diag(row, k)) and np.array_equal(b, np.diag(matrix, k)) for k, (a, b) in zip((-2, -1, 0, 1, 2), found)])
with tf.GradientTape() as tape:
    x = tf.Variable(row)
    total = tf.reduce_sum(tf.linalg.diag(x, k=1) * np.arange(9.0, dtype="f").reshape(3, 3))
print(tape.gradient(total, x).numpy().tolist())
