# SPDX-License-Identifier: GPL-3.0-or-later
"""What branches on tensors do beside giving values, of tf.cond and of `if`: updates, norms, metrics, elements, prints. Against NumPy."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
X = np.random.RandomState(1).randn(6, 4, 3).astype("f")
TAKEN = [True, False, True, True, False, True]


def close(found, wanted):
    return bool(np.allclose(found, wanted, rtol=1e-4, atol=1e-5))


# A norm has the averages of the batches of branches that were taken, in one branch or in both.
def moved(both):
    with strategy.scope():
        norm = keras.layers.BatchNormalization(momentum=0.5)
        model = keras.Sequential([keras.Input((3,)), norm])

        @tf.function
        def step(x, taken):
            y = x
            if taken:
                y = model(x, training=True)
            elif both:
                y = model(x * 3.0, training=True)
            return y
        for x, taken in zip(X, TAKEN):
            strategy.run(step, [x, np.bool_(taken)])
        return [each.numpy() for each in (norm.moving_mean, norm.moving_variance)]


for both in (False, True):
    mean, variance = np.zeros(3), np.ones(3)
    for x, taken in zip(X, TAKEN):
        if taken or both:
            seen = x if taken else 3 * x
            mean, variance = (mean + seen.mean(0)) / 2, (variance + seen.var(0)) / 2
    print("norm", [close(*each) for each in zip(moved(both), (mean, variance))], end=" ")
print()


# One optimizer updates in both branches, with its momentum; another one in one of them, with a rate of its own.
class Rate(keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return 1.0 / (1.0 + tf.cast(step, tf.float32))


with strategy.scope():
    w, v = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 1.0])
    moving, other = keras.optimizers.SGD(0.1, momentum=0.5), keras.optimizers.SGD(Rate())
    mean, queue = keras.metrics.Mean(), ipu.ipu_outfeed_queue.IPUOutfeedQueue(ipu.ipu_outfeed_queue.IPUOutfeedMode.LAST)

    def update(optimizer, variable, by):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(variable * by)
        optimizer.apply_gradients(zip(tape.gradient(loss, [variable]), [variable]))

    @tf.function
    def chosen(by, taken):
        if taken:
            update(moving, w, by)
            mean.update_state(by)
        else:
            update(moving, w, by * -2.0)
            update(other, v, by)
            queue.enqueue(by)
            tf.print("else", by, output_stream=sys.stdout)
        return w + v

    a, b, m, updates, seen = np.array([1.0, 2]), np.array([1.0, 1]), 0, 0, []
    same = []
    for i, taken in enumerate(TAKEN):
        by = np.float32([i, 1])
        g = by if taken else -2 * by
        m = 0.5 * m - 0.1 * g
        a = a + m
        if taken:
            seen += by.tolist()
        else:
            b, updates = b - by / (1 + updates), updates + 1
        same.append(close(strategy.run(chosen, [by, np.bool_(taken)]).numpy(), a + b))
    print("updates", same, close(mean.result(), np.mean(seen)), queue.dequeue().numpy().tolist(), int(moving.iterations.numpy()), int(other.iterations.numpy()))

    # A queue of the host is read where the branch is taken, to its very end.
    numbers = iter(tf.data.Dataset.from_tensor_slices(np.arange(3, dtype=np.float32)))

    @tf.function
    def picked(steps):
        total = tf.constant(0.0)
        for i in tf.range(steps):
            if i % 2 == 0:
                total += next(numbers) * tf.cast(i + 1, tf.float32)
        return total

    print("elements", float(strategy.run(picked, (4,))), float(strategy.run(picked, (2,))), next(numbers, None), end=" ")
    try:
        strategy.run(picked, (2,))
    except tf.errors.OutOfRangeError as error:
        print(error)

with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    given = tf.compat.v1.placeholder(tf.bool, [])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        def net(taken):
            weight = tf.compat.v1.get_variable("weight", initializer=np.float32(1.0))
            train = lambda: tf.compat.v1.train.MomentumOptimizer(0.25, 0.5).minimize(weight * 2.0)
            with tf.control_dependencies([tf.cond(taken, train, tf.no_op)]):
                return weight.read_value()
        made = ipu.ipu_compiler.compile(net, [given])
    session.run(tf.compat.v1.global_variables_initializer())
    print("version 1", [float(session.run(made, {given: taken})[0]) for taken in TAKEN])
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
with strategy.scope():  # both replicas have the same gradients, of which there is the sum
    same = []
    for taken in TAKEN[:3]:
        g = np.float32([2, 1]) * (2 if taken else -4)
        m = 0.5 * m - 0.1 * g
        a = a + m
        if not taken:
            b, updates = b - np.float32([2, 1]) * 2 / (1 + updates), updates + 1
        same.append(close(strategy.run(chosen, [np.float32([2, 1]), np.bool_(taken)]).numpy(), a + b))
    print("replicas", same, int(other.iterations.numpy()))
    numbers = iter(tf.data.Dataset.from_tensor_slices(np.arange(8, dtype=np.float32)))
    try:
        strategy.run(picked, (4,))
    except AttributeError as error:
        print(str(error).split(";")[0])
