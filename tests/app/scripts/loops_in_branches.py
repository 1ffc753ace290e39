# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in branches on a tensor, and gradients of what loops of a graph make. By hand."""
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x, holds = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.bool, [])


def weight():
    with tf.variable_scope("", reuse=tf.AUTO_REUSE, use_resource=True):
        return tf.get_variable("w", initializer=tf.constant(0.5))


def show(name, function):
    """What it gives where the branch is taken, and where it is not."""
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(function, [x, holds])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        made = [session.run(run, {x: [1.0, 2.0, 3.0], holds: each}) for each in (True, False)]
        print(name, [[value.tolist() for value in each] for each in made], *(round(float(each), 4) for each in session.run(tf.global_variables())))


def doubled(v):
    return tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * 2.0), [0, v])[1]


def to_forty(v):
    return tf.while_loop(lambda v: tf.reduce_sum(v) < 40.0, lambda v: v * 2.0, [v], maximum_iterations=6)


def counted(v):
    """Each step adds what the variable is then."""
    def step(v):
        with tf.control_dependencies([weight().assign_add(1.0)]):
            return v + weight()
    return ipu.loops.repeat(2, step, [v])


def scaled(v):
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * weight()), [0, v])[1]


show("while", lambda x, holds: tf.cond(holds, lambda: doubled(x), lambda: x))
show("while, its end on the device", lambda x, holds: tf.cond(holds, lambda: to_forty(x), lambda: -x))
show("repeat", lambda x, holds: tf.cond(holds, lambda: ipu.loops.repeat(3, lambda v: v * 2.0, [x]), lambda: x))
show("repeat and assign", lambda x, holds: tf.cond(holds, lambda: counted(x), lambda: x))
show("gradients", lambda x, holds: tf.gradients(tf.cond(holds, lambda: scaled(x), lambda: x * weight()), [weight(), x]))
show("gradients of a loop", lambda x, holds: tf.gradients(
    tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])[1], x))


def trained(x, holds):
    loss = tf.reduce_sum(tf.cond(holds, lambda: scaled(x), lambda: x))
    return loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)


show("trained", trained)
with ipu.scopes.ipu_scope("/device:IPU:0"):
    powers = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v * v), [0, x])[1]
    slopes = tf.gradients(powers, x)
with tf.Session() as session:
    print("without compile", [each.tolist() for each in session.run([powers, *slopes], {x: [1.0, 2.0, 3.0]})])
