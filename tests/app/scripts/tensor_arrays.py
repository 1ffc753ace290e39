# SPDX-License-Identifier: GPL-3.0-or-later
# TensorArray, scan and folds, at once, in functions and in graphs; Python that sessions call; names of variables.
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
array = tf.TensorArray(tf.float32, size=0, dynamic_size=True).write(0, x[0]).write(2, x[2])
print(array.stack().numpy().tolist(), array.size().numpy(), array.read(2).numpy().tolist(), array.gather([2, 0]).numpy().tolist())
print(tf.TensorArray(tf.float32, 3).unstack(x).concat().numpy().tolist())


@tf.function
def running(values):
    made = tf.TensorArray(tf.float32, size=3)
    total = tf.zeros([2])
    for i in range(3):
        total += values[i]
        made = made.write(i, total)
    return made.stack()


print(np.array_equal(running(x), np.cumsum(x, 0)), np.array_equal(tf.scan(lambda a, v: a + v, x), np.cumsum(x, 0)),
      tf.scan(lambda a, v: a * v, x, reverse=True).numpy()[0].tolist(), tf.foldl(lambda a, v: a - v, x, np.float32([0, 0])).numpy().tolist(),
      tf.foldr(lambda a, v: a * 2 + v, x).numpy().tolist())
looped = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, x[i] * 2)), [tf.constant(0), tf.TensorArray(tf.float32, 3)])
print(looped[1].stack().numpy().tolist())
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(tf.scan(lambda a, v: a * v, x)[-1])
print(np.allclose(tape.gradient(loss, x)[0], np.array(x)[1] * np.array(x)[2]))
for wrong in (lambda: tf.TensorArray(tf.float32, 1).write(1, 2.0), lambda: tf.TensorArray(tf.float32, 1).stack()):
    try:
        wrong()
    except tf.errors.OpError as error:
        print(error)

# At once a write changes the array; types and shapes are those that it says; no rows at all.
array = tf.TensorArray(tf.float32, 2, element_shape=[2])
array.write(1, [3, 4])
print(array.stack().numpy().tolist(), tf.TensorArray(tf.float32, 2, element_shape=[2]).stack().numpy().tolist(), array.identity() is array)


@tf.function
def lost():
    made = tf.TensorArray(tf.float32, 1).write(0, 1.0)
    made.write(0, 2.0)
    return made.stack()


print(lost().numpy().tolist(), tf.scan(lambda a, v: a + v, tf.zeros([0, 2]), tf.zeros([2])).shape,
      tf.foldl(lambda a, v: a + v, tf.zeros([0, 2]), tf.ones([2])).numpy().tolist())
for wrong in (lambda: array.write(0, tf.constant([1, 2])), lambda: array.write(0, [1.0, 2.0, 3.0]), lambda: array.unstack(tf.zeros([3, 2])),
              lambda: tf.scan(lambda a, v: a, tf.zeros([0, 2])), lambda: tf.foldr(lambda a, v: a + v[0] + v[1], (tf.zeros([2]), tf.zeros([3])), 0.0)):
    try:
        wrong()
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        print(getattr(error, "message", error))

tf1.disable_v2_behavior()
given = tf1.placeholder(tf.float32, [None, 2])
seen = []
tripled = tf1.py_func(lambda a: a * 3, [given * 2.0], tf.float32)
tripled.set_shape([None, 2])
noted = tf.py_function(lambda a: seen.append(float(tf.reduce_sum(a))), [given], [])
pair = tf.numpy_function(lambda a: (a.sum(), a.max()), [given], [tf.float32, tf.float32])
with tf1.name_scope("net"):
    named = [tf1.Variable(tf.zeros([2]), name="w"), tf1.Variable(tf.zeros([2])), tf1.Variable(tf.zeros([2]))]
with tf1.Session() as session:
    session.run(tf1.global_variables_initializer())
    print(session.run([tripled + 1.0, pair], {given: np.ones((2, 2))}), session.run(noted, {given: np.ones((3, 2))}), seen)
    print([each.name for each in named], session.run("net/w:0").tolist())
with tf1.device("/device:IPU:0"):
    try:
        tf1.py_func(lambda a: a, [given], tf.float32)
    except AttributeError as error:
        print(error)

with tf1.Graph().as_default():
    rows = tf1.placeholder(tf.float32, [None, 2])

    def dense(count):
        for _ in range(count):
            tf1.layers.dense(rows, 2)

    dense(2)
    with tf1.variable_scope("net"):
        tf1.layers.dense(rows, 2, name="dense_1")
        dense(3)
    with tf1.variable_scope("dense_2"):
        tf1.layers.dense(rows, 2)
    dense(1)
    print([each.name for each in tf1.trainable_variables() if "kernel" in each.name])
