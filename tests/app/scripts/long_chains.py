# SPDX-License-Identifier: GPL-3.0-or-later
"""`if` with many `elif`, of which Python takes no more than 20 loops one in another, and functions that call themselves, on the device. The same
functions without tf.function say what is right."""
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


def chain(x):
    z = -1.0
    if x < 0:
        y = x
    elif x < 1:
        y, z = x * 1, 1.0
    elif x < 2:
        y, z = x * 2, 2.0
    elif x < 3:
        y, z = x * 3, 3.0
    elif x < 4:
        y, z = x * 4, 4.0
    elif x < 5:
        y, z = x * 5, 5.0
    elif x < 6:
        y, z = x * 6, 6.0
    elif x < 7:
        y, z = x * 7, 7.0
    elif x < 8:
        y, z = x * 8, 8.0
    elif x < 9:
        y, z = x * 9, 9.0
    elif x < 10:
        y, z = x * 10, 10.0
    elif x < 11:
        y, z = x * 11, 11.0
    elif x < 12:
        y, z = x * 12, 12.0
    elif x < 13:
        y, z = x * 13, 13.0
    elif x < 14:
        y, z = x * 14, 14.0
    elif x < 15:
        y, z = x * 15, 15.0
    elif x < 16:
        y, z = x * 16, 16.0
    elif x < 17:
        y, z = x * 17, 17.0
    elif x < 18:
        y, z = x * 18, 18.0
    elif x < 19:
        y, z = x * 19, 19.0
    elif x < 20:
        y, z = x * 20, 20.0
    elif x < 21:
        y, z = x * 21, 21.0
    elif x < 22:
        y, z = x * 22, 22.0
    elif x < 23:
        y, z = x * 23, 23.0
    elif x < 24:
        y, z = x * 24, 24.0
    else:
        y = x * x
    return y + z


def mixed(x, mode):
    """Tests that Python knows and such as the device finds, in a loop; and ends in between."""
    z = 0.0
    for _ in range(3):
        if mode == "a":
            z += x
        elif x < 1:
            z += 1.0
        elif mode == "b":
            z += 10.0
        elif x < 3:
            z += 100.0
        else:
            z -= 1.0
    if x < 0:
        return z
    u = z * 2
    if x < 1:
        return u
    elif x < 2:
        return -u
    if mode == "a" and x > 7:
        return z * 0
    return u + 1


def power(x, n):
    if n == 0:
        return x * 0 + 1
    return x * power(x, n - 1)


def nested(x, k=0):
    return tf.cond(x < k, lambda: x * k, (lambda: nested(x, k + 1)) if k < 25 else (lambda: x * 100))


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = chain(x)
    return tape.gradient(y, x)


def on_device(function):
    return lambda *arguments: float(strategy.run(function, arguments))


with strategy.scope():
    for function, calls in ((chain, [(v,) for v in (-1.0, 0.5, 3.5, 23.5, 30.0)]), (power, [(3.0, 4)]), (nested, [(3.5,), (24.5,), (26.0,)]),
                            (mixed, [(v, mode) for v in (-1.0, 0.5, 1.5, 2.5, 8.0) for mode in "abc"])):
        device = on_device(tf.function(function))
        print(function.__name__, all(device(tf.constant(v), *rest) == float(function(v, *rest)) for v, *rest in calls))
    device = on_device(tf.function(slope))
    print([device(tf.constant(v)) for v in (-1.0, 3.5, 23.5, 30.0)])
