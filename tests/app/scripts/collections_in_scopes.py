# SPDX-License-Identifier: GPL-3.0-or-later
"""Collections of a graph by regular expressions, with the weights of Keras' layers, each of its own model."""
import tensorflow.compat.v1 as tf
from tensorflow import keras

tf.disable_v2_behavior()
for name in ("gen/a", "disc/b", "c"):
    tf.get_variable(name, [1], use_resource=True)
x = tf.placeholder(tf.float32, [2, 3])
for _ in range(2):
    keras.Sequential([keras.layers.Dense(2, name="d")])(x)
print(len(tf.trainable_variables()), len(tf.get_collection("trainable_variables")))
print([each.name for each in tf.trainable_variables("gen|disc")], [each.name for each in tf.get_collection("variables", ".*/b:")])
