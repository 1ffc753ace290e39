# SPDX-License-Identifier: GPL-3.0-or-later
"""The same in graphs of TensorFlow 1: several loops in one function that is compiled, and updates in branches of tf.cond on replicas."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
REPLICAS, STEPS, ACCUMULATED = 2, 4, int(sys.argv[1])
config = ipu.config.IPUConfig()
config.auto_select_ipus = REPLICAS
config.configure_ipu_system()
X = np.arange(36, dtype=np.float32).reshape(12, 3) / 36
Y = X.sum(1, keepdims=True) * 2
infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices((X, Y)).batch(2, drop_remainder=True).repeat())
outfeed, totals = ipu.ipu_outfeed_queue.IPUOutfeedQueue(), ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def step(i, x, y):
    w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
    count = tf.get_variable("count", [], tf.int32, initializer=tf.zeros_initializer())
    loss = tf.reduce_mean((tf.matmul(x, w) - y) ** 2)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    if ACCUMULATED > 1:
        optimizer = ipu.optimizers.GradientAccumulationOptimizerV2(optimizer, ACCUMULATED)
    optimizer = ipu.optimizers.CrossReplicaOptimizer(optimizer)

    def taken():
        with tf.control_dependencies([optimizer.minimize(loss)]):
            return tf.identity(loss)
    shown = tf.cond(tf.equal(i % 2, 0), taken, lambda: loss * 0)
    with tf.control_dependencies([shown, tf.assign_add(count, 1)]):
        return i + 1, outfeed.enqueue(shown)


def network(x):
    trained = ipu.loops.repeat(STEPS, step, [0], infeed)
    with tf.control_dependencies([trained]):
        with tf.variable_scope("", reuse=True):
            w = tf.get_variable("w", [3, 1]) + 0.0
    grown = ipu.loops.repeat(3, lambda v: v * 2.0, [x])
    return trained, ipu.loops.repeat(2, lambda v: (v + w[0, 0], totals.enqueue(v)), [grown])


with tf.device("cpu"):
    given = tf.placeholder(tf.float32, [])
with ipu.scopes.ipu_scope("/device:IPU:0"):
    result = ipu.ipu_compiler.compile(network, [given])
ipu.utils.move_variable_initialization_to_cpu()
shown, added = outfeed.dequeue(), totals.dequeue()
with tf.Session() as session:
    session.run([infeed.initializer, tf.global_variables_initializer()])
    steps, made = session.run(result, {given: 1.5})
    losses, parts = session.run([shown, added])
    w, count = session.run(tf.global_variables())

expected, of_steps = np.ones((3, 1)), []
for i in range(STEPS):
    rows = [slice(2 * k % 12, 2 * k % 12 + 2) for k in (2 * i, 2 * i + 1)]
    errors = [X[each] @ expected - Y[each] for each in rows]
    of_steps.append([(each ** 2).mean() * (i % 2 == 0) for each in errors])
    if i % 2 == 0:
        expected = expected - 0.1 * sum(X[each].T @ error for each, error in zip(rows, errors)) / REPLICAS
print(steps, count, np.allclose(w, expected, rtol=1e-5), np.allclose(losses, of_steps, rtol=1e-5), np.allclose(made, 12 + 2 * w[0, 0]),
      np.allclose(parts, [[12, 12], [12 + w[0, 0]] * 2]))
