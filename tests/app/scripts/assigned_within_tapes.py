# SPDX-License-Identifier: GPL-3.0-or-later
"""Tapes in which a variable is given another value: gradients are of the values that were read, or are refused."""
import tensorflow as tf

v = tf.Variable([1.0, 2.0], name="weights")
n = tf.Variable(0, trainable=False)
with tf.GradientTape() as tape:  # which the loss does not depend on
    a = v * v
    v.assign([3.0, 4.0])
    loss = tf.reduce_sum(v * v)
print(tape.gradient(loss, v).numpy())
with tf.GradientTape() as tape:  # which is read afterwards only
    n.assign_add(2)
    loss = tf.reduce_sum(v * v) * tf.cast(n, tf.float32)
print(tape.gradient(loss, v).numpy())
with tf.GradientTape() as tape:
    a = v * v
    v.assign([5.0, 6.0])
    loss = tf.reduce_sum(a) + tf.reduce_sum(v * v)
print(loss.numpy())
try:
    tape.gradient(loss, v)
except AttributeError as error:
    print(error)
