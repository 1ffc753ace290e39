# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments that decide how many steps a loop has, or a shape: a program for each value, and one where they only take part."""
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


@tf.function
def added(start, steps, amount):
    total = start
    for _ in tf.range(steps):
        total += amount
    return total


@tf.function
def doubled(steps):
    i, value = tf.constant(0), tf.constant(1.0)
    while i < steps:
        value *= 2.0
        i += 1
    return value


@tf.function
def formed(x, shape, factor):
    return tf.reshape(x, shape) * tf.cast(factor, tf.float32)


@tf.function
def parted(x, rows):
    return tf.reshape(x, [rows, -1]), tf.zeros([rows, 2])


@tf.function
def deep(x):
    for _ in range(60):
        x = x + x * 0.5
    for _ in range(1500):
        x = x + 1.0
    return tf.zeros(tf.cast(tf.reduce_sum(x), tf.int32))


@tf.function
def of_values(x):
    return tf.zeros([tf.cast(tf.reduce_sum(x), tf.int32)])


with strategy.scope():
    x = tf.range(6.0)
    print([float(strategy.run(added, args=(tf.constant(1.0), tf.constant(n), tf.constant(2.0)))) for n in (3, 5, 3)])
    print(float(strategy.run(doubled, args=(tf.constant(5),))))
    print(strategy.run(formed, args=(x, tf.constant([2, 3]), tf.constant(4))).numpy().tolist())
    print([strategy.run(formed, args=(x, tf.constant([3, 2]), tf.constant(k))).numpy().tolist() for k in (1, 2)])
    print([[tuple(each.shape) for each in strategy.run(parted, args=(x, tf.constant(n)))] for n in (2, 3)])
    for wrong in (of_values, deep):
        try:
            strategy.run(wrong, args=(x,))
        except ValueError as error:
            print(error)
with strategy.scope():
    @tf.function(jit_compile=True)
    def doubled(times, y):
        for _ in tf.range(tf.cast(times, tf.int32)):
            y = y * 2.0
        return y + times
    print([float(strategy.run(doubled, args=(tf.constant(n), tf.constant(1.0)))) for n in (3.0, 3.5, 0.0)])
try:
    tf1.losses.mean_squared_error(None, x)
except ValueError as error:
    print(error)
