# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverses, determinants, factors and systems of matrices at hand: by hand, and as what multiplies to the identity."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
a = tf.constant([[4.0, 2.0], [2.0, 3.0]])
print(np.allclose(tf.linalg.inv(a), np.array([[3, -2], [-2, 4]]) / 8), np.isclose(tf.linalg.det(a), 8.0),
      np.allclose(tf.linalg.cholesky(a), [[2, 0], [1, 2 ** 0.5]]), np.allclose(tf.linalg.solve(a, [[8.0], [7.0]]), [[1.25], [1.5]]))
rows = np.random.default_rng(0).normal(size=(3, 4, 4))
right = np.random.default_rng(1).normal(size=(3, 4, 2))
print(np.allclose(tf.linalg.inv(rows).numpy() @ rows, np.eye(4)), np.allclose(rows @ tf.linalg.solve(rows, right).numpy(), right),
      np.allclose(rows.swapaxes(1, 2) @ tf.linalg.solve(rows, right, adjoint=True).numpy(), right),
      np.allclose(rows.swapaxes(1, 2) @ tf.linalg.inv(rows, adjoint=True).numpy(), np.eye(4)),
      np.allclose(tf.linalg.det(rows @ rows), tf.linalg.det(rows).numpy() ** 2), tf.linalg.inv(rows).dtype.name,
      tf.compat.v1.matrix_inverse(a).dtype.name)
half = tf.linalg.cholesky(tf.cast(a, tf.float16))
print(half.dtype.name, half.numpy().tolist()[1][0])
both, tall = rows @ rows.swapaxes(1, 2) + np.eye(4), rows[:, :, :3]
values, vectors = tf.linalg.eigh(both)
singular, u, v = tf.linalg.svd(tall)
q, r = tf.linalg.qr(tall)
print(np.allclose(np.einsum("bij,bj,bkj->bik", vectors, values, vectors), both), np.all(np.diff(values) > 0), np.allclose(
    np.einsum("bij,bj,bkj->bik", u, singular, v), tall), tf.linalg.svd(tall, full_matrices=True)[1].shape == (3, 4, 4), np.allclose(
        q.numpy() @ r.numpy(), tall), np.allclose(np.tril(r.numpy(), -1), 0))
sign, size = tf.linalg.slogdet(rows)
normal = tall.swapaxes(1, 2) @ tall
print(np.allclose(sign * np.exp(size), np.linalg.det(rows)), np.allclose(tf.linalg.logdet(both), np.log(np.linalg.det(both))), np.allclose(
    tf.linalg.pinv(tall).numpy() @ tall, np.eye(3)), np.allclose(both @ tf.linalg.cholesky_solve(tf.linalg.cholesky(both), right).numpy(), right),
      tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy(), np.allclose(
          np.triu(rows).swapaxes(1, 2) @ tf.linalg.triangular_solve(rows, right, lower=False, adjoint=True).numpy(), right), np.allclose(
              tf.linalg.lstsq(tall, right, 0.5), np.linalg.solve(normal + 0.5 * np.eye(3), tall.swapaxes(1, 2) @ right)))
for wrong in (lambda: tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]]), lambda: tf.linalg.inv(right), lambda: tf.linalg.det([1.0]),
              lambda: tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]]), lambda: tf.linalg.solve(a, [[1.0]]), lambda: tf.linalg.det([[1]]),
              lambda: ipu.ipu_strategy.IPUStrategy().run(tf.function(tf.linalg.svd), [a])):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
