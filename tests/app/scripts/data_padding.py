# SPDX-License-Identifier: GPL-3.0-or-later
# Elements that are padded, carried along, and ended early.
import numpy as np
import tensorflow as tf


def rows():
    for n in range(1, 5):
        yield np.full([n], n, np.int32)


ragged = tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec([None], tf.int32))
print([batch.numpy().tolist() for batch in ragged.padded_batch(2)])
print([batch.numpy().tolist() for batch in ragged.padded_batch(3, [5], -1, drop_remainder=True)])
print(ragged.padded_batch(3, [5], drop_remainder=True).element_spec, ragged.padded_batch(3).element_spec)


def nested():
    for n in range(1, 4):
        yield np.full([n, 1], n, np.float32), n, {"a": np.full([n], 1)}


parts = tf.data.Dataset.from_generator(nested, (tf.float32, tf.int32, {"a": tf.int64}), ([None, 1], [], {"a": [None]}))
for first, second, third in parts.padded_batch(3, ([4, 1], [], {"a": [None]}), (9.0, 0, {"a": np.int64(7)})):
    print(first.numpy()[:, :, 0].tolist(), second.numpy().tolist(), third["a"].numpy().tolist())
try:
    list(ragged.padded_batch(2, [2]))
except tf.errors.DataLossError as error:
    print(error)
try:
    list(parts.padded_batch(2, ([4, 1], [])))
except ValueError as error:
    print(error)

numbers = tf.data.Dataset.range(10)
print(list(numbers.take_while(lambda n: n < 5).as_numpy_iterator()))
print(list(numbers.scan(np.int64(0), lambda state, n: (state + n, state * n)).as_numpy_iterator()))
summed = numbers.apply(tf.data.experimental.scan(np.int64(0), lambda state, n: (state + n, state + n)))
print(list(summed.apply(tf.data.experimental.take_while(lambda n: n < 20)).as_numpy_iterator()), len(summed))
try:
    list(numbers.unbatch())
except ValueError as error:
    print(error)
