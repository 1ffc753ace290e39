# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of TensorFlow 1 over batches 1, 2, 3, 4 whose updates follow once for two of them: several optimisers, and variables that each step
changes and reads."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
kind, ipus = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
config = ipu.config.IPUConfig()
config.auto_select_ipus = ipus
config.configure_ipu_system()
data = tf.data.Dataset.from_tensor_slices(np.arange(1, 9, dtype=np.float32)).repeat()
infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data)
outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def descent(times=2):
    plain = tf.train.GradientDescentOptimizer(0.1)
    return ipu.optimizers.GradientAccumulationOptimizerV2(plain, times) if times > 1 else plain


def variable(name, first, trainable=True):
    return tf.get_variable(name, initializer=np.float32(first), trainable=trainable)


def body(x):
    w = variable("w", 1)
    loss = w * x
    if kind == "step":
        with tf.device("cpu"):
            step = tf.train.get_or_create_global_step()
        return outfeed.enqueue([loss, loss]), descent().minimize(loss, global_step=step)
    if kind == "count":
        n = variable("n", 0, False)
        with tf.control_dependencies([tf.assign_add(n, x)]):
            return outfeed.enqueue([loss, n.read_value()]), descent().minimize(loss)
    v = variable("v", 1)
    both = loss * v
    times = {"alike": 2, "plain": 1, "others": 4, "replicas": 2}[kind]
    of_w = ipu.optimizers.CrossReplicaOptimizer(descent()) if kind == "replicas" else descent()
    return outfeed.enqueue([loss, both]), of_w.minimize(loss, var_list=[w]), descent(times).minimize(both, var_list=[v])


with ipu.scopes.ipu_scope("/device:IPU:0"):
    run = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(4, body, [], infeed))
dequeue = outfeed.dequeue()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(infeed.initializer)
    session.run(run)
    print([np.round(each, 5).tolist() for each in session.run(dequeue)])
    print({each.name: round(float(session.run(each)), 5) + 0.0 for each in tf.global_variables()})
