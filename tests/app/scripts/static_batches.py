# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that scripts say: a batch that a model's input names is that of all that is made of it; set_shape() of values, as functions of data
sets have them. By hand."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
L = keras.layers
with ipu.ipu_strategy.IPUStrategy().scope():
    given = keras.Input((4,), batch_size=8)
    hidden = L.Dense(6)(given)
    parts = tf.reshape(hidden, [hidden.shape[0], 2, -1])
    output = L.Dense(1)(L.Flatten()(parts))
    model = keras.Model(given, output)
    print(hidden.shape, parts.shape, output.shape, model.output_shape, model.layers[1].output_shape)
    lines = []
    model.summary(print_fn=lines.append)
    print([line.split("(", 2)[2].split(")")[0] for line in lines if "Dense" in line or "TFOpLambda" in line])
    model.compile("sgd", "mse", steps_per_execution=2)
    model.fit(np.ones((32, 4), "f"), np.ones((32, 1), "f"), batch_size=8, verbose=0)
    print(model.predict(np.ones((16, 4), "f"), batch_size=8).shape)
    open_ = keras.Input((4,))
    print(L.Dense(2)(open_).shape, keras.Sequential([L.Dense(3), L.Dense(2)])(given).shape)


def parsed(number):
    values = tf.numpy_function(lambda n: np.full(3, n, np.float32), [number], tf.float32)
    values.set_shape([3])
    return values


print([each.numpy().tolist() for each in tf.data.Dataset.range(2).map(parsed)])
value = tf.zeros([2, 3])
value.set_shape([None, 3])
try:
    value.set_shape([3, 3])
except ValueError as error:
    print(value.shape, error)
