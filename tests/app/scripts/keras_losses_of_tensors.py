# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of Keras that are called on the tensors of a functional model, as autoencoders do."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.default_rng(1).uniform(0.1, 0.9, (16, 4)).astype(np.float32)
with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(2)(inputs)
    outputs = keras.layers.Dense(4, activation="sigmoid")(hidden)
    model = keras.Model(inputs, outputs)
    model.add_loss(keras.backend.mean(keras.losses.binary_crossentropy(inputs, outputs) * 4))
    model.add_loss(keras.losses.Huber(0.25)(y_true=inputs, y_pred=outputs))
    model.add_metric(keras.losses.mae(inputs, outputs), name="mae", aggregation="mean")
    model.compile("sgd")
    first, shift, second, other = model.get_weights()
    y = 1 / (1 + np.exp(-((x @ first + shift) @ second + other)))
    apart = np.abs(x - y)
    wanted = [np.mean(4 * np.mean(-x * np.log(y) - (1 - x) * np.log(1 - y), -1)) +
              np.mean(np.where(apart <= 0.25, apart ** 2 / 2, 0.25 * apart - 0.25 ** 2 / 2)), np.mean(apart)]
    print(np.allclose(model.evaluate(x, batch_size=8, verbose=0), wanted, atol=1e-5))
    before = model.evaluate(x, batch_size=8, verbose=0)[0]
    model.fit(x, batch_size=8, epochs=20, verbose=0)
    print(model.evaluate(x, batch_size=8, verbose=0)[0] < before)
    print([layer.name for layer in model.layers[3:]])
