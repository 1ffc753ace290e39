# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of Keras tensors, windows of series, pairs of words, tables and texts of the host, checks. By hand, or against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(3, activation="relu", input_shape=(4,)), keras.layers.Dense(2)])
inner = keras.backend.function([model.input], [model.layers[0].output, model.output])
x = np.random.default_rng(0).random((5, 4)).astype(np.float32)
hidden, made = inner([x])
kernel, bias, other, shift = model.get_weights()
print(np.allclose(hidden, np.maximum(x @ kernel + bias, 0), rtol=1e-5), np.allclose(made, hidden @ other + shift, rtol=1e-4, atol=1e-6),
      keras.backend.function(model.input, model.output)(x).shape)

# Windows of 4 numbers, each second one of them, that end before 4, 7, 10 and so on.
windows = keras.preprocessing.sequence.TimeseriesGenerator(np.arange(20), np.arange(20), length=4, sampling_rate=2, stride=3, batch_size=2)
print(len(windows), windows[0][0].tolist(), windows[0][1].tolist(), windows[len(windows) - 1][1].tolist())
pairs, labels = keras.preprocessing.sequence.skipgrams([1, 2, 3], 10, window_size=1, seed=1)
print(sorted(pair for pair, label in zip(pairs, labels) if label == 1), sum(labels), len(labels), keras.preprocessing.sequence.make_sampling_table(4).round(5))

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1)
print(table.lookup(tf.constant([["b", "z"]])).numpy(), table["a"].numpy(), int(table.size()),
      list(tf.data.Dataset.from_tensor_slices(["a", "q"]).map(table.lookup).as_numpy_iterator()))
words = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([5, 7], ["x", "y"], tf.int64, tf.string), "?")
print(words.lookup(tf.constant([7, 1], tf.int64)).numpy())
with open("words.txt", "w", encoding="utf-8") as file:
    file.write("one\ntwo\n")
index = tf.lookup.TextFileIndex
numbered = tf.lookup.TextFileInitializer("words.txt", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
print(tf.lookup.StaticHashTable(numbered, -1).lookup(tf.constant(["two", "three"])).numpy())
print(tf.strings.substr("hello", 1, 3).numpy(), tf.strings.substr(["abc", "xyz"], -2, 2).numpy(),
      tf.strings.format("a {} b {}", (tf.constant(3), "t")).numpy(), tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="-").numpy(),
      tf.strings.reduce_join(["x", "y"]).numpy())
tf.debugging.assert_near(1.0, 1.0 + 1e-7)
tf.debugging.assert_shapes([(tf.ones((2, 3)), ("N", 3)), (tf.ones((2,)), ("N",))])
for bad in (lambda: tf.debugging.assert_near(1.0, 1.1), lambda: tf.debugging.assert_shapes([(tf.ones((2, 3)), ("N", "N"))]),
            lambda: tf.debugging.assert_all_finite(tf.constant([np.nan]), "here"), lambda: tf.data.experimental.get_single_element(tf.data.Dataset.range(2)),
            lambda: tf.function(table.lookup)(tf.constant(["a"])).numpy()):
    try:
        print(bad())
    except Exception as error:  # pylint: disable=broad-except
        print(type(error).__name__, error)
print(int(tf.data.Dataset.range(3, 4).get_single_element()), tf.debugging.is_numeric_tensor(tf.constant(1)), keras.backend.in_train_phase(1, 2, training=True))
