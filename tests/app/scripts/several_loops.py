# SPDX-License-Identifier: GPL-3.0-or-later
"""Several loops in one program, and assignments, updates and metrics beside them; updates in branches on replicas, and variables that
replicas assign to. Against NumPy and Python's own."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
X = np.arange(36, dtype=np.float32).reshape(12, 3) / 36
Y = X.sum(1, keepdims=True) * 2


def batches():
    return iter(tf.data.Dataset.from_tensor_slices((X, Y)).batch(2, drop_remainder=True).repeat())


def linear(steps, replicas=1, taken=lambda i: True, first=0):
    """Gradient descent, the gradients of replicas summed: weights, and the losses of each step on each replica."""
    w, b, losses, at = np.ones((3, 1)), np.zeros(1), [], first
    for i in range(steps):
        of_w, of_b = 0, 0
        for _ in range(replicas):
            x, y = X[at * 2 % 12:][:2], Y[at * 2 % 12:][:2]
            at += 1
            error = x @ w + b - y
            losses.append((error ** 2).mean())
            of_w, of_b = of_w + x.T @ error, of_b + error.sum(0)
        if taken(i):
            w, b = w - 0.1 * of_w, b - 0.1 * of_b
    return np.append(w, b), losses, at


with strategy.scope():
    value, queue = tf.Variable(1.0), ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function
    def two(x):
        for _ in tf.range(3):
            x = x + 1.0
        doubled = x * 2.0
        for _ in tf.range(4):
            doubled = doubled * x
        return x, doubled

    @tf.function
    def beside(x):
        before = value.read_value()
        value.assign(value * 3.0)
        for _ in tf.range(3):
            value.assign_add(x)
        between = value + 0.0
        value.assign_add(100.0)
        after = value.read_value()
        if value > 150.0:
            value.assign(x)
        for _ in tf.range(2):
            value.assign_add(before)
            queue.enqueue(value)
        if value < 0.0:
            value.assign(0.0)
        return before, between, after, value.read_value()

    @tf.function
    def mixed(x):
        tf.print("begin", x)
        for i in tf.range(2):
            x = x + tf.cast(i, tf.float32)
            tf.print("step", i, x)
        k = 0
        while k < 10 and x < 50.0:
            x, k = x * 2.0, k + 1
        tf.print("between", x)
        for _ in tf.range(2):
            x = x + 1.0
        return x, k

    print([float(each) for each in strategy.run(two, [tf.constant(2.0)])])
    for given in (2.0, 100.0):
        print([float(each) for each in strategy.run(beside, [tf.constant(given)])], queue.dequeue().numpy().tolist())
    print([float(each) for each in strategy.run(mixed, [tf.constant(3.0)])])

    @tf.function
    def through(x):
        with tf.GradientTape() as tape:
            made = x
            for _ in tf.range(3):
                made = made * value
            loss = tf.reduce_sum(made)
        return loss, tape.gradient(loss, value)

    @tf.function
    def written(x):
        rows = tf.TensorArray(tf.float32, size=4)
        for i in tf.range(4):
            rows = rows.write(i, x * tf.cast(i, tf.float32))
        for _ in tf.range(2):
            x = x * 10.0
        return rows.stack(), x

    print([each.numpy().tolist() for each in strategy.run(written, [tf.constant(2.0)])])
    print(strategy.run(tf.function(lambda: {"a": tf.constant(1) + 1, "b": [None, "text", 3]})))
    value.assign(2.0)
    print([float(each) for each in strategy.run(through, [np.float32([1, 2])])])

    # One step, then a loop that trains, then one that evaluates; metrics are updated in both.
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
    optimizer, means, all_of = keras.optimizers.SGD(0.1), keras.metrics.Mean(), keras.metrics.Mean()

    def step(iterator):
        x, y = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    @tf.function
    def train(iterator):
        first = step(iterator)
        all_of.update_state(first)
        for _ in tf.range(4):
            loss = step(iterator)
            means.update_state(loss)
            all_of.update_state(loss)
        total = 0.0
        for _ in tf.range(3):
            x, y = next(iterator)
            total += tf.reduce_mean((model(x) - y) ** 2)
        return first, total, means.result()

    found = [float(each) for each in strategy.run(train, [batches()])]
    weights, losses, at = linear(5)
    total = sum(linear(1, first=0)[1][0] * 0 + ((X[k * 2 % 12:][:2] @ weights[:3, None] + weights[3] - Y[k * 2 % 12:][:2]) ** 2).mean()
                for k in range(at, at + 3))
    print(np.allclose(np.concatenate([each.ravel() for each in model.get_weights()]), weights, rtol=1e-5),
          np.allclose(found, [losses[0], total, np.mean(losses[1:])], rtol=1e-5), np.allclose(float(all_of.result()), np.mean(losses), rtol=1e-5))

    @tf.function
    def across(iterator):
        x, y = next(iterator)
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        for _ in tf.range(2):
            loss = loss * 1.0
        return tf.gradients(loss, model.trainable_variables)

    try:
        strategy.run(across, [batches()])
    except Exception as error:
        print(error)

# On two replicas.
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
with strategy.scope():
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
    optimizer, count, own = keras.optimizers.SGD(0.1), tf.Variable(0), tf.Variable(0.0)

    @tf.function
    def some(iterator):
        for i in tf.range(6):
            x, y = next(iterator)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            if i % 2 == 1:
                optimizer.apply_gradients(zip(gradients, model.trainable_variables))
                count.assign_add(1)

    strategy.run(some, [batches()])
    print(np.allclose(np.concatenate([each.ravel() for each in model.get_weights()]), linear(6, 2, lambda i: i % 2 == 1)[0], rtol=1e-5),
          int(count))

    @tf.function
    def sums(numbers):
        total = 0.0
        for _ in tf.range(3):
            total += next(numbers)
        for _ in tf.range(2):
            total = total * 2.0
            queue.enqueue(total)
        own.assign_add(total)
        return total, strategy.reduce("SUM", own.read_value(), None)

    numbers = iter(tf.data.Dataset.range(100).map(lambda i: tf.cast(i, tf.float32)))
    for _ in range(2):
        print([float(each) for each in strategy.run(sums, [numbers])], queue.dequeue().numpy().tolist(), float(own))
    own.assign(0.5)
    print([float(each) for each in strategy.run(sums, [numbers])], float(own))
