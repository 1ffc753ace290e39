# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of labels and predictions of several types and ranks, against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
random = np.random.RandomState(0)
predictions = random.uniform(0.1, 0.9, (6, 4)).astype(np.float16)
labels = random.randint(0, 2, (6, 4)).astype(np.int32)
logits = random.randn(3, 5, 4).astype(np.float32)
shares = random.dirichlet(np.ones(4), (3, 5)).astype(np.float32)
classes = random.randint(0, 4, (3, 5)).astype(np.int32)
p, t = predictions.astype(np.float64), labels.astype(np.float64)
apart, log_shares = np.abs(p - t), logits - np.log(np.exp(logits).sum(-1, keepdims=True))
WANTED = {
    "mean_squared_error": (apart ** 2).mean(), "absolute_difference": apart.mean(),
    "huber_loss": np.where(apart < 1, apart ** 2 / 2, apart - 0.5).mean(),
    "hinge_loss": np.maximum(0, 1 - (2 * t - 1) * p).mean(),
    "log_loss": -(t * np.log(p + 1e-7) + (1 - t) * np.log(1 - p + 1e-7)).mean(),
    "sigmoid_cross_entropy": (np.log1p(np.exp(p)) - t * p).mean()}


def losses(given, wanted):
    return [getattr(tf.losses, name)(wanted, given) for name in WANTED]


def of_logits(x, y):
    given = tf.nn.softmax_cross_entropy_with_logits_v2(logits=x, labels=y)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=tf.constant(classes))
    return given, sparse, tf.gradients(tf.reduce_sum(given), x)[0]


with tf.name_scope("above"):
    print(tf.get_default_graph().get_name_scope(), end=" ")
print(repr(tf.get_default_graph().get_name_scope()))
with ipu.scopes.ipu_scope("/device:IPU:0"):
    found = ipu.ipu_compiler.compile(losses, [tf.constant(predictions), tf.constant(labels)])
    of_rows = ipu.ipu_compiler.compile(of_logits, [tf.constant(logits), tf.constant(shares)])
with tf.Session() as session:
    for name, value in zip(WANTED, session.run(found)):
        print(name, value.dtype, np.allclose(value, WANTED[name], rtol=2e-3))
    given, sparse, gradient = session.run(of_rows)
print(np.allclose(given, -(shares * log_shares).sum(-1), atol=1e-5),
      np.allclose(sparse, -np.take_along_axis(log_shares, classes[..., None], -1)[..., 0], atol=1e-5),
      np.allclose(gradient, np.exp(log_shares) - shares, atol=1e-5))
