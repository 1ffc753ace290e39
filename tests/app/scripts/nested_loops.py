# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in the bodies of loops on the device."""
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
queue = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.range(9).repeat())


def inner(i, x):
    return i + 1, x + tf.cast(i, tf.float32)


def outer(x):
    _, x = ipu.loops.repeat(3, inner, [tf.constant(0), x])
    return 2.0 * ipu.loops.repeat(2, lambda y: y - 1.0, x)


def fed(x):
    return ipu.loops.repeat(2, lambda y, i: y + tf.cast(i, tf.float32), [x], queue)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    made = ipu.ipu_compiler.compile(lambda x: ipu.loops.repeat(2, outer, [x]), [tf.constant(1.0)])
    for body in (fed, lambda x: ipu.loops.repeat(2, lambda y: (y, tf.group(y)), [x])):
        try:
            ipu.ipu_compiler.compile(lambda x: ipu.loops.repeat(2, body, [x]), [tf.constant(1.0)])
        except AttributeError as error:
            print(error)
with tf.Session() as session:
    print(session.run(made), ((1.0 + 3 - 2) * 2 + 3 - 2) * 2)
