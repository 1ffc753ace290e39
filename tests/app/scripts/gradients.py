# SPDX-License-Identifier: GPL-3.0-or-later
# Gradients that a script takes, changes and applies; accumulation and replicas in loops; rates that are computed.
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
FEATURES = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0], [2.0, 2.0]], np.float32)
LABELS = np.array([[1.0], [2.0], [-1.0], [0.5]], np.float32)
FIRST = np.array([[0.5], [-0.25]], np.float32)


def gradient(w, x, t):
    """Of mean((x w - t)^2) by w."""
    return 2 * x.T @ (x @ w - t) / len(x)


def clipped(g, norm):
    return g * norm / max(np.linalg.norm(g), norm)


def configure(ipus):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def trained(steps, apply, ipus=1, feeds=False):
    """The weights after a loop of single rows, and what was enqueued. `apply`: (loss, rate) to an operation."""
    configure(ipus)
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat().batch(1, drop_remainder=True)
        infeed, outfeed = ipu.ipu_infeed_queue.IPUInfeedQueue(rows), ipu.ipu_outfeed_queue.IPUOutfeedQueue()
        rate = tf.placeholder(np.float32, [])

        def body(rate, x, t):
            w = tf.get_variable("w", initializer=tf.constant(FIRST))
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - t))
            return rate, apply(loss, rate), outfeed.enqueue(loss)

        def loop(rate):
            return ipu.loops.repeat(steps, body, [rate], infeed)

        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(loop, [rate])
        losses = outfeed.dequeue()
        session.run([tf.global_variables_initializer(), infeed.initializer])
        session.run(run, {rate: 0.05})
        return session.run(tf.global_variables()[0]), session.run(losses)


def rows_of(steps, first=0):
    return [(FEATURES[i % 4:i % 4 + 1], LABELS[i % 4:i % 4 + 1]) for i in range(first, first + steps)]


def clip_each(loss, rate):
    optimizer = tf.train.GradientDescentOptimizer(rate)
    pairs = optimizer.compute_gradients(loss)
    return optimizer.apply_gradients([(tf.clip_by_norm(g, 1.5), v) for g, v in pairs])


w = FIRST.copy()
for x, t in rows_of(4):
    w = w - 0.05 * clipped(gradient(w, x, t), 1.5)
print("clipped", np.allclose(trained(4, clip_each)[0], w, atol=1e-6))

w = FIRST.copy()
for first in (0, 4):
    w = w - 0.05 * sum(gradient(w, x, t) for x, t in rows_of(4, first))
accumulated = trained(8, lambda loss, rate: ipu.optimizers.GradientAccumulationOptimizerV2(
    tf.train.GradientDescentOptimizer(rate), 4).minimize(loss))[0]
print("accumulated", np.allclose(accumulated, w, atol=1e-5))

w, losses = FIRST.copy(), []
for first in (0, 2, 4):
    losses.append([float(np.mean((x @ w - t) ** 2)) for x, t in rows_of(2, first)])
    w = w - 0.05 * np.mean([gradient(w, x, t) for x, t in rows_of(2, first)], axis=0)
replicated, seen = trained(3, lambda loss, rate: ipu.optimizers.CrossReplicaOptimizer(
    tf.train.GradientDescentOptimizer(0.05)).minimize(loss), ipus=2)
print("replicated", np.allclose(replicated, w, atol=1e-6), seen.shape, np.allclose(seen, losses, atol=1e-5))

w = FIRST.copy()
for first in (0, 4):
    sums = [sum(gradient(w, x, t) for x, t in rows_of(4, first)[replica::2]) for replica in (0, 1)]
    w = w - 0.05 * np.mean(sums, axis=0)
both = trained(4, lambda loss, rate: ipu.optimizers.CrossReplicaGradientAccumulationOptimizerV2(
    tf.train.GradientDescentOptimizer(rate), 2).minimize(loss), ipus=2)[0]
print("both", np.allclose(both, w, atol=1e-5))

configure(1)
with tf.Graph().as_default(), tf.Session() as session:
    def derived():
        a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
        return tf.gradients(a * a * b, [a, b])

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        parts = ipu.ipu_compiler.compile(derived, [])
    print([part.tolist() for part in session.run(parts)])  # 2 a b and a^2
