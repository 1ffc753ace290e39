# SPDX-License-Identifier: GPL-3.0-or-later
"""Indices that lie outside, -1 too: the host says so as TensorFlow on a CPU does; in programs they read zeros and write nothing, and so they
do in gradients. By hand."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

table = np.array([[1, 2], [3, 4], [5, 6]])


def said(function, *arguments):
    try:
        print("no error", function(*arguments))
    except tf.errors.InvalidArgumentError as error:
        print(error.message)


for kind in ("float32", "float64", "int32"):
    x = tf.constant(table.astype(kind))
    print(kind)
    said(tf.gather, x, [0, -1])
    said(tf.gather, x, 3)
    said(lambda: tf.gather(x, [[0], [2], [1]], axis=1, batch_dims=1))
    said(tf.gather_nd, x, [[0, 1], [-1, 0]])
    said(tf.scatter_nd, [[-1]], x[:1], [3, 2])
    said(tf.tensor_scatter_nd_update, x, [[[0], [3]]], x[None, :2])
    said(tf.math.unsorted_segment_sum, x, [0, 1, 2], 2)
print(tf.math.unsorted_segment_sum(tf.constant(table), [0, -1, 0], 2).numpy().tolist())
said(tf.nn.embedding_lookup, tf.constant(table), [7])
said(ipu.embedding_ops.embedding_lookup, tf.constant(table.astype("f")), [-1], 3)
said(tf.Variable([1.0, 2.0]).scatter_nd_add, [[2]], [1.0])
said(tf.keras.layers.Embedding(5, 2), np.array([[4], [7]]))
said(tf.nn.sparse_softmax_cross_entropy_with_logits, [1, -1], table[:2].astype("f"))
with tf.GradientTape() as tape:
    said(tf.gather_nd, tf.Variable(table.astype("f")), [[-1]])

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()


def of_device(x, places):
    points = places[:, None]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        read = [tf.gather(x, places), tf.gather_nd(x, points), tf.nn.embedding_lookup(x, places), ipu.embedding_ops.embedding_lookup(x, places, 3),
                tf.gather(x[None], places[None], batch_dims=1)[0]]
        written = tf.tensor_scatter_nd_update(x, points, 10 * x)
        sums = tf.math.unsorted_segment_sum(x, places, 3)
        counted = tf.reduce_sum(read[0] * [[1.0], [10.0], [100.0]]), tf.reduce_sum(written), tf.reduce_sum(sums)
    return read, written, tf.scatter_nd(points, x, [3, 2]), sums, [tape.gradient(each, x) for each in counted], x[places[0]]


strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    made = strategy.run(tf.function(of_device), [tf.constant(table.astype("f")), tf.constant([-1, 3, 1])])
for each in tf.nest.flatten(made):
    print(np.asarray(each).astype(int).tolist())
