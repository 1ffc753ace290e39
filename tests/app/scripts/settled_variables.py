# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops and shapes in functions that the device runs, which variables say, against the numbers of Python."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    n, k, w = tf.Variable(5), tf.Variable(3), tf.Variable(1.0)


@tf.function
def plain(x):
    total = tf.zeros([])
    for _ in tf.range(n):
        total += x
    return total


@tf.function
def counted(x):
    total = tf.zeros([])
    for _ in tf.range(n):
        total += x
        w.assign_add(total)
    n.assign_add(1)
    return total


@tf.function
def assigned(x):
    total = tf.zeros([])
    n.assign(4)
    for _ in tf.range(n):
        for _ in tf.range(k):
            total += x
    return total


@tf.function
def changing(x):
    total = tf.zeros([])
    for _ in tf.range(n):
        for _ in tf.range(k):
            total += x
        k.assign_add(1)
    return total


@tf.function
def of_floats(x):
    total = tf.zeros([])
    for _ in tf.range(tf.cast(x, tf.int32)):
        total += x
    return total


@tf.function
def shaped(x):
    return tf.reshape(x, [k, -1]), tf.zeros([k, 2])


def run(function, *args):
    return strategy.run(function, args)


def told(function):
    try:
        run(function, tf.constant(2.0))
    except Exception as error:  # pylint: disable=broad-except
        print(type(error).__name__, error)


with strategy.scope():
    for count in (5, 7, 0, 1, 5):
        n.assign(count)
        print(run(plain, tf.constant(2.0)).numpy() == 2 * count, end=" ")
    print([(float(run(counted, tf.constant(2.0))), float(w.numpy()), int(n.numpy())) for _ in range(3)])
    print(float(run(assigned, tf.constant(2.0))), n.numpy())
    told(changing)
    print(float(run(of_floats, tf.constant(2.0))))
    made = run(shaped, tf.range(12.0))
    print(np.array_equal(made[0], np.arange(12.0).reshape(3, 4)), made[1].shape)
