# SPDX-License-Identifier: GPL-3.0-or-later
"""strategy.reduce(): on the host, within a step, of what follows from a loop, and of what a session computes. By hand."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu
from tensorflow.python.ipu.distributed.popdist_strategy import PopDistStrategy

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
SUM, MEAN = tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN


def queue():
    """Rows of two: replica 0 has 0, 1, 4, 5, 8, 9 in its three steps, replica 1 the others up to 11."""
    rows = np.arange(12, dtype=np.float32).reshape(6, 2)
    return ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(rows).batch(1, drop_remainder=True))


def of_replica(x):
    return x * tf.cast(ipu.replication_ops.replication_index() + 1, tf.float32)


def total(infeed):
    return ipu.loops.repeat(3, lambda before, row: before + tf.reduce_sum(row), [0.0], infeed)


for kind in (ipu.ipu_strategy.IPUStrategy, PopDistStrategy):
    strategy = kind()
    with strategy.scope():
        print(kind.__name__, strategy.reduce(SUM, 3.0), float(strategy.reduce("MEAN", tf.constant([1.0, 2.0, 6.0]), axis=0)),
              strategy.reduce(SUM, np.float32([[1, 2], [3, 4]]), axis=1).numpy().tolist())

        @tf.function(experimental_compile=True)
        def step(x):
            own = of_replica(x)
            return strategy.reduce(SUM, own, axis=None), strategy.reduce(MEAN, own), strategy.reduce(SUM, own, axis=0)
        print([each.numpy().tolist() for each in strategy.run(step, [tf.constant([1.0, 2.0])])])
        infeed = queue()
        infeed.initializer  # which runs it

        @tf.function(experimental_compile=True)
        def loop():
            found = total(infeed)
            return strategy.reduce(SUM, found), strategy.reduce(SUM, found / 3.0), strategy.reduce(MEAN, tf.square(found))
        print([float(each) for each in strategy.run(loop)])
    with tf.Graph().as_default(), tf1.Session() as session, strategy.scope():
        infeed, given = queue(), tf.constant([1.0, 3.0])
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            within = ipu.ipu_compiler.compile(lambda x: strategy.reduce(SUM, of_replica(x)), [given])
            alone = ipu.ipu_compiler.compile(of_replica, [given])
            looped = ipu.ipu_compiler.compile(lambda: strategy.reduce(SUM, total(infeed) / 3.0))
        print([each.tolist() for each in session.run([within[0], strategy.reduce(SUM, alone[0]), strategy.reduce(MEAN, given, axis=0)])])
        session.run(infeed.initializer)
        print(session.run(looped))
try:
    strategy.reduce("MAX", 1.0)
except ValueError as error:
    print(error)
