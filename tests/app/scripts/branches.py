# SPDX-License-Identifier: GPL-3.0-or-later
"""Branches in functions of TensorFlow 2 that assign to variables, tf.case and tf.switch_case, against Python's own."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
# Variables that branches assign to have the values of the branch that is taken; each step has one, with what came before.
strategy = ipu.ipu_strategy.IPUStrategy()
doubled, count = tf.Variable(1.0), tf.Variable(0)


@tf.function
def assigning(x):
    def up():
        doubled.assign(doubled * 2.0)
        count.assign_add(1)
        doubled.assign_add(1.0)
        return tf.reduce_sum(x)

    def down():
        doubled.assign(doubled - x[0])
        return -tf.reduce_sum(x)
    return tf.cond(tf.reduce_sum(x) > 0, up, down), doubled + 0.0


expected, times, right = 1.0, 0, []
for given in ([1.0, 2.0], [-1.0, -2.0], [3.0, 1.0], [-4.0, 1.0]):
    total, seen = strategy.run(assigning, [np.array(given, np.float32)])
    expected, times = (expected * 2 + 1, times + 1) if sum(given) > 0 else (expected - given[0], times)
    right += [total == abs(sum(given)), seen == expected, doubled.numpy() == expected, count.numpy() == times]
print("assigned", all(map(bool, right)))


@tf.function
def cases(x):
    return (tf.case([(x < 0, lambda: tf.constant(-1.0)), (x < 10, lambda: x * 2)], default=lambda: tf.constant(99.0)),
            tf.switch_case(tf.cast(x, tf.int32), [lambda: tf.constant(0.5), lambda: x + 7, lambda: x * 0]))


print("cases", [[float(each) for each in strategy.run(cases, [np.float32(x)])] for x in (-3.0, 0.0, 1.0, 30.0)])
