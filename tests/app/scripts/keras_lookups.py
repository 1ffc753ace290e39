# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of Keras that take what they know from data, and data sets of elements of about one length. By hand, or against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers.experimental.preprocessing import CategoryEncoding, IntegerLookup, Normalization, StringLookup
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()

# Words by how often they come, of those that come as often the last in the alphabet first.
words = StringLookup()
words.adapt(np.array([["b"], ["a"], ["b"], ["c"]]))
print(words.get_vocabulary(), words(tf.constant([["a", "z"], ["b", "c"]])).numpy().tolist(), words("b").numpy())
told = StringLookup(vocabulary=["x", "y"], mask_token="")
back = StringLookup(vocabulary=told.get_vocabulary(), mask_token="", invert=True)
print(told.get_vocabulary(), told(["", "y", "?"]).numpy().tolist(), back([3, 1, 0]).numpy().tolist(),
      StringLookup(vocabulary=["x", "y"], output_mode="multi_hot")([["x", "q"], ["y", "y"]]).numpy().tolist())
print(list(tf.data.Dataset.from_tensor_slices(["x", "y"]).map(told).as_numpy_iterator()),
      tf.strings.unicode_split("añb", "UTF-8").numpy().tolist() == [b"a", "ñ".encode(), b"b"])
numbers = IntegerLookup()
numbers.adapt(tf.data.Dataset.from_tensor_slices([5, 7, 5]).batch(2))
print(numbers.get_vocabulary(), numbers([7, 5, 1]).numpy().tolist())
for bad in (lambda: StringLookup(vocabulary=["a", "a"]), lambda: StringLookup()("a"), lambda: IntegerLookup(vocabulary=[1], num_oov_indices=0)([2]),
            lambda: words(keras.Input((1,), dtype="string")), lambda: CategoryEncoding(), lambda: StringLookup(num_oov_indices=3)):
    try:
        bad()
    except Exception as error:  # pylint: disable=broad-except
        print(type(error).__name__, error)

x = (np.random.default_rng(0).random((16, 3)) * 5).astype(np.float32)
with ipu.ipu_strategy.IPUStrategy().scope():
    given = keras.Input((2,), dtype="int32")
    made = [numbers(given), IntegerLookup(vocabulary=[5, 7], mask_token=0)(given), CategoryEncoding(8, output_mode="count")(given),
            IntegerLookup(vocabulary=[5, 7], output_mode="multi_hot")(given)]
    for each in keras.Model(given, made).predict(np.array([[5, 0], [7, 7]], np.int32), batch_size=2):
        print(each.tolist())
    normal = Normalization()
    normal.adapt(x)
    wanted = (x - x.mean(0)) / x.std(0)
    model = keras.Sequential([keras.Input((3,)), normal, keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, x[:, :1], batch_size=8, verbose=0)
    kernel, bias = model.get_weights()[3:]
    one = Normalization(axis=None)
    one.adapt(tf.data.Dataset.from_tensor_slices(x).batch(5))
    print("normal", *(bool(np.allclose(a, b, rtol=1e-3, atol=1e-4)) for a, b in (
        (normal(x), wanted), (model.predict(x, batch_size=8), wanted @ kernel + bias), (one(x), (x - x.mean()) / x.std()))), normal.get_weights()[2])

rows = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4, 5, 6, 7]).map(lambda v: tf.repeat(v, v))
buckets = tf.data.experimental.bucket_by_sequence_length
print([each.numpy().tolist() for each in rows.apply(buckets(lambda each: tf.shape(each)[0], [3, 5], [2, 2, 2]))])
print([each.shape.as_list() for each in rows.take(4).bucket_by_sequence_length(
    lambda each: tf.shape(each)[0], [4, 6], [3, 2, 1], [None], -1, pad_to_bucket_boundary=True)])
print(list(tf.data.experimental.Counter(3, 2).take(3).as_numpy_iterator()), len(keras.datasets.imdb.get_word_index()))
statistics = tf.data.Options()
statistics.experimental_stats.aggregator = tf.data.experimental.StatsAggregator()
print(list(tf.data.Dataset.range(2).with_options(statistics).as_numpy_iterator()))


class Listening(keras.callbacks.Callback):
    """What predict() tells after each engine run."""

    def on_predict_batch_end(self, batch, logs=None):
        print("predicted", batch, np.array_equal(logs["outputs"], found[4 * batch:4 * batch + 4]))


found = model.predict(x, batch_size=4)
model.predict(x, batch_size=4, callbacks=[Listening()])
