# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients of branches: one that is not taken adds nothing, also where it is infinite there, as by hand."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


def slopes(function, *values):
    """What a function of NumPy's numbers gives on the device, and its gradients there."""
    @tf.function
    def step(*given):
        with tf.GradientTape() as tape:
            tape.watch(given)
            y = function(*given)
        return y, tape.gradient(y, given)
    y, made = strategy.run(step, [np.asarray(each, np.float32) for each in values])
    return [y.numpy().tolist(), *(each.numpy().tolist() for each in made)]


def root(x):
    return tf.cond(x > 0, lambda: tf.sqrt(x), lambda: x * 3)


def logarithm(x):
    y = x
    if tf.reduce_sum(x) > 0:
        y = tf.math.log(x) * 2
    else:
        y = 5 - x
    return tf.reduce_sum(y)


def quotient(x, y):
    if y != 0:
        z = x / y
    else:
        z = x * 7 + y
    return z


def length(x):
    """Of a vector, whose gradient is 0 / 0 where it is 0; branches within the branch see the norm."""
    def inner():
        norm = tf.sqrt(tf.reduce_sum(x * x))
        return tf.cond(norm > 2, lambda: tf.reduce_sum(x / norm), lambda: tf.reduce_sum(x * x) / norm)
    return tf.cond(tf.reduce_sum(tf.abs(x)) > 0, inner, lambda: tf.reduce_sum(x) * 4)


@tf.custom_gradient
def steep(x):
    return tf.sqrt(x), lambda dy: dy / (2 * tf.sqrt(x))


def own(x):
    return tf.cond(x > 0, lambda: steep(x), lambda: x * 3)


def unlike(x):
    """The same tensor, through identities, by both branches."""
    return tf.cond(x > 0, lambda: tf.sqrt(tf.identity(tf.identity(x))), lambda: tf.sqrt(-x))


print("root", slopes(root, 4.0), slopes(root, 0.0), slopes(root, -1.0))
print("logarithm", slopes(logarithm, [1.0, 2.0])[1], slopes(logarithm, [0.0, 0.0]), slopes(logarithm, [0.0, -1.0]))
print("quotient", slopes(quotient, 3.0, 2.0), slopes(quotient, 3.0, 0.0))
print("length", slopes(length, [0.0, 0.0]), slopes(length, [1.0, 0.0]), slopes(length, [0.0, 3.0]))
print("own", slopes(own, 4.0), slopes(own, 0.0))
print("unlike", slopes(unlike, 4.0), slopes(unlike, -4.0))

# Variables and layers, whose weights are read in the branch itself.
with strategy.scope():
    scale, model = tf.Variable(0.0), keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", input_shape=(2,))])


@tf.function
def trained(x):
    with tf.GradientTape() as tape:
        size = tf.reduce_sum(tf.abs(x))
        of_scale = tf.cond(size > 0, lambda: scale * 5, lambda: tf.sqrt(scale) + tf.math.log(scale))
        of_model = tf.cond(size > 0, lambda: tf.reduce_sum(model(x / size)), lambda: tf.constant(0.0))
        loss = of_scale + of_model
    return tape.gradient(loss, [scale, model.trainable_variables[0]])


print("weights", [each.numpy().tolist() for each in strategy.run(trained, [np.float32([[1.0, 3.0]])])],
      [each.numpy().tolist() for each in strategy.run(trained, [np.float32([[0.0, 0.0]])])][1])

# Version 1: compiled, and in a session.
for name, compiled in (("compiled", True), ("session", False)):
    with tf.Graph().as_default(), tf1.Session() as session:
        given = tf1.placeholder(tf.float32, [])

        def net(x):
            y = tf1.cond(x > 0, lambda: tf.sqrt(x), lambda: x * 3)
            return [y, tf1.gradients(y, [x])[0]]
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(net, [given]) if compiled else net(given)
        print(name, [[float(each) for each in session.run(made, {given: value})] for value in (4.0, 0.0)])
