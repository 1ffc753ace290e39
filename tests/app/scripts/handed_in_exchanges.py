# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loop hands on whose replicas exchange values in each step. By hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.ops import cross_replica_ops

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()


def run(body, inputs, runs=1):
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(np.arange(1, 13, dtype=np.float32)).repeat())
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        loop = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(3, lambda *given: body(outfeed, *given), inputs, infeed))
    taken = outfeed.dequeue()
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), infeed.initializer])
        for _ in range(runs):
            print(session.run(loop), [each.tolist() for each in session.run(taken)])


def summed(outfeed, number, total, x):
    mean = cross_replica_ops.cross_replica_mean(x)
    return number + 1, total + mean, outfeed.enqueue((number, total, x))


def trained(outfeed, number, x):
    """The number comes after the update, and not from it."""
    w = tf.get_variable("w", initializer=tf.constant(1.0), use_resource=True)
    optimizer = ipu.optimizers.CrossReplicaOptimizer(tf.train.GradientDescentOptimizer(0.1))
    with tf.control_dependencies([optimizer.minimize(w * x)]):
        return number + 1, outfeed.enqueue((number, cross_replica_ops.cross_replica_sum(x)))


def own(outfeed, total, x):
    return total + x, outfeed.enqueue((cross_replica_ops.cross_replica_sum(x),))


run(summed, [0, 0.0], runs=2)
run(trained, [7])
try:
    run(own, [0.0])
except AttributeError as error:
    print(error)
