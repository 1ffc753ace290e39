# SPDX-License-Identifier: GPL-3.0-or-later
"""Callbacks that are told each step of two replicas of a model with steps of its own, whose values an estimate does not compute."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
X = np.arange(32, dtype=np.float32).reshape(32, 1)


class Model(keras.Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.mean = keras.metrics.Mean(name="mean")

    def train_step(self, data):
        loss = tf.reduce_mean(data)
        self.mean.update_state(loss)
        return {"loss": loss, "mean": self.mean.result()}

    def test_step(self, data):
        return {"loss": tf.reduce_mean(data)}


class Seen(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.logs = []

    def on_train_batch_end(self, batch, logs=None):
        self.logs.append([batch, *sorted(logs), all(np.isnan(list(logs.values())))])

    def on_test_batch_end(self, batch, logs=None):
        self.logs.append([batch, *logs, all(np.isnan(list(logs.values())))])


with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((1,))
    model, seen = Model(inputs, keras.layers.Dense(1)(inputs)), Seen()
    model.compile("sgd", steps_per_execution=4)
    model.set_asynchronous_callbacks(True)
    model.fit(X, batch_size=4, shuffle=False, verbose=0, callbacks=[seen])
    print(seen.logs)
    seen.on_train_begin()
    model.evaluate(X, batch_size=4, verbose=0, callbacks=[seen])
    print(seen.logs)
