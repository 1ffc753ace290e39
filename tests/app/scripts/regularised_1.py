# SPDX-License-Identifier: GPL-3.0-or-later
"""TensorFlow 1's regularisers, constant initialisers and layers that are not trained; what must come out is worked out by hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow import keras
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
given = np.array([[3, -4]], np.float32)
with tf.device("cpu"):
    x = tf.placeholder(tf.float32, [2, 3])


def net(x):
    w = tf.get_variable("w", [1, 2], initializer=tf.constant_initializer(given), regularizer=keras.regularizers.l2(0.1))
    with tf.variable_scope("inner", regularizer=lambda v: 0.5 * tf.reduce_sum(tf.abs(v))):
        v = tf.get_variable("v", initializer=tf.constant([2.0, -1.0]))
        fixed = tf.layers.dense(x, 2, kernel_initializer=tf.constant_initializer(np.arange(6)), trainable=False, name="fixed")
    free = tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer(), kernel_regularizer=keras.regularizers.L1L2(0.25, 0.5))
    # 0.1 (9 + 16) + 0.5 (2 + 1) + 0.5 (0 + 1 + 2 + 3 + 4 + 5) + 0.25 x 3 + 0.5 x 3
    penalty = tf.losses.get_regularization_loss()
    terms = [each.name for each in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)]
    print(terms, len(tf.losses.get_regularization_losses(scope="inner")))
    update = tf.train.GradientDescentOptimizer(0.5).minimize(penalty + 0.0 * tf.reduce_sum(fixed) + 0.0 * tf.reduce_sum(free))
    return penalty, tf.reduce_sum(w), tf.reduce_sum(v), update


with ipu.scopes.ipu_scope("/device:IPU:0"):
    run = ipu.ipu_compiler.compile(net, inputs=[x])
kernels = {v.name: v for v in tf.global_variables()}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(np.round(session.run(run, {x: np.zeros((2, 3))})[0], 5))
    for name in ("w", "inner/v", "inner/fixed/kernel", "dense/kernel"):
        print(name, np.round(session.run(kernels[name + ":0"]), 5).tolist())

few = tf.get_variable("few", [3], initializer=tf.constant_initializer([1, 2]))
for wrong in (lambda: tf.layers.dense(tf.zeros([1, 1]), 1, activity_regularizer=keras.regularizers.l2(1)),
              lambda: tf.Session().run([tf.global_variables_initializer(), few])):
    try:
        wrong()
    except Exception as error:
        print(error)

# Layers of Keras by themselves, and a constant of Keras that is an array.
layer = keras.layers.Dense(2, kernel_initializer=keras.initializers.Constant(np.arange(6).reshape(3, 2)))
print(layer.get_weights(), layer.weights)
try:
    layer.set_weights([given])
except ValueError as error:
    print(error)
layer.build([None, 3])
print([w.tolist() for w in layer.get_weights()])
layer.set_weights([np.ones((3, 2)), np.array([5, 6])])
print([w.tolist() for w in layer.get_weights()])

# A loss of several numbers is minimised as their sum: (u - 1)^2 + (u - 3)^2 at u = 0 falls by 0.25 x (2 (u - 1) + 2 (u - 3)) = -2.
with tf.Graph().as_default():
    def several():
        u = tf.get_variable("u", [], initializer=tf.zeros_initializer())
        return tf.train.GradientDescentOptimizer(0.25).minimize(tf.square(u - tf.constant([1.0, 3.0])))
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        once = ipu.ipu_compiler.compile(several)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(once)
        print(session.run(tf.global_variables()[0]))
