# SPDX-License-Identifier: GPL-3.0-or-later
# More of tf.nn, against NumPy.
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

x = np.random.default_rng(0).normal(size=(2, 4, 6, 8)).astype(np.float32)
blocks = x.reshape(2, 2, 2, 3, 2, 8).transpose(0, 1, 3, 2, 4, 5).reshape(2, 2, 3, 32)
first = x.transpose(0, 3, 1, 2)
padded = np.pad(x**2, [(0, 0)] * 3 + [(2, 2)])
sums = sum(padded[..., i:i + 8] for i in range(5))
print(np.array_equal(tf.nn.space_to_depth(x, 2), blocks), np.array_equal(tf.nn.depth_to_space(blocks, 2), x),
      np.array_equal(tf1.space_to_depth(first, 2, data_format="NCHW"), blocks.transpose(0, 3, 1, 2)),
      np.allclose(tf.nn.lrn(x, 2, 1.0, 0.5, 0.75), x / (1 + 0.5 * sums) ** 0.75, atol=1e-5), np.allclose(tf.nn.softsign(x), x / (1 + abs(x))),
      np.array_equal(tf.nn.crelu(x), np.maximum(np.concatenate([x, -x], -1), 0)))
steps = x[0]
print(np.allclose(tf.nn.max_pool1d(steps, 2, 2, "VALID"), steps.reshape(4, 3, 2, 8).max(2)),
      np.allclose(tf.nn.avg_pool1d(steps, [2], [2], "VALID"), steps.reshape(4, 3, 2, 8).mean(2), atol=1e-6),
      np.allclose(tf.nn.max_pool1d(steps.transpose(0, 2, 1), 2, 2, "VALID", data_format="NCW"), steps.reshape(4, 3, 2, 8).max(2).transpose(0, 2, 1)))
labels = (x > 0.3).astype(np.float32)
wanted = labels * 3 * np.log1p(np.exp(-x)) + (1 - labels) * np.log1p(np.exp(x))
print(np.allclose(tf.nn.weighted_cross_entropy_with_logits(labels, x, 3.0), wanted, atol=1e-5))
top = tf.math.top_k(np.array([1.0, 3.0, 2.0], np.float32), 2)
print(top.values.numpy().tolist(), top.indices.numpy().tolist())
