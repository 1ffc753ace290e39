# SPDX-License-Identifier: GPL-3.0-or-later
"""While loops of TensorFlow 1 outside of functions, of which only a run knows how many steps they have: a session makes them on the host."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x, n = tf.placeholder(tf.float32, []), tf.placeholder(tf.int32, [])
root = tf.while_loop(lambda v, i: tf.abs(v * v - x) > 1e-4, lambda v, i: ((v + x / v) / 2, i + 1), [x, tf.constant(0)])
factorial = tf.while_loop(lambda k, product: k > 1, lambda k, product: (k - 1, product * k), [n, tf.constant(1)])[1]
many = tf.while_loop(lambda i: i < 5000, lambda i: i + 1, [tf.constant(0)])


def sum_below(i):
    return tf.while_loop(lambda total, j: j < i, lambda total, j: (total + tf.cast(j, tf.float32), j + 1), [tf.constant(0.0), tf.constant(0)])[0]


def append(i, sums):
    return i + 1, tf.concat([sums, tf.reshape(sum_below(i), [1])], 0)


sums = tf.while_loop(lambda i, sums: i < n, append, [tf.constant(0), tf.zeros([0])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])[1]
scale, counter = tf.get_variable("scale", initializer=2.0), tf.get_variable("counter", initializer=0, use_resource=True)
grown = tf.while_loop(lambda a: a < x, lambda a: a * scale, [tf.constant(1.0)])


def count(i):
    with tf.control_dependencies([counter.assign_add(i)]):
        return i + 1


counted = tf.while_loop(lambda i: i < n, count, [tf.constant(0)])
drawn = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, tf.concat([a[1:], tf.random_uniform([1])], 0)), [tf.constant(0), tf.zeros([3])])[1]
structure = tf.while_loop(lambda state: state["a"] < x, lambda state: {"a": state["a"] * 2, "b": state["b"] + 1}, [{"a": 1.0, "b": 0}])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    made = session.run(root, {x: 2.0})  # by hand: 1.5, 1.41667, 1.414216
    print(np.isclose(made[0], 2**0.5, atol=1e-5), made[1], session.run(factorial, {n: 5}), session.run(many), session.run(sums, {n: 4}).tolist(),
          session.run(grown, {x: 33.0}))
    print(session.run(counted, {n: 5}), session.run(counter), session.run(structure, {x: 10.0}))
    draws = session.run(drawn, {n: 3}), session.run(drawn, {n: 3})
    print(len(set(np.concatenate(draws).tolist())))
for wrong in (lambda: tf.gradients(root[0], x), lambda: tf.while_loop(lambda a: a[0] < x, lambda a: tf.concat([a, a], 0), [tf.zeros([1])]),
              lambda: tf.while_loop(lambda a: tf.cast(a, tf.float32) < x, lambda a: tf.cast(a, tf.float32) + 1, [tf.constant(0)])):
    try:
        print(wrong())
    except Exception as error:  # pylint: disable=broad-except
        print(type(error).__name__, str(error).split(";", maxsplit=1)[0])
matrix = tf.placeholder(tf.float32, [3, 2])
values, left, right = tf.linalg.svd(matrix)
eigenvalues, vectors = tf.self_adjoint_eig(tf.matmul(matrix, matrix, transpose_a=True))
inverse = tf.linalg.pinv(matrix)
print(values.shape, left.shape, inverse.shape)
given = np.float32([[1, 2], [3, 4], [5, 6]])
with tf.Session() as session:
    s, u, v, e, w, p = session.run([values, left, right, eigenvalues, vectors, inverse], {matrix: given})
print(np.allclose(u * s @ v.T, given, atol=1e-4), np.allclose(s, np.linalg.svd(given)[1], atol=1e-4), np.allclose(w * e @ w.T, given.T @ given, atol=1e-3),
      np.allclose(p, np.linalg.pinv(given), atol=1e-4))
try:
    tf.gradients(values, matrix)
except AttributeError as error:
    print(str(error).split(";", maxsplit=1)[0])
