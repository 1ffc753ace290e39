# SPDX-License-Identifier: GPL-3.0-or-later
"""Models, layers and metrics that are made outside of the scope of an IPUStrategy: where they run, or what Keras says."""
import re

import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
x, y = np.ones((8, 4), np.float32), np.zeros((8, 2), np.float32)


def dense(**kwargs):
    return tf.keras.layers.Dense(2, kernel_initializer="ones", **kwargs)


def compiled(model, **kwargs):
    model.compile(tf.keras.optimizers.SGD(0.0), "mse", **kwargs)
    return model


def fit(model):
    """(1 + 1 + 1 + 1) ** 2 in each output."""
    return model.fit(x, y, batch_size=4, verbose=0).history["loss"]


def fails(function):
    try:
        print("nothing failed:", function())
    except ValueError as error:
        told = re.sub(r"<tf.Variable ('[^']*').*?>\)", r"\1)", str(error), flags=re.S)
        print(re.sub("<.*?>", "…", told).partition(". ")[0])


outside = tf.keras.Sequential([dense(input_shape=(4,))])
compiled(outside)
print("outside", fit(outside), fit(outside))
for run in (lambda: compiled(outside), lambda: fit(outside), lambda: outside.evaluate(x, y), lambda: outside.predict(x)):
    with strategy.scope():
        fails(run)

late = tf.keras.Sequential([dense()])  # has no variables yet
with strategy.scope():
    print("late", fit(compiled(late)))
print("later", fit(late))
early = compiled(tf.keras.Sequential([dense()]))
fit(early)
with strategy.scope():
    fails(lambda: fit(early))

inputs = tf.keras.Input((4,))
outputs = dense()(inputs)
built = dense()
built.build((None, 4))
with strategy.scope():
    fails(lambda: compiled(tf.keras.Model(inputs, outputs)))
    fails(lambda: compiled(tf.keras.Sequential([tf.keras.Input((4,)), built])))
    inside = tf.keras.Sequential([dense()])
    compiled(inside, metrics=[tf.keras.metrics.MeanSquaredError()])
print("inside", fit(inside))
fails(lambda: compiled(inside, metrics=[tf.keras.metrics.MeanSquaredError()]))
print("again", fit(compiled(inside, metrics=["mae"])))
