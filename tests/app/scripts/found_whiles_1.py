# SPDX-License-Identifier: GPL-3.0-or-later
"""While loops of TensorFlow 1 whose steps say when they end, against the same loops in Python."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x, most, m = tf.placeholder(tf.float32, []), tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [3, 3])


def root(given):
    return tf.while_loop(lambda v, i: tf.abs(v * v - given) > 1e-4 * given, lambda v, i: ((v + given / v) / 2, i + 1), [given, tf.constant(0)])


def bounded(given, steps):
    return tf.while_loop(lambda v, i: tf.logical_and(v < given, i < steps), lambda v, i: (v * 2, i + 1), [tf.constant(1.0), tf.constant(0)])


def largest(given):
    """By a variable that the body makes, from a first condition that is known."""
    def step(v, before, i):
        with tf.variable_scope("v", use_resource=True):
            scale = tf.get_variable("scale", [], initializer=tf.constant_initializer(2.0))
        made = tf.linalg.matvec(given * scale, v)
        return made / tf.norm(made), v, i + 1
    return ipu.loops.while_loop(lambda v, before, i: tf.reduce_max(tf.abs(v - before)) > 1e-5, step,
                                [tf.ones([3]) / 3**0.5, tf.zeros([3]), tf.constant(0)])


def halved():
    """What a counter of floats ends is known, and stands step by step."""
    return tf.while_loop(lambda v, s: v > 0.1, lambda v, s: (v / 2, s + v), [tf.constant(1.0), tf.constant(0.0)])


with ipu.scopes.ipu_scope("/device:IPU:0"):
    roots, bounds, vectors, halves = (ipu.ipu_compiler.compile(*each) for each in ((root, [x]), (bounded, [x, most]), (largest, [m]), (halved, [])))
ipu.utils.move_variable_initialization_to_cpu()
print([each.name for each in tf.global_variables()])
matrix = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]], "f")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for given in np.float32([2.0, 100.0, 1.0]):
        v, i = given, 0
        while abs(v * v - given) > np.float32(1e-4) * given:
            v, i = (v + given / v) / 2, i + 1
        made = session.run(roots, {x: given})
        print(bool(np.isclose(made[0], v)), int(made[1]) == i, i, end=" ")
    print([session.run(bounds, {x: limit, most: steps}) for limit, steps in ((10.0, 9), (1000.0, 3), (0.5, 9))])
    v, before, i = np.ones(3) / 3**0.5, np.zeros(3), 0
    while np.abs(v - before).max() > 1e-5:
        after = 2 * matrix @ v
        v, before, i = after / np.linalg.norm(after), v, i + 1
    made = session.run(vectors, {m: matrix})
    print(np.allclose(made[0], v, atol=1e-5), int(made[2]) == i, i)
    print(session.run(halves))
try:
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        ipu.ipu_compiler.compile(lambda given: tf.while_loop(lambda v: v < 5.0, lambda v: v + tf.random.uniform([]), [given]), [x])
except AttributeError as error:
    print(error)
