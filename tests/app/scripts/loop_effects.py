# SPDX-License-Identifier: GPL-3.0-or-later
"""`return` in loops on tensors, ends of loops within `try` and `with`, and what branches and steps do beside giving names values:
they train, enqueue, take elements of data sets and update norms and metrics. Against Python's own on NumPy's numbers."""
import contextlib

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
GIVEN = [np.float32(each) for each in (-7.0, -1.0, 0.0, 1.0, 4.0, 9.0, 60.0)]
range_of, counter = tf.range, tf.Variable(0.0)


def real(number):
    return tf.cast(number, tf.float32) if tf.is_tensor(number) else np.float32(number)


def found_at(x):
    """The loop is the device's, where `range_of` is."""
    total = x * 0
    for i in range_of(8):
        total = total + real(i)
        if total > x:
            return total * 10 + real(i)
    return -total


def of_many(x):
    """Loops in loops, of which each may end the function."""
    for i in range_of(5):
        for k in range(3):
            if real(i) * 3 + real(k) > x:
                return x + real(i) * 10 + real(k) * 100
        if x > 50:
            return x * 2
        x = x - 1
    if x > 5:
        return x
    return -x


def counted(x):
    i = 0
    while i < 6 and x < 50:
        x = x * 2 + 1
        if x > 20:
            return x + 1000
        i = i + 1
    return x + real(i) * 100


def pairs(x):
    """Values of several parts, and a `return` that stands in no branch."""
    for i in range_of(4):
        if x > 3:
            return {"at": real(i), "x": (x, x + 1)}
        x = x + 2
        if x == 3:
            continue
        x = x + 0.5
    return {"at": x * 0 - 1, "x": (x, x * 10)}


def at_once(x):
    for _ in range_of(4):
        return x + 1
    return x


def in_blocks(x):
    try:
        with contextlib.nullcontext(x) as y:
            if y > 3:
                return y * 2
        if y < -5:
            return y
    except ValueError:
        return x * 100
    for k in (1, 2, 3):
        with contextlib.nullcontext():
            if y + k > 3:
                return y * k
    return y + 0.5


def nested_ifs(x):
    if x > 0:
        if x > 3:
            if x > 8:
                return x * 3
            x = x + 1
        x = x * 2
    elif x < -5:
        return x - 1
    return x + 0.25


def guarded(x):
    """`break` and `continue` in `try` and `with`."""
    kept = x * 0
    for i in range_of(6):
        try:
            if real(i) > x:
                break
            with contextlib.nullcontext():
                if real(i) == 2:
                    continue
                kept = kept + real(i)
        except ZeroDivisionError:
            kept = kept - 1000
        else:
            kept = kept + 10
        finally:
            kept = kept + 100
        kept = kept + 1
    return kept


def in_branches(x):
    """Loops over tf.range in branches and in steps of a `while` are made step by step."""
    if x > 0:
        for i in range_of(4):
            if x > 20:
                break
            x = x * 2 + real(i)
    k = 0
    while k < 3 and x < 100:
        for i in range_of(2):
            x = x + real(i) + 1
        k = k + 1
    return x


def generated(x):
    """What Python knows, it decides as ever."""
    for each in iter([3, 1, 2]):
        if each == 1:
            return x + each
    return x


for function in (found_at, of_many, counted, pairs, at_once, in_blocks, nested_ifs, guarded, in_branches, generated):
    range_of = tf.range
    found = [[float(each) for each in tf.nest.flatten(strategy.run(tf.function(function), [each]))] for each in GIVEN]
    range_of = range
    print(function.__name__, np.allclose(found, [[float(part) for part in tf.nest.flatten(function(each))] for each in GIVEN]), end=" ")
print()


def counts(x):
    """Parts of `and` and `or` that assign."""
    if x > 0 and counter.assign_add(x) > 5:
        x = x * 10
    if x > 3 or counter.assign_add(100.0) < 0:
        x = x + 1
    return x


value, same = 0.0, []
for given in (-1.0, 2.0, 4.0, 1.0):
    wanted = given
    if given > 0:
        value += given
        wanted = given * 10 if value > 5 else given
    if not wanted > 3:
        value += 100.0
    else:
        wanted += 1
    same.append((float(strategy.run(tf.function(counts), [np.float32(given)])), float(counter)) == (wanted, value))
print("parts", same)

X = np.random.RandomState(0).randn(48, 3).astype("f")
Y = (X @ np.float32([[1], [-2], [3]]) + 0.1).astype("f")
BATCH = 2


