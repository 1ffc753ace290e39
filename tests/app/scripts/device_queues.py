# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues on the device, and the number of a pipeline's micro-batch: ipu.internal_ops. By hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.ops import internal_ops

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()


def infeed_of(values):
    return ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(np.asarray(values)).batch(2, drop_remainder=True).repeat())


def refused(function):
    try:
        function()
    except (AttributeError, TypeError, ValueError) as error:
        print(error)


# Of each step what came three steps before, and the number of the one before that.
infeed, outfeed = infeed_of(np.arange(1, 21, dtype=np.float32)), ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def late(number, x):
    return number + 1, outfeed.enqueue((internal_ops.fifo(x, 3), internal_ops.fifo(number, 1, offload=True), x))


with ipu.scopes.ipu_scope("/device:IPU:0"):
    run = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(5, late, [10], infeed))
taken = outfeed.dequeue()
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), infeed.initializer])
    for _ in range(2):  # each run begins anew
        session.run(run)
        print([each.tolist() for each in session.run(taken)])

# One execution has nothing of an earlier one.
with ipu.scopes.ipu_scope("/device:IPU:0"):
    once = ipu.ipu_compiler.compile(lambda x: internal_ops.fifo(x, 1) + internal_ops.fifo(x, 0), [tf.constant([1.0, 2.0])])
with tf.Session() as session:
    print(session.run(once)[0].tolist(), session.run(once)[0].tolist())

# The micro-batches of an update: their numbers in two stages, and what a stage makes of them.
images, found = infeed_of(np.ones(16, np.float32)), ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def first(x):
    return x * tf.cast(internal_ops.get_current_iteration_counter(), tf.float32)


def second(x):
    w = tf.get_variable("w", initializer=tf.constant(1.0), use_resource=True)
    number = internal_ops.get_current_iteration_counter()
    return tf.reduce_sum(w * x), internal_ops.fifo(x, 1), number


def optimizer(loss, *others):
    return ipu.pipelining_ops.OptimizerFunctionOutput(tf.train.GradientDescentOptimizer(0.01), loss)


def piped():
    return ipu.pipelining_ops.pipeline([first, second], 4, repeat_count=2, infeed_queue=images, outfeed_queue=found,
                                       optimizer_function=optimizer)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    trained = ipu.ipu_compiler.compile(piped)
given = found.dequeue()
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), images.initializer])
    session.run(trained)
    losses, before, numbers = session.run(given)
    print([round(float(each), 4) for each in losses], before[:, 0].tolist(), numbers.tolist(), numbers.dtype)

refused(lambda: internal_ops.fifo(tf.constant(1.0), 2))
with ipu.scopes.ipu_scope("/device:IPU:0"):
    refused(lambda: internal_ops.fifo(tf.constant(1.0), 0.5))
    refused(lambda: ipu.ipu_compiler.compile(lambda: internal_ops.get_current_iteration_counter()))
    refused(lambda: ipu.ipu_compiler.compile(lambda: ipu.loops.while_loop(lambda i: i < 3, lambda i: internal_ops.fifo(i, 1) + 1, [0])))
