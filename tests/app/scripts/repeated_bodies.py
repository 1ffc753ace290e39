# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of TensorFlow 1 whose number of steps is a tensor, and loops that are unrolled, whose bodies make variables: once, as TensorFlow does.
By hand."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


def doubled(x):
    return x * 2.0


with strategy.scope():  # a function of TensorFlow 2 has a program for each count, too
    powers = tf.function(lambda x, n: ipu.loops.repeat(n, doubled, [x]))
    print("arguments", [float(strategy.run(powers, [tf.constant(1.0), tf.constant(n)])) for n in (3, 1, 5, 0, -1)])
    print("cast", float(strategy.run(tf.function(lambda x: ipu.loops.repeat(tf.cast(x, tf.int32), doubled, [x])), [tf.constant(3.0)])))

with tf.Graph().as_default(), tf1.Session() as session:
    queue = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.range(100).map(lambda i: tf.cast(i, tf.float32)))
    with tf.device("cpu"):
        n, x = tf1.placeholder(tf.int32, []), tf1.placeholder(tf.float32, [])

    def counting(total, element):
        steps = tf1.get_variable("steps", initializer=np.float32(0.0), use_resource=True)
        with tf.control_dependencies([steps.assign_add(1.0)]):
            return total + element

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        summed = ipu.ipu_compiler.compile(lambda x, n: ipu.loops.repeat(n * 2, counting, [x], queue), [x, n])
        known = ipu.ipu_compiler.compile(lambda x: ipu.loops.repeat(tf.constant(3) + 1, doubled, [x]), [x])
        both = ipu.ipu_compiler.compile(lambda x, n: [tf.cast(n, tf.float32), ipu.loops.repeat(n, doubled, [x])], [x, n])
        count = tf1.get_variable("count", initializer=np.int32(2), trainable=False)
        kept = ipu.ipu_compiler.compile(lambda x: ipu.loops.repeat(count, doubled, [x]), [x])
        try:
            ipu.ipu_compiler.compile(lambda x: ipu.loops.repeat(tf1.assign_add(count, 1), doubled, [x]), [x])
        except AttributeError as error:
            print(str(error).split("; ask")[0])
    session.run([tf1.global_variables_initializer(), queue.initializer])
    print("variable", [session.run(kept, {x: 1}), session.run(count.assign(5)), session.run(kept, {x: 1})])
    print("fed", session.run(known, {x: 1}), [[float(session.run(summed, {x: 0, n: count})[0]), float(session.run("steps:0")),
                                              *map(float, session.run(both, {x: 1, n: count}))] for count in (1, 2, 1, 0)])


def body(i, x):
    half = tf1.get_variable("half", [2, 2], initializer=tf1.constant_initializer(0.5))
    return i + 1, tf.matmul(tf1.layers.dense(x, 2, kernel_initializer="ones"), half)


def looped(loop, trains=False):
    """What three steps give, and the names of the variables; or what one update makes of the first variable."""
    with tf.Graph().as_default(), tf1.Session() as session:
        with tf.device("cpu"):
            x = tf1.placeholder(tf.float32, [2, 2])

        def net(x):
            with tf1.variable_scope("net", use_resource=True):
                y = loop(x)
            loss = tf.reduce_sum(y)
            return [y, tf1.train.GradientDescentOptimizer(0.01).minimize(loss)] if trains else [y]

        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(net, [x])
        session.run(tf1.global_variables_initializer())
        found = session.run(made, {x: np.eye(2)})[0]
        return found.tolist(), np.allclose(session.run("net/half:0"), 0.26) if trains else [each.name for each in tf1.global_variables()]


def nested(x):
    """Two steps of the device's loop, each of two steps that are unrolled."""
    return ipu.loops.repeat(2, lambda x: ipu.loops.repeat(2, lambda x: body(0, x)[1], [x]), [x])


def other_names(i, x):
    """Default names of scopes and tf.Variable count within a step; the same name a second time is an error as ever."""
    for _ in range(2):
        with tf1.variable_scope(None, default_name="block"):
            x = x * tf1.get_variable("w", initializer=np.float32(2.0))
    return i + 1, x + tf.stop_gradient(tf1.Variable(np.float32(0.0), use_resource=True))


def twice(i, x):
    return i + 1, x * sum(tf1.get_variable("w", initializer=np.float32(2.0)) for _ in range(2))


def three(body):
    return lambda x: tf1.while_loop(lambda i, x: tf.less(i, 3), body, [tf.constant(0), x])[1]


print("while", *looped(three(body)))
print("ipu", *looped(lambda x: ipu.loops.while_loop(lambda i, x: tf.less(i, 3), body, [tf.constant(0), x])[1]))
print("trained", *looped(three(body), True))
print("nested", *looped(nested))
print("names", *looped(three(other_names)))
try:
    looped(three(twice))
except ValueError as error:
    print(str(error).split(",")[0])
