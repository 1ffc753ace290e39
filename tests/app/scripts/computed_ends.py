# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops whose end the device finds: `while`, `break` and `continue` on tensors, tf.while_loop; against Python's own on NumPy's numbers."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
GIVEN = [np.float32(each) for each in (-7.0, -1.0, 0.0, 1.0, 4.0, 9.0, 60.0)]
range_of, counter, seen_by = tf.range, tf.Variable(0.0), tf.Variable(0.0)


def real(number):
    return tf.cast(number, tf.float32) if tf.is_tensor(number) else np.float32(number)


def doubled(x):
    i = 0
    while i < 6 and x < 50:
        x = x * 2 + 1
        i = i + 1
    return x + real(i) * 1000


def newton(x):
    """A square root, to where it is near enough."""
    y, steps = x / 2 + 0.5, 0
    while abs(y * y - x) > 1e-3 and steps < 20:
        y, steps = (y + x / y) / 2, steps + 1
    return y * 100 + real(steps)


def left(x):
    total = x * 0
    for i in range(8):
        if total > x:
            break
        total = total + real(i)
    return total * 10 + real(i)


def skipped(x):
    total = x * 0
    for i in range(6):
        if total * real(i) > x:
            continue
        total = total + real(i)
        if total == 3:
            total = total + 0.5
            continue
        total = total + 0.25
    return total


def both(x):
    """A loop in a loop, each with ends of its own."""
    total, i = x, 0
    while i < 4:
        i = i + 1
        if total > 40:
            continue
        for k in range(3):
            if total + real(k) > 30:
                break
            total = total * 2 + real(k)
        if total < -100:
            break
        total = total - 1
    return total + real(i) * 1000


def nested(x):
    i, total = 0, x
    while i < 3 and total < 100:
        k = 0
        while k < 4 and total * real(i + 1) < 60:
            total = total + 7
            k = k + 1
        total = total + 0.5
        i = i + 1
    return total


def known_ends(x):
    """What Python knows ends loops as ever."""
    n = 0
    for i in iter(int, 1):
        n += 1
        if n > 5:
            break
        if n % 2:
            continue
        x = x + n
    while True:
        n += 1
        if n > 9:
            break
        x = x * 2
    return x


def searched(x):
    """The loop over tf.range is the device's."""
    y, found = x * 0, x * 0 - 1
    for i in range_of(12):
        y = y + real(i * i)
        if y > x:
            found = y + 0.5
            break
        y = y + 1
    return found * 10 + y


def picked(x):
    total = x * 0
    for i in range_of(7):
        k = real(i) * x
        if k > 5:
            continue
        total = total + k + 1
    return total


def chosen(x):
    if x > 0:
        i = 0
        while i < 5 and x > 1:
            x, i = x / 2, i + 1
    else:
        for i in range(3):
            if x + real(i) > 0:
                break
            x = x - real(i)
    return x


for function in (doubled, newton, left, skipped, both, nested, known_ends, searched, picked, chosen):
    given = [each for each in GIVEN if function is not newton or each >= 0]
    range_of = tf.range
    found = [float(strategy.run(tf.function(function), [each])) for each in given]
    range_of = range
    print(function.__name__, np.allclose(found, [float(function(each)) for each in given], rtol=1e-6), end=" ")
print()


def counted(x):
    """Variables that steps assign to have what those did that counted."""
    counter.assign(0.0)
    i = 0
    while i < 10 and counter < x:
        counter.assign_add(3.0)
        seen_by.assign(counter * 10.0)
        i = i + 1
    return counter + 0.0


for given in (-1.0, 7.0, 100.0):
    print(float(strategy.run(tf.function(counted), [np.float32(given)])), float(seen_by), end=" ")
print()


def slopes(function, given):
    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y, tape.gradient(y, x)
    return [float(each) for each in strategy.run(step, [np.float32(given)])]


def rooted(x):
    """Steps that do not count divide by 0."""
    i, y = 0, x
    while i < 5 and y > 2:
        y = tf.sqrt(y - 2) + x / (y - 2)
        i = i + 1
    return y


def looped(x):
    return tf.while_loop(lambda y: y < 100, lambda y: y * x, [x], maximum_iterations=8)[0]


# By hand: sqrt(18 - 2) + 18 / 16 = 5.125, sqrt(3.125) + 18 / 3.125 = 7.52776695, sqrt(5.52776695) + 18 / 5.52776695, ...
def by_hand(x):
    y, slope, steps = x, 1.0, 0
    while steps < 5 and y > 2:
        y, slope = np.sqrt(y - 2) + x / (y - 2), slope * (0.5 / np.sqrt(y - 2) - x / (y - 2) ** 2) + 1 / (y - 2)
        steps += 1
    return [y, slope]


print("slopes", [bool(np.allclose(slopes(rooted, each), by_hand(each), rtol=1e-4)) for each in (18.0, 2.0, 1.0, 3.0)],
      slopes(looped, 3.0), slopes(looped, 200.0), slopes(looped, 1.0))


def arrays(x):
    rows = tf.TensorArray(tf.float32, 4)
    i, y, rows = tf.while_loop(lambda i, y, rows: tf.logical_and(i < 4, y < 20), lambda i, y, rows: (i + 1, y * 2, rows.write(i, y)),
                               [tf.constant(0), x, rows])
    return i, y, rows.stack()


def limited(x):
    while x < 100:
        tf.autograph.experimental.set_loop_options(maximum_iterations=3)
        x = x * 2
    return x


print("arrays", [each.numpy().tolist() for each in strategy.run(tf.function(arrays), [np.float32(3.0)])], float(strategy.run(tf.function(limited), [np.float32(9.0)])),
      float(strategy.run(tf.function(limited), [np.float32(90.0)])))

with tf.Graph().as_default(), tf1.Session() as session:
    given = tf1.placeholder(tf.float32, [2])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        net = lambda x: ipu.loops.while_loop(lambda y, n: tf.reduce_sum(y) < 30, lambda y, n: (y * 2, n + 1), [x, tf.constant(0)], maximum_iterations=6)
        made = ipu.ipu_compiler.compile(net, [given])
    print("version 1", [[each.tolist() for each in session.run(made, {given: value})] for value in ([1.0, 2.0], [50.0, 0.0], [0.0, 0.0])])


def endless(x):
    while x < 100.0:
        x = x * 2.0
    return x


def stored(x):
    i, kept = 0, []
    while i < 4 and x < 10:
        kept.append(x)
        i = i + 1
    return x


def other_type(x):
    i, y = 0, x
    while i < 4 and x < 10:
        x, i, y = x * 2, i + 1, tf.stack([x, x])
    return y


def only_inside(x):
    i = 0
    while i < 4 and x < 10:
        x, i = x * 2, i + 1
        y = x
    return y


for wrong in (endless, stored, other_type, only_inside):
    try:
        print(wrong.__name__, strategy.run(tf.function(wrong), [np.float32(1.0)]))
    except Exception as error:  # pylint: disable=broad-except
        print(wrong.__name__, type(error).__name__, str(error).split(";", maxsplit=1)[0])
