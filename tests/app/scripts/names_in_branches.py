# SPDX-License-Identifier: GPL-3.0-or-later
"""What branches of an `if` on a tensor give names that nothing reads after it, or that have no one value then, against the same
functions on NumPy's numbers; and the same names in loops of the device."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
A, B = np.array([[1], [2], [3], [4]], np.float32), np.array([[5, 6], [7, 8]], np.float32)


def on_device(function, *given):
    return strategy.run(tf.function(function), [tf.constant(each) for each in given])


def shaped(flag, a, b):
    """A name of two shapes, of which each is read where it is set."""
    if flag > 0:
        h = a * 2.0
        y = np.reshape(h, [4]) if type(h) is np.ndarray else tf.reshape(h, [4])
    else:
        h = b * 3.0
        y = np.reshape(h, [4]) if type(h) is np.ndarray else tf.reshape(h, [4])
    h = y + 1.0
    return h + y


def kinds_apart(flag, a, b):
    """Lists of other lengths, numbers of another kind, and text."""
    if flag > 0:
        mode, parts, count = "a", [a, a], 2
        y = sum(parts) * count
    else:
        mode, parts, count = "b", [a], 0.5
        y = sum(parts) * count
    return y


def of_loops(flag, a, b):
    """What a loop of Python is over, in a branch and before it."""
    first, second = [lambda x: x + 1.0, lambda x: x * 2.0], [lambda x: x - 3.0]
    for layer in first:
        a = layer(a)
    if flag > 0:
        for layer in second:
            a = layer(a)
    return a


def nested(flag, a, b):
    """A name that the inner `if` leaves open, and the outer one does not read."""
    if flag > 0:
        if flag > 2:
            k = a
        else:
            k = "none"
            a = a * 5.0
    else:
        a = a - 1.0
    return a


def matched(flag, a, b):
    pair = (a, (a * 2.0, 7), {"n": 3.0, "m": 1.0})
    if flag > 0:
        match pair:
            case (first, (second, 7), {"n": n, **rest}):
                y = first + second * n + len(rest)
    else:
        match pair:
            case (first, *others):
                y = first + len(others)
    return y


def negative(x, by=None or 3.0, *, more=(lambda v: v)(2.0)):
    return (lambda v, n=(by or 1.0): v * n if v < 0 else -v)(x) + more


own = lambda flag, a, b, n=(None or 3.0), *, m=2.0 if A is None else 4.0: a * n if flag > 0 else a * m  # noqa: E731


def defaults(flag, a, b):
    return own(flag, a, b) + negative(flag)


for function in (shaped, kinds_apart, of_loops, nested, matched, defaults):
    print(function.__name__, all(np.array_equal(on_device(function, np.float32(flag), A, B), function(np.float32(flag), A, B))
                                 for flag in (-1.0, 1.0, 3.0)), end=" ")
print()


def compared(x):
    if x > 0:
        mode = "fast"
    if mode == "fast":
        return x * 2.0
    return x


def is_there(x):
    h = None
    if x > 0:
        h = x
    return x if h is not None else -x


def of_kind(x):
    if x > 0:
        kind = "up"
    else:
        kind = "down"
    return x * {"up": 2.0, "down": 3.0}[kind]


def counted_on(x):
    if x > 0:
        total = x
    total += 1.0
    return x


def in_list(x):
    if x > 0:
        k = x
    return [x, k][0]


def choice_of_none(x):
    y = x if x > 0 else None
    return y


def for_another(x):
    def within():
        nonlocal mode
        if x > 0:
            mode = "up"
        return x
    mode = "down"
    return within()


for wrong in (compared, is_there, of_kind, counted_on, in_list, choice_of_none, for_another):
    try:
        print(wrong.__name__, on_device(wrong, np.float32(1.0)))
    except Exception as error:
        print(wrong.__name__, type(error).__name__, str(error).split(";", maxsplit=1)[0])


# Loops of the device, of which a step sets names that conditional expressions read.
def another_shape(x, w=None):
    h = tf.reshape(x, [2, 1])
    x = x + tf.reduce_sum(h)
    for _ in tf.range(3):
        h = x * 2.0
        x = h if w is not None or x is None else h + 1.0
    return x


def none_before(x, w=None):
    y, best = None, None
    for i in tf.range(3):
        y = x * 2.0
        if i > 1:
            best = "late"
        x = (y if w is None else x) + [y * k for k in (1.0, 2.0)][1]
    return x, y


def set_before(x):
    """Names that a branch alone sets, before a loop and in one; the second is of another shape there."""
    h = x * 10.0
    if h[0] > 0:
        k = x
    x = x + h
    for i in tf.range(3):
        if i > 0:
            k, h = x * 2.0, tf.reduce_sum(x)
            x = k + h
    return x


def set_once(x):
    k = None
    for i in tf.range(3):
        if i > 0:
            k = x * 2.0
    return x if k is None else k


given = np.array([1.0, 2.0], np.float32)
print([np.asarray(each).tolist() for each in (on_device(another_shape, given), *on_device(none_before, given), on_device(set_before, given))])
try:
    on_device(set_once, given)
except Exception as error:
    print(type(error).__name__, error)
