# SPDX-License-Identifier: GPL-3.0-or-later
"""How pipelines of TensorFlow 1 hand out one tensor of their last stage: training enqueues a list of all. And what depends through
a loop of the device on what it is differentiated by."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()


def piped(trains, **settings):
    """What two updates of four micro-batches enqueue."""
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.data.Dataset.from_tensor_slices(np.arange(8, dtype=np.float32)).repeat()
        infeed, outfeed = ipu.ipu_infeed_queue.IPUInfeedQueue(rows), ipu.ipu_outfeed_queue.IPUOutfeedQueue()

        def first(x):
            return x * tf.get_variable("w", initializer=1.0)

        def update(loss):
            return ipu.pipelining_ops.OptimizerFunctionOutput(tf.train.GradientDescentOptimizer(0.0), loss)

        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(lambda: ipu.pipelining_ops.pipeline(
                [first, lambda x: x + 1.0], 4, repeat_count=2, infeed_queue=infeed, outfeed_queue=outfeed,
                optimizer_function=update if trains else None, **settings))
        results = outfeed.dequeue()
        session.run([tf.global_variables_initializer(), infeed.initializer])
        session.run(run)
        return session.run(results)


print([each.tolist() for each in piped(True)], piped(True, outfeed_loss=True).tolist(), piped(False).tolist())

last = ipu.ipu_outfeed_queue.IPUOutfeedQueue(outfeed_mode=ipu.ipu_outfeed_queue.IPUOutfeedMode.LAST)
given = tf.placeholder(np.float32, [])


def power(x):
    return ipu.loops.repeat(3, lambda y: (y * tf.get_variable("w", initializer=2.0), last.enqueue(y)), [x])


def reads(x):
    return tf.gradients(power(x), tf.global_variables())


for of in (reads, lambda x: tf.gradients(power(x), [x]), lambda x: tf.train.GradientDescentOptimizer(0.1).minimize(power(x))):
    with tf.variable_scope("net", use_resource=True, reuse=tf.AUTO_REUSE), ipu.scopes.ipu_scope("/device:IPU:0"):
        try:
            ipu.ipu_compiler.compile(of, [given])
        except AttributeError as error:
            print(error)
with tf.Session() as session:
    try:
        session.run(last.dequeue())
    except tf.errors.FailedPreconditionError as error:
        print(error.message)
