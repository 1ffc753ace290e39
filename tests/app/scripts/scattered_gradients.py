# SPDX-License-Identifier: GPL-3.0-or-later
"""First gradients through scatters, segments and products with zeros: of the sum of the results, each times its number from 1 on."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
x, updates, places = np.float32([3, 1, 4, 1]), np.float32([3, 5, 5, 0]), [[0], [2], [2], [1]]
segments, in_order = np.int32([0, 1, 1, 0, 3]), np.int32([0, 0, 1, 1, 3])
values = np.float32([2, 5, 5, -1, 7])
CASES = {
    "largest": (lambda a, b: tf.tensor_scatter_nd_max(a, places, b), x, updates),
    "smallest": (lambda a, b: tf.tensor_scatter_nd_min(a, places, b), x, updates),
    "update": (lambda a, b: tf.tensor_scatter_nd_update(a, [[0], [2], [1]], b), x, updates[:3]),
    "segment_max": (lambda a: tf.math.unsorted_segment_max(a, segments, 4)[:2], values),
    "segment_min": (lambda a: tf.math.unsorted_segment_min(a, segments, 4)[:2], values),
    "segment_prod": (lambda a: tf.math.unsorted_segment_prod(a, segments, 4), values),
    "a_zero": (lambda a: tf.math.unsorted_segment_prod(a, segments, 4), np.float32([0, 5, 0, -1, 7])),
    "two_zeros": (lambda a: tf.math.unsorted_segment_prod(a, segments, 4), np.float32([3, 0, 0, -1, 7])),
    "sorted_max": (lambda a: tf.math.segment_max(a, in_order), values), "sorted_min": (lambda a: tf.math.segment_min(a, in_order), -values),
    "sorted_prod": (lambda a: tf.math.segment_prod(a, in_order), values),
    "prod": (tf.reduce_prod, np.float32([2, 0, 4])), "prod_0": (tf.reduce_prod, np.float32([0, 0, 4])),
    "rows": (lambda a: tf.reduce_prod(a, 1), np.float32([[1, 2, 0], [0, 3, 0], [2, 2, 3]])),
    "cumprod": (tf.math.cumprod, np.float32([2, 0, 4])), "cumprod_0": (tf.math.cumprod, np.float32([0, 0, 4])),
    "exclusive": (lambda a: tf.math.cumprod(a, exclusive=True), np.float32([2, 0, 4])),
    "reverse": (lambda a: tf.math.cumprod(a, reverse=True), np.float32([2, 0, 4]))}
for name, (function, *given) in CASES.items():
    def slopes(*tensors):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            made = function(*tensors)
            numbers = np.arange(1, int(np.prod(made.shape)) + 1, dtype="f").reshape(made.shape)
            total = tf.reduce_sum(made * numbers)
        return [made, *tape.gradient(total, list(tensors))]
    tensors = [tf.constant(each) for each in given]
    with strategy.scope():
        of_device = strategy.run(tf.function(slopes), tensors)
    found = [[each.numpy().tolist() for each in made] for made in (slopes(*tensors), of_device)]
    print(name, found[0], found[0] == found[1])
