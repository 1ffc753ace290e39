# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.loops.while_loop whose steps take elements of an infeed queue, by hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
numbers = np.arange(1, 101, dtype="f")
plain, named = (ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(each).repeat()) for each in (
    numbers, {"a": numbers, "b": 2 * np.ones_like(numbers)}))
outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
n = tf.placeholder(tf.int32, [])


def ten():
    def step(i, total, value):
        with tf.control_dependencies([outfeed.enqueue(value * 2)]):
            return i + 1, total + value
    return ipu.loops.while_loop(lambda i, total: i < 10, step, [tf.constant(0), tf.constant(0.0)], infeed_queue=plain)


def up_to(bound):
    return ipu.loops.while_loop(lambda i, total: i < bound, lambda i, total, a, b: (i + 2, total + a * b), [tf.constant(0), tf.constant(0.0)], named)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    tens, bounds = ipu.ipu_compiler.compile(ten, []), ipu.ipu_compiler.compile(up_to, [n])
    try:
        ipu.ipu_compiler.compile(lambda: ipu.loops.while_loop(lambda total: total < 10.0, lambda total, value: total + value, [tf.constant(0.0)], plain))
    except AttributeError as error:
        print(str(error).partition(":")[0])
enqueued = outfeed.dequeue()
with tf.Session() as session:
    for queue in (plain, named):
        session.run(queue.initializer)
    print(session.run(tens), session.run(enqueued).tolist(), session.run(tens))
    print([session.run(bounds, {n: bound}) for bound in (5, 4, 0, 1)])
