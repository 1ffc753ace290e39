# SPDX-License-Identifier: GPL-3.0-or-later
"""A model trains on the IPU; as the argument says, the host computes layers, updates and a model of its own before it and after it."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

kind = sys.argv[1]
x, y = np.ones((8, 4), np.float32), np.zeros((8, 2), np.float32)


def train():
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    model.fit(x, y, batch_size=4, verbose=0)
    return model


if kind == "before":
    train()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
if kind in ("beside", "host"):
    tf.keras.layers.Dense(3)(x)
    tf.keras.Sequential([tf.keras.layers.Rescaling(2.0)])(x)
    variable = tf.Variable(2.0)
    tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant(1.0), variable)])
    print(variable.numpy(), train().predict(x).shape)
if kind != "host":
    with ipu.ipu_strategy.IPUStrategy().scope():
        train()
if kind == "beside":
    train()
