# SPDX-License-Identifier: GPL-3.0-or-later
"""Pipelines of TensorFlow 1 whose outfeed is added up on the device, and whose stashes lie in streaming memory, against the
same without. One number is trained: what several micro-batches accumulate of it has no axes."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 4
config.configure_ipu_system()
ROWS = np.arange(16, dtype=np.float32).reshape(16, 1)


def piped(trains=True, **settings):
    """What two updates of four micro-batches on each of two replicas enqueue."""
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.data.Dataset.from_tensor_slices(ROWS).repeat().batch(1, drop_remainder=True)
        infeed, outfeed = ipu.ipu_infeed_queue.IPUInfeedQueue(rows), ipu.ipu_outfeed_queue.IPUOutfeedQueue()

        def first(x):
            return x * tf.get_variable("w", initializer=0.5)

        def second(x):
            return tf.reduce_sum(x + 1.0), x

        def update(loss, x):
            optimizer = ipu.optimizers.CrossReplicaOptimizer(tf.train.GradientDescentOptimizer(0.01))
            return ipu.pipelining_ops.OptimizerFunctionOutput(optimizer, loss)

        def network():
            return ipu.pipelining_ops.pipeline([first, second], 4, repeat_count=2, infeed_queue=infeed, outfeed_queue=outfeed,
                                               optimizer_function=update if trains else None, **settings)

        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(network)
        results = outfeed.dequeue()
        session.run([tf.global_variables_initializer(), infeed.initializer])
        session.run(run)
        return session.run(results)


def summed(whole):
    return [each.reshape(2, 4, *each.shape[1:]).sum(1) for each in whole]


print("offloaded", [np.array_equal(*each) for each in zip(piped(offload_activations=True), piped())])
for method in ("SUM", "MEAN", "RUNNING_MEAN"):
    losses, _ = summed(piped(reduction_method=method))
    once, rows = piped(accumulate_outfeed=True, reduction_method=method)
    print(method, once.shape, rows.shape, np.allclose(once, losses), losses[0] != losses[1])
print("halves", [each.dtype.name for each in piped(accumulate_outfeed=True, accumulate_outfeed_dtype=tf.float16)])
print("inferred", [np.array_equal(*each) for each in zip(piped(False, accumulate_outfeed=True), summed(piped(False)))])
try:
    piped(accumulate_outfeed=True, accumulate_outfeed_dtype=lambda output: tf.int32 if output.dtype == tf.float32 else None)
except TypeError as error:
    print(error)
