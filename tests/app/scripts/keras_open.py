# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of models whose extents are open beside that of the batch: what is said of shapes, and programs of the extents of the data."""
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
random = np.random.default_rng(0)


def close(a, b):
    return bool(np.allclose(a, b, rtol=1e-4, atol=1e-5))


with ipu.ipu_strategy.IPUStrategy().scope():
    words = keras.Input((None,), dtype="int32")
    x = layers.Bidirectional(layers.LSTM(4, return_sequences=True))(layers.Embedding(50, 8)(words))
    model = keras.Model(words, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
    model.summary(line_length=70, print_fn=lambda line: print(line.split()[-2:]) if "(" in line and "Layer" not in line else None)
    print(tuple(x.shape), model.input_shape, model.output_shape, model.count_params())
    model.compile("sgd", "mse")
    for length in (7, 11, 7):
        model.fit(random.integers(0, 50, (16, length)), np.zeros(16), batch_size=8, verbose=0)
    short = random.integers(0, 50, (16, 5))
    fixed = keras.Sequential([keras.Input((5,), dtype="int32"), *model.layers[1:]])
    print(close(fixed.predict(short, batch_size=16), model.predict(short, batch_size=16)), model(short[:2]).shape,
          close(model.evaluate(short, np.zeros(16), batch_size=16, verbose=0), (fixed.predict(short, batch_size=16) ** 2).mean()))

    images = keras.Input((None, None, 3))
    x = layers.Conv2D(4, 3, strides=2, padding="same")(images)
    base = keras.Model(images, layers.GlobalMaxPooling2D()(x))
    print(base.layers[1].output_shape, base.output_shape)
    base.compile("adam", "mse")
    base.fit(random.random((8, 16, 20, 3)), np.zeros((8, 4)), batch_size=4, verbose=0)
    inner = keras.Input((12, 10, 3))
    given = random.random((2, 12, 10, 3)).astype(np.float32)
    print("within", close(keras.Model(inner, base(inner)).predict(given, batch_size=2), base.predict(given, batch_size=2)))
    path = os.path.join(tempfile.mkdtemp(), "open.h5")
    base.save(path)
    again = keras.models.load_model(path)
    print("again", again.input_shape, close(again.predict(given, batch_size=2), base.predict(given, batch_size=2)))

    rows = keras.Input((None, 4))
    means = tf.reduce_mean(layers.Dense(3, use_bias=False)(rows) * 2.0, 1)
    python = keras.Model(rows, means)
    values = random.random((4, 6, 4)).astype(np.float32)
    print("python", tuple(means.shape), close(python.predict(values, batch_size=4), (values @ python.get_weights()[0] * 2).mean(1)))

# Weights that would follow from an open extent; a call that fails is no example of what a model is called on.
try:
    keras.Model(rows, layers.Dense(1)(layers.Flatten()(rows))).count_params()
except ValueError as error:
    print(error)


class Scaled(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(2)

    def call(self, inputs, scale):
        return self.dense(inputs) * scale


scaled = Scaled()
for further in ((), (2.0, 3.0), (2.0,)):
    try:
        print(scaled(values, *further).shape, len(scaled.weights))
    except TypeError as error:
        print(error)
