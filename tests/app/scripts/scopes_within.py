# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled functions that name the IPU themselves."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
data = tf.data.Dataset.from_tensors(np.float32([1, 2])).repeat()
infeed, outfeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data), ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def product(a):
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        return a * tf.get_variable("factor", [2], use_resource=True, initializer=tf.constant_initializer(3.0))


def body(element):
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        total = tf.get_variable("total", [2], use_resource=True, initializer=tf.zeros_initializer())
        return outfeed.enqueue(tf.assign_add(total, element))


a = tf.placeholder(tf.float32, [2])
once = ipu.ipu_compiler.compile(product, [a])
loop = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(3, body, [], infeed))


def shifted(b):
    return b + tf.get_variable("shift", [2], use_resource=True, initializer=tf.ones_initializer())


try:
    ipu.ipu_compiler.compile(shifted, [a])
except Exception as error:
    print(error)
with ipu.scopes.ipu_scope("/device:IPU:0"):
    then = ipu.ipu_compiler.compile(shifted, [a])
print([each.name for each in tf.global_variables()])
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
dequeued = outfeed.dequeue()
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), infeed.initializer])
    print(session.run(once, {a: [1, 2]})[0].tolist(), session.run(then, {a: [1, 2]})[0].tolist())
    session.run(loop)
    print(session.run(dequeued).tolist())
