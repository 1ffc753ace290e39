# SPDX-License-Identifier: GPL-3.0-or-later
"""A step that is defined within a tf.function and given to strategy.run() by it: one program, whichever step it is."""
import functools

import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
rate, start = 0.5, np.array([[1.0], [2.0]], np.float32)
x = np.array([[1, 0], [0, 1], [1, 1], [1, -1]], np.float32) / 2
y = np.array([[1], [0], [2], [-1]], np.float32)
data = tf.data.Dataset.from_tensors((x, y)).repeat()
with strategy.scope():
    weight = tf.Variable(start)
    optimizer = tf.keras.optimizers.SGD(rate)


@tf.function
def train_step(iterator):
    def step(inputs):
        features, labels = inputs
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(features, weight) - labels))
        optimizer.apply_gradients(zip(tape.gradient(loss, [weight]), [weight]))
        return loss
    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(step, args=(next(iterator),)), axis=None)


class Trainer:
    @tf.function
    def train(self, iterator, steps):
        total = 0.0
        for _ in tf.range(steps):
            total += strategy.run(self.step, args=next(iterator))
        return total / tf.cast(steps, tf.float32)

    def step(self, features, labels):
        return tf.reduce_sum(tf.matmul(features, weight) - labels)


iterator = iter(data)
w, close = start.copy(), []
for _ in range(4):
    error = x @ w - y
    close.append(np.isclose(float(train_step(iterator)), np.mean(error ** 2), atol=1e-6))
    w -= rate * 2 * x.T @ error / len(x)
print(all(close), np.allclose(weight.numpy(), w, atol=1e-6))
print(np.isclose(float(Trainer().train(iterator, tf.constant(3))), np.sum(x @ w - y), atol=1e-5))
try:
    strategy.run(lambda: weight + 1.0)
except ValueError as error:
    print(error)


@tf.function
def outer(value, steps):
    for _ in tf.range(steps):
        value = strategy.run(lambda x: x * 3.0, args=(value,)) + strategy.run(inner, args=(value,))
    return value


@tf.function
def inner(x):
    return x + 1.0


print(float(strategy.run(outer, args=(tf.constant(2.0), tf.constant(2)))))  # 9, then 37


# What functions have of around them: numbers are what they are when they are given, tensors are arguments.
@tf.function
def scaled(value):
    made = []
    for scale in (2.0, 3.0):
        def by_scale(x):
            return x * scale
        made.append(strategy.run(by_scale, args=(value,)))
    return made


@tf.function
def by_keyword(value, factor):
    def times(x, *, factor=factor):
        return x * factor
    return strategy.run(times, args=(value,))


@tf.function
def beside(value):
    other = value * 2.0

    def both(x, rounds=2):
        return x + other if rounds == 0 else both(x, rounds - 1)
    return strategy.run(both, args=(value,))


def factor_of(x, doubles):
    return x * (2.0 if doubles else 1.0)


@tf.function
def of_partial(value):
    return strategy.run(functools.partial(factor_of, doubles=True), args=(value,))


print([[each.numpy().tolist() for each in scaled(tf.ones(n))] for n in (1, 2)])
print(float(by_keyword(tf.constant(1.0), 2.0)), float(by_keyword(tf.constant(1.0), 5.0)))
print([float(beside(tf.constant(float(i)))) for i in range(4)], [float(of_partial(tf.constant(float(i)))) for i in range(3)])
