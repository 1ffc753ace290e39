# SPDX-License-Identifier: GPL-3.0-or-later
"""What iterates a tf.range in functions under IPUStrategy.run: a statement `for` is a loop of the device, all else goes through
the numbers; and what the body of such a loop may not change. Values are Python's own."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
x, seen, count = np.array([1, 2], np.float32), {}, 0


class Holder:
    total = 0.0
    kept = []


holder = Holder()


def on_device(function):
    return np.asarray(strategy.run(tf.function(function), [tf.constant(x)])).tolist()


def zipped(x, numbers=tf.range):
    for scale, i in zip([1.0, 2.0, 3.0], numbers(3)):
        x = x * scale + float(i)
    return x


def enumerated(x, numbers=tf.range):
    for place, i in enumerate(numbers(5, 8)):
        x = x * 2.0 + float(place) * float(i)
    return x


def mapped(x, numbers=tf.range):
    for each in map(float, numbers(4)):
        x = x + each * x
    return x


def listed(x, numbers=tf.range):
    return sum([x * float(i) for i in numbers(4)]) + sum(x * float(i) for i in list(numbers(1, 3)))


def twice(x, numbers=tf.range):
    return sum([x * float(i) * y for y in (1.0, 2.0) for i in numbers(1, 4) for _ in range(2)])


def generated(x, numbers=tf.range):
    def steps():
        for i in numbers(3):
            yield float(i) + 1.0
    for each in steps():
        x = x * each
    return x


def unpacked(x, numbers=tf.range):
    a, b = numbers(2)
    return x + float(a) * 10.0 + float(b) * 100.0 + float([*numbers(3)][2])


for function in (zipped, enumerated, mapped, listed, twice, generated, unpacked):
    print(function.__name__, on_device(function) == np.asarray(function(x, range)).tolist(), end=" ")
print()


def anew(x):
    """Names that a step sets before it reads them are new in each step, whatever they were before."""
    y, rows = tf.zeros([2, 2]), []
    with tf.GradientTape() as tape:
        y = y + 1.0
    for i in tf.range(3):
        rows = []
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        rows.append(tape.gradient(y, x))
        if i is None:
            held = y
        x = x + rows[0]
    return x, y


def in_another(x):
    def scaled():
        return x * scale
    scale = 2.0
    for _ in tf.range(3):
        x = x + scaled()
        scale = scale + 1.0
    return x


print([np.asarray(each).tolist() for each in strategy.run(tf.function(anew), [tf.constant(x)])], on_device(in_another))


def none_before(x):
    best = None
    for _ in tf.range(3):
        best = x if best is None else tf.maximum(best, x)
        x = x * 2.0
    return best


def list_before(x):
    o = []
    for _ in tf.range(3):
        o = o + [x]
    return o[-1]


def list_changed(x):
    o = []
    for _ in tf.range(3):
        x = x + 1.0
        o.append(1)
    return x * float(len(o))


def place_changed(x):
    counts = [0]
    for _ in tf.range(3):
        counts[0] += 1
    return x * float(counts[0])


def dictionary_of_module(x):
    for _ in tf.range(3):
        seen["x"] = x
    return x


def global_name(x):
    global count
    for _ in tf.range(3):
        count += 1
    return x * float(count)


def another_function(x):
    def counts():
        nonlocal total
        total = total + 1
    total = 0
    for _ in tf.range(3):
        counts()
    return x * float(total)


def attribute(x):
    for _ in tf.range(3):
        holder.total = holder.total + x
    return holder.total


def attribute_list(x):
    for _ in tf.range(3):
        holder.kept.append(x * 2.0)
    return holder.kept[-1]


def before_a_loop(iterator):
    x, total = next(iterator), 0.0
    for _ in tf.range(3):
        total += x * next(iterator)
    return total


for wrong in (none_before, list_before, list_changed, place_changed, dictionary_of_module, global_name, another_function, attribute,
              attribute_list):
    try:
        on_device(wrong)
    except Exception as error:
        print(wrong.__name__, type(error).__name__, error)
with strategy.scope():
    numbers = iter(tf.data.Dataset.range(1, 20).map(lambda i: tf.cast(i, tf.float32)))
    print(float(strategy.run(tf.function(before_a_loop), [numbers])), float(next(numbers)))
