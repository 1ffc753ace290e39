# SPDX-License-Identifier: GPL-3.0-or-later
"""Tapes in which a variable is given another value: gradients are of the values that were read; through layers, and of a
jacobian, they are refused."""
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
print(tape.gradient(loss, v).numpy())
u = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        a = u * u * u
    slope = inner.gradient(a, u)
    u.assign(5.0)
    loss = slope * u
print(outer.gradient(loss, u).numpy())
for dtype in tf.float32, tf.float64:  # entered again, after another value; and with one after the tape
    w = tf.Variable(3.0, dtype=dtype)
    tape = tf.GradientTape()
    with tape:
        a = w * w
    w.assign(10.0)
    with tape:
        loss = a * w
    w.assign(20.0)
    print(float(tape.gradient(loss, w)))
w = tf.Variable([1.0, 2.0])  # an update within the tape
rate = tf.keras.optimizers.SGD(0.1)
with tf.GradientTape(persistent=True) as tape:
    first = tf.reduce_sum(w * w)
    rate.apply_gradients([(tape.gradient(first, w), w)])
    loss = tf.reduce_sum(w * w * w) + first
print(w.numpy(), tape.gradient(loss, w).numpy(), int(rate.iterations))
layer = tf.keras.layers.Dense(1, use_bias=False)
layer(tf.ones([1, 2]))
with tf.GradientTape(persistent=True) as tape:
    a = layer(tf.ones([1, 2]))
    layer.kernel.assign([[3.0], [4.0]])
    loss, squares = a + layer(tf.ones([1, 2])), v * v
    v.assign([1.0, 1.0])
    squares = squares * v
for taken in (lambda: tape.gradient(loss, layer.kernel)), (lambda: tape.jacobian(squares, v)):
    try:
        taken()
    except AttributeError as error:
        print(error)
