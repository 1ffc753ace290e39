# SPDX-License-Identifier: GPL-3.0-or-later
# == and != compare numbers in TensorFlow 2: at once, in programs, in tapes and of Keras' tensors.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


@tf.function
def hits(labels, found):
    return tf.reduce_sum(tf.cast(labels == found, tf.float32)), tf.cast(labels != found, tf.int32), found == 5


with strategy.scope():
    print(*strategy.run(hits, args=[tf.constant([1, 2, 3]), tf.constant([1, 5, 3])]))
a, v = tf.constant([1, 2]), tf.Variable([1.0, 2.0])
print(a == 1, a != 1, a == [1, 3], a == tf.constant([1, 2, 3]), a == None)  # noqa: E711
print(v == [1.0, 5.0], v != 2.0, v == None, v == v)  # noqa: E711
print(tf.constant("a") == "a", tf.constant(["a", "b"]) != ["a", "c"])
with tf.GradientTape() as tape:
    y = v * tf.cast(v == 1.0, tf.float32)
print(tape.gradient(y, v))
i = keras.Input((3,))
o = i * tf.cast(i == 1.0, tf.float32) + tf.cast(i != 2.0, tf.float32) + tf.cast((i < 2.0) | (i >= 3.0), tf.float32)
print(keras.Model(i, o + abs(i) % 2.0).predict(np.array([[1, -2, 3]], np.float32)))
print(repr(tf.constant(3.0)), repr(tf.Variable(2)))
