# SPDX-License-Identifier: GPL-3.0-or-later
"""Data sets that are made of others: the examples of TensorFlow's documentation."""
import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset


def values(dataset):
    return [np.asarray(each).tolist() for each in dataset]


def ones(x):
    return Dataset.from_tensors(x).repeat(6)


print(values(Dataset.range(1, 6).interleave(ones, cycle_length=2, block_length=4)))
print(values(Dataset.from_tensor_slices([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).flat_map(Dataset.from_tensor_slices)))
print(int(Dataset.range(5).reduce(np.int64(0), lambda x, _: x + 1)), int(Dataset.range(5).reduce(np.int64(0), lambda x, y: x + y)))
for made in (lambda: Dataset.range(3).interleave(lambda x: x), lambda: Dataset.range(3).flat_map(lambda x: [1]), lambda: Dataset.range(3).batch(0)):
    try:
        made()
    except (TypeError, ValueError) as error:
        print(error)
print(values(Dataset.range(6).filter(lambda x: x % 2 == 0)), tf.range(0.0, 1.0, 0.25).numpy().tolist(), tf.range(3, 18, 3).numpy().tolist())


# Windows, at whose end elements may be missing.
def windows(count, size, **settings):
    return [values(each) for each in Dataset.range(count).window(size, **settings)]


print(windows(7, 3), windows(7, 3, drop_remainder=True), windows(7, 3, shift=1, stride=2, drop_remainder=True))
print(windows(7, 2, shift=4, stride=2), windows(8, 2, shift=3), len(Dataset.range(7).window(3, shift=1)),
      len(Dataset.range(7).window(3, shift=1, stride=2, drop_remainder=True)))
print(values(Dataset.range(5).window(3, shift=1, drop_remainder=True).flat_map(lambda window: window.batch(3))))
pairs = Dataset.from_tensor_slices(([1.0, 2.0, 3.0, 4.0], [10, 20, 30, 40])).window(2)
for x, y in pairs.flat_map(lambda x, y: Dataset.zip((x.batch(2), y.batch(2)))):
    print(x.numpy().tolist(), y.numpy().tolist())

# Elements of several: where one ends, of other shapes and types, by weights that are 0 or change.
experimental = tf.data.experimental
three, tens = Dataset.range(3), Dataset.from_tensor_slices(np.array([10, 20, 30, 40]))
choice = Dataset.from_tensor_slices(np.array([0, 1, 0, 0, 0, 1, 1]))
print(values(experimental.choose_from_datasets([three, tens], choice)), values(Dataset.choose_from_datasets([three, tens], choice)),
      values(experimental.choose_from_datasets([three, tens], choice, stop_on_empty_dataset=True)))
print(values(experimental.sample_from_datasets([three, tens], [1.0, 0.0])), values(experimental.sample_from_datasets([three, tens], [0.0, 1.0])),
      values(experimental.sample_from_datasets([three, tens], [0.0, 0.0])))
turns = Dataset.from_tensor_slices(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 3.0], [2.0, 0.0]]))
print(values(experimental.sample_from_datasets([three, tens], turns)))
lines = [Dataset.from_tensors(np.ones(n, np.float32)) for n in (2, 3)]
print(experimental.sample_from_datasets(lines).element_spec, experimental.sample_from_datasets([three.take(0), tens]).element_spec.shape)
for made in (lambda: experimental.sample_from_datasets([three, lines[0]]), lambda: Dataset.choose_from_datasets([three, Dataset.zip((three, tens))], choice),
             lambda: experimental.sample_from_datasets([]), lambda: experimental.sample_from_datasets([three, tens], [1.0]),
             lambda: values(Dataset.choose_from_datasets([three, tens], Dataset.from_tensor_slices(np.array([0, -1])))),
             lambda: values(Dataset.choose_from_datasets([three, tens], Dataset.range(5))),
             lambda: Dataset.choose_from_datasets([three, tens], lines[0]),
             lambda: values(experimental.sample_from_datasets([three, tens], Dataset.from_tensors(np.zeros(2, np.float32))))):
    try:
        made()
    except (TypeError, ValueError) as error:
        print(error)
    except tf.errors.InvalidArgumentError as error:
        print(error.message)
