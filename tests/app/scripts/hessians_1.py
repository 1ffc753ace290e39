# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.hessians of a graph of TensorFlow 1, against second differences by NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [3])
first = np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]])
w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(first))
value = tf.reduce_sum(tf.tanh(tf.matmul(x[None], w)) * [1.0, 2.0]) + tf.reduce_sum(x**3) * w[0, 0]
made = tf.hessians(value, [w, x]) + tf.hessians(tf.reduce_sum(x), x)


def by_numpy(weights, point):
    return (np.tanh(point @ weights) * [1, 2]).sum() + (point**3).sum() * weights[0, 0]


def differences(function, at, step=1e-3):
    found = np.zeros([at.size] * 2)
    for i in range(at.size):
        for j in range(at.size):
            one, other = np.eye(at.size)[[i, j]].reshape(2, *at.shape) * step
            found[i, j] = (function(at + one + other) - function(at + one - other) - function(at - one + other) + function(at - one - other)) / 4 / step**2
    return found.reshape(at.shape * 2)


given = np.array([0.5, -1.0, 2.0])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    of_w, of_x, linear = session.run(made, {x: given})
print(of_w.shape, np.abs(of_w - differences(lambda each: by_numpy(each, given), first)).max() < 1e-4,
      np.abs(of_x - differences(lambda each: by_numpy(first, each), given)).max() < 1e-4, linear.tolist())
try:
    tf.hessians(tf.reduce_sum(w), x)
except ValueError as error:
    print(error)
