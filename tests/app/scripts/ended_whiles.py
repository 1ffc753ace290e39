# SPDX-License-Identifier: GPL-3.0-or-later
"""While loops of functions of TensorFlow 2 that a `break` or a `return` on a tensor ends: the same functions of Python say what is right."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


def last(x):
    while True:
        x = x + 1.5
        if x > 5.0:
            break
    return x


def between(x):
    n = 0
    while x < 100.0:
        x = x * 2.0
        if x > 30.0:
            break
        x = x + 1.0
        n += 1
    return x, n


def returned(x):
    n = 0
    while True:
        x = x * x
        n += 1
        if x > 1e4:
            return x, n


def returned_before(x):
    i = 0
    while x < 100.0:
        x = x * 3.0 + 1.0
        if tf.abs(x - 13.0) < 0.5:
            return x, -1
        i += 1
    return x * 2.0, i


def continued(x):
    total = 0.0
    while True:
        x = x - 0.75
        if x < -3.0:
            break
        if tf.math.floormod(tf.cast(x, tf.int32), 2) == 0:
            continue
        total = total + x
    return x, total


def twice(x):
    while True:
        x = x + 1.0
        if x > 20.0:
            break
        x = x * 1.5
        if x > 10.0:
            break
        x = x - 0.25
    return x


def counted(x):
    """What Python counts ends it there."""
    seen = []
    while True:
        seen.append(x)
        x = x + 1.0
        if len(seen) > 3:
            break
    return x, len(seen)


def vector(x):
    y, best = x, tf.zeros_like(x)
    while tf.reduce_sum(y) > 1e-2:
        y = y * 0.5
        best = tf.maximum(best, y)
        if tf.reduce_any(y < 0.2):
            break
    return y, best


def numbers(made):
    return [np.asarray(each) for each in tf.nest.flatten(made)]


with strategy.scope():
    for function, arguments in ((last, [1.0, 9.0]), (between, [3.0, 200.0, 60.0]), (returned, [1.5, 2000.0]), (returned_before, [4.0, 0.0, 1.0, 500.0]),
                                (continued, [5.0, -9.0]), (twice, [1.0, 19.5, 25.0]), (counted, [2.0]), (vector, [np.float32([1, 2, 3])])):
        for each in arguments:
            found, right = (numbers(run(tf.constant(each))) for run in (lambda x: strategy.run(tf.function(function), [x]), function))
            print(function.__name__, len(found) == len(right) and all(np.allclose(a, b) for a, b in zip(found, right)))
variable, seen = tf.Variable(1.0), []


def assigned(x):
    while True:
        variable.assign_add(x)
        x = x * 2.0
        if x > 8.0:
            break
    return x


def listed(x):
    while True:
        seen.append(x)
        x = x * 2.0
        if x > 8.0:
            break
    return x


with strategy.scope():
    for wrong in (assigned, listed):
        try:
            print(wrong.__name__, strategy.run(tf.function(wrong), [tf.constant(1.0)]))
        except AttributeError as error:
            print(wrong.__name__, str(error).split(";", maxsplit=1)[0])
