# SPDX-License-Identifier: GPL-3.0-or-later
"""While loops of functions of TensorFlow 2 that nothing but what their steps compute ends: the device repeats them as often as the same functions of
Python do, which say what is right."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
bound = tf.Variable(100.0)


def newton(x):
    y, steps = x, 0
    while tf.abs(y * y - x) > 1e-3:
        better = 0.5 * (y + x / y)
        y = better
        steps += 1
    return y, steps


def two(x, y):
    """One behind the other, of which the second one goes on from what is known before the first."""
    a = x * 0.0
    while a < x:
        a += 1.5
    while y < 50.0:
        y = y * 2.0 if y > 3.0 else y + 1.0
    return a + y


def to_variable(x):
    while x < bound:
        x = x * 2.0
    return x


def by_loop(x):
    return tf.while_loop(lambda i, pair: pair["v"] > 1.0, lambda i, pair: (i + 1, {"v": pair["v"] / 2.0, "w": pair["w"] + pair["v"]}),
                         (tf.constant(0), {"v": x, "w": x * 0.0}))


def matrix(x):
    while tf.reduce_sum(x) < 1000.0:
        x = tf.matmul(x, x) + 1.0
    return x


def same(device, host):
    return [bool(np.allclose(a, b, rtol=1e-5)) for a, b in zip(tf.nest.flatten(device), tf.nest.flatten(host))]


with strategy.scope():
    for function, calls in ((newton, [(2.0,), (1.0,), (900.0,)]), (two, [(4.0, 0.5), (-1.0, 60.0)]), (to_variable, [(3.0,), (200.0,)]),
                            (by_loop, [(100.0,), (3.0,), (0.5,)]), (matrix, [(np.eye(2, dtype="f"),)])):
        compiled = tf.function(function)
        for arguments in calls:
            tensors = [tf.constant(each) for each in arguments]
            print(function.__name__, same(strategy.run(compiled, tensors), function(*tensors)))
    compiled = tf.function(to_variable)
    for value in (100.0, 1000.0):
        bound.assign(value)
        print(strategy.run(compiled, [tf.constant(3.0)]).numpy())


def refused(name, function):
    try:
        print(name, strategy.run(tf.function(function), [tf.constant(1.0)]))
    except Exception as error:  # pylint: disable=broad-except
        print(name, type(error).__name__, str(error).split(";", maxsplit=1)[0])


def grows(x):
    while tf.reduce_sum(x) < 3.0:
        x = tf.concat([tf.reshape(x, [-1]), [1.0]], 0)
    return x


def trained(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        while x < 10.0:
            x = x * 2.0
    return tape.gradient(x, x)


def never(x):
    while x < 10.0:
        x = x * 1.0
    return x


with strategy.scope():
    for wrong in (grows, trained, never):
        refused(wrong.__name__, wrong)


@tf.function
def on_host(n):
    count = 0
    while n != 1:
        n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
    return count, {"last": 1.5}


print(on_host(tf.constant(27)))
