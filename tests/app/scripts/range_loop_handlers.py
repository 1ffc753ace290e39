# SPDX-License-Identifier: GPL-3.0-or-later
"""`try` in the bodies of loops over tf.range: names that a handler reads are handed on from step to step, as in Python."""
import contextlib

import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


def wrong(x):
    raise ValueError("wrong")


def fine(x):
    return x * 3


def read_by_handler(x, function, numbers):
    """The handler alone reads `total`, which each step sets after it."""
    total, made = x * 0, x
    for i in numbers:
        try:
            made = function(x)
        except ValueError:
            made = total + x
        total = made * 2
    return made, total


def set_by_handler(x, function, numbers):
    """What the handler sets the next step reads, through the name that `finally` sets."""
    kept, seen = x, x * 0
    for i in numbers:
        try:
            seen = function(kept)
        except (ValueError, KeyError) as error:
            seen = kept * len(str(error))
        finally:
            kept = seen + 1
    return kept


def nested(x, function, numbers):
    first, second = x, x + 1
    for i in numbers:
        try:
            try:
                third = function(first)
                first = third
            except KeyError:
                first = first - 1000
            else:
                second = second + first
        except ValueError:
            first, second = second, first + second
        else:
            first = first * 2
    return first, second


def with_block(x, function, numbers):
    last = x
    for i in numbers:
        with contextlib.suppress(KeyError):
            last = last + function(x) if function is fine else last * 2
    return last


def as_lists(values):
    return [np.asarray(each).tolist() for each in tf.nest.flatten(values)]


for each in (read_by_handler, set_by_handler, nested, with_block):
    for function in (wrong, fine):
        device = strategy.run(tf.function(lambda x: each(x, function, tf.range(4))), [np.float32(2.0)])
        print(each.__name__, as_lists(device) == as_lists(each(np.float32(2.0), function, range(4))), end=" ")
print()
