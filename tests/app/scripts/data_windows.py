# SPDX-License-Identifier: GPL-3.0-or-later
"""Data sets of windows by a key, of each element once, and of a length that is said; convolutions that Poplar does at once."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

Dataset, experimental = tf.data.Dataset, tf.data.experimental


def elements(dataset):
    return [each.tolist() for each in dataset.as_numpy_iterator()]


print(elements(Dataset.range(7).group_by_window(lambda x: x % 2, lambda key, rows: rows.batch(2), 2)))
print(elements(Dataset.range(8).apply(experimental.group_by_window(
    lambda x: x % 3, lambda key, rows: rows.map(lambda x: x * 10 + key), window_size_func=lambda key: key + 1))))
print(elements(Dataset.from_tensor_slices([3, 1, 3, 2, 1]).unique()),
      Dataset.range(6).group_by_window(lambda x: x % 2, lambda key, rows: rows.batch(3, drop_remainder=True), 3).element_spec)
print(len(Dataset.range(9).filter(lambda x: x > 4).apply(experimental.assert_cardinality(4))))
for wrong in (lambda: elements(Dataset.range(4).apply(experimental.assert_cardinality(3))),
              lambda: elements(Dataset.range(4).apply(experimental.assert_cardinality(5))),
              lambda: Dataset.range(3).group_by_window(lambda x: x, lambda key, rows: rows)):
    try:
        wrong()
    except (ValueError, tf.errors.FailedPreconditionError) as error:
        print(error)

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.RandomState(0).rand(2, 4, 4, 3).astype(np.float32)


@ipu.nn_ops.multi_conv
def both(x):
    return tf.nn.conv2d(x, tf.ones([1, 1, 3, 2]), 1, "SAME"), tf.nn.conv2d(x, tf.ones([2, 2, 3, 1]), 1, "VALID")


found = ipu.ipu_strategy.IPUStrategy().run(tf.function(both), [tf.constant(x)])
sums = x.sum(-1, keepdims=True)
print(np.allclose(found[0], np.repeat(sums, 2, -1)), np.allclose(found[1], sums[:, 1:, 1:] + sums[:, :-1, 1:] + sums[:, 1:, :-1] + sums[:, :-1, :-1]))

# What is built runs no generator that is not run afterwards, and says what it is made with.
begun = []
source = iter(range(1, 9))


def numbers():
    begun.append(1)
    yield from source


given = Dataset.from_generator(numbers, output_signature=tf.TensorSpec((), tf.int64)).map(lambda x: x * 2)
given = given.group_by_window(lambda x: x % 4, lambda key, rows: rows.batch(2), 2).map(lambda x: x + 1)
given = given.scan(np.int64(0), lambda total, x: (total + tf.reduce_sum(x), (total.numpy(), x)))
print(given.element_spec[1].shape, len(begun), [[int(total), x.tolist()] for total, x in given.as_numpy_iterator()], len(begun))
for size in (lambda: {"window_size": 0}, lambda: {"window_size_func": lambda key: key * 0}):
    try:
        elements(Dataset.range(3).group_by_window(lambda x: x, lambda key, rows: rows, **size()))
    except tf.errors.InvalidArgumentError as error:
        print(error.message)
options = tf.data.Options()
options.deterministic, options.threading.private_threadpool_size = False, 4
more = tf.data.Options()
more.experimental_slack = True
found = Dataset.range(3).with_options(options).with_options(more).options()
print(found.deterministic, found.threading.private_threadpool_size, found.experimental_slack, more.deterministic, Dataset.range(3).options().deterministic)