def batches():
    return iter(tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH, drop_remainder=True))


def build(optimizer):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,), kernel_initializer="zeros")])
    return model, optimizer


class Adam:
    """Linear regression with Adam, as NumPy has it."""

    def __init__(self):
        self.w, self.m, self.v, self.t = np.zeros(4), np.zeros(4), np.zeros(4), 0

    def loss(self, a, b):
        self.rows, self.error = np.concatenate([a, np.ones((len(a), 1))], 1), 0
        self.error = self.rows @ self.w - b[:, 0]
        return (self.error ** 2).mean()

    def update(self):
        self.t += 1
        g = 2 * self.rows.T @ self.error / len(self.error)
        self.m, self.v = 0.9 * self.m + 0.1 * g, 0.999 * self.v + 0.001 * g * g
        self.w = self.w - 0.1 * np.sqrt(1 - 0.999 ** self.t) / (1 - 0.9 ** self.t) * self.m / (np.sqrt(self.v) + 1e-7)


def losses_of(model, x, y):
    return tf.reduce_mean(tf.square(model(x, training=True) - y))


def by_hand(rounds):
    """What each call gives and enqueues; where the data are then, the weights, and how often they were updated."""
    linear, made, at = Adam(), [], 0
    for least, steps in rounds:
        last, enqueued = 0.0, []
        for _ in range(steps):
            a, b = X[at * BATCH:][:BATCH], Y[at * BATCH:][:BATCH]
            at += 1
            loss = linear.loss(a, b)
            if loss < least:
                break
            if loss > 12:
                continue
            linear.update()
            last = loss
            enqueued.append(loss)
        made.append((last, enqueued))
    return made, at, linear


with strategy.scope():
    model, optimizer = build(keras.optimizers.Adam(0.1))
    queue, iterator, fed = ipu.ipu_outfeed_queue.IPUOutfeedQueue(), batches(), []

    @tf.function(jit_compile=True)
    def train(iterator, least, steps):
        last = 0.0
        for _ in tf.range(steps):
            x, y = next(iterator)
            with tf.GradientTape() as tape:
                loss = losses_of(model, x, y)
            if loss < least:
                break
            if loss > 12:
                continue
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            last = loss
            queue.enqueue(loss)
        return last

    rounds = ((5.0, 12), (0.0, 3), (100.0, 4))
    wanted, at, linear = by_hand(rounds)
    for (least, steps), (last, enqueued) in zip(rounds, wanted):
        found = float(strategy.run(train, (iterator, least, steps)))
        print(np.allclose(found, last, rtol=1e-4), np.allclose(queue.dequeue().numpy(), enqueued, rtol=1e-4), len(enqueued), end=" ")
    print(np.allclose(next(iterator)[0].numpy(), X[at * BATCH:][:BATCH]), at)
    weights = np.concatenate([each.ravel() for each in model.get_weights()])
    print("weights", np.allclose(weights, linear.w, rtol=1e-3, atol=1e-4), int(optimizer.iterations.numpy()) == linear.t, linear.t)

    # A `while` that trains until it is near enough, and gives the number of its steps.
    weight, sgd, means = tf.Variable(1.0), keras.optimizers.SGD(0.1, momentum=0.5), keras.metrics.Mean()

    @tf.function
    def near(to):
        i, error = 0, tf.constant(1e9)
        while i < 20 and error > 0.5:
            with tf.GradientTape() as tape:
                loss = (weight - to) ** 2
            if loss > 1000.0:
                return -1
            sgd.apply_gradients([(tape.gradient(loss, weight), weight)])
            error = tf.abs(weight - to)
            means.update_state(loss)
            i += 1
        return i

    w, velocity, found, seen = 1.0, 0.0, [], []
    for to in (3.0, 3.1, 90.0, -2.0):
        steps, error = 0, 1e9
        while steps < 20 and error > 0.5:
            if (w - to) ** 2 > 1000:
                steps = -1
                break
            seen.append((w - to) ** 2)
            velocity = 0.5 * velocity - 0.1 * 2 * (w - to)
            w, steps = w + velocity, steps + 1
            error = abs(w - to)
        found.append((int(strategy.run(near, [np.float32(to)])) == steps, np.allclose(float(weight), w, rtol=1e-4), steps))
    print(found, int(sgd.iterations.numpy()) == len(seen), np.allclose(float(means.result()), np.mean(seen), rtol=1e-4))
