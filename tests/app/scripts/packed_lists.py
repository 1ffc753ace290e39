# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of tensors and numbers as tensors, loops whose bound is an argument, and loops over data sets; against NumPy and by hand."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


@tf.function
def of_lists(x, v):
    return (tf.concat([v[1:], [x]], 0), tf.stack([[x, 1.0], [2, x]]), tf.convert_to_tensor([x, x * 2]), v * [x, x, x], tf.reduce_sum([x, x, 1.0]),
            tf.reshape(v, [3, 1]) + [[x], [0.0], [x]], tf.reduce_mean([v, v * 3], axis=0), tf.matmul([v], [[1.0], [x], [x]]))


@tf.function
def grown(x, n):
    y = x
    while tf.reduce_sum(y) < 100.0 and n < 20:
        y = y * 1.5
        n += 1
    return y, n


@tf.function
def over_all(data):
    total = 0.0
    for x in data:
        total += tf.reduce_sum(x)
    return total


x, v = 5.0, np.array([1.0, 2.0, 3.0])
expected = ([2, 3, 5], [[5, 1], [2, 5]], [5, 10], v * 5, 11, [[6], [2], [8]], v * 2, [[26]])
with strategy.scope():
    made = strategy.run(of_lists, [tf.constant(x), tf.constant(v, tf.float32)])
    print([np.array_equal(one, other) for one, other in zip(made, expected)])
    for begin in ([1.0, 2.0], [-1.0, -2.0], [30.0, 80.0]):
        y, n, steps = np.array(begin), 2, strategy.run(grown, [tf.constant(begin), tf.constant(2)])
        while y.sum() < 100 and n < 20:
            y, n = y * 1.5, n + 1
        print(np.allclose(steps[0], y), int(steps[1]) == n, end=" ")
    try:
        strategy.run(over_all, [tf.data.Dataset.from_tensor_slices(v.astype("f"))])
    except tf.errors.UnimplementedError as error:
        print(error)
variable, watched = tf.Variable(2.0), tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(watched)
    value = tf.reduce_sum(tf.concat([[1.0], [variable]], 0) * [3.0, 4.0]) + tf.reduce_max([variable, 1.0]) + tf.reduce_sum([watched, watched * watched])
print([float(each) for each in tape.gradient(value, [variable, watched])])
with tf.Graph().as_default(), tf1.Session() as session:
    fed = tf1.placeholder(tf.float32, [])
    print([each.tolist() for each in session.run([tf.concat([[fed], [1.0, 2.0]], 0), tf.convert_to_tensor([fed, fed])], {fed: 4.0})])
