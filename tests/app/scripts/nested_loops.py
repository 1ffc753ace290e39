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


def with_more(x, y):
    """A step gives more than the next one takes: what the last one gave is there after the loop."""
    x, y, doubled = ipu.loops.repeat(3, lambda x, y: (x + y, y, 2.0 * x), [x, y])
    return x + doubled, y


def compiled(body, *values):
    return ipu.ipu_compiler.compile(lambda *given: ipu.loops.repeat(2, body, list(given)), [tf.constant(each) for each in values])


with ipu.scopes.ipu_scope("/device:IPU:0"):
    made = compiled(with_more, 1.0, 0.5)
    for body, values in ((lambda x: ipu.loops.repeat(2, lambda y: tf.stack([y, y]), [x]), [1.0]),
                         (lambda x: ipu.loops.repeat(2, lambda y: tf.cast(y, tf.int32), [x]), [1.0]),
                         (lambda x, y: ipu.loops.repeat(2, lambda x, y: x, [x, y]), [1.0, 2.0])):
        try:
            compiled(body, *values)
        except TypeError as error:
            print(error)
with tf.Session() as session:
    x = 1.0
    for _ in range(2):
        before = [x + 0.5 * step for step in range(3)]
        x = before[-1] + 0.5 + 2.0 * before[-1]
    print(session.run(made), x)
