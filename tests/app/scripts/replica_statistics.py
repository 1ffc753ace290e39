# SPDX-License-Identifier: GPL-3.0-or-later
"""Running statistics of batch norms on two replicas: those of the first one's batches, however the model is made; and a metric of the
script's own beside them, whose variables each replica has by itself."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
MEANS = [1, 3, 5, 7]  # of the batches, which the replicas take in turn
x = np.repeat(np.float32(MEANS), 2)[:, None]
y = np.repeat(np.float32([0, 2, 0, 4]), 2)[:, None]  # nothing for the first one to add up
EPOCHS, MOMENTUM = 2, 0.9


class Total(keras.metrics.Metric):
    def __init__(self, name="total", **kwargs):
        super().__init__(name=name, **kwargs)
        self.sum = self.add_weight(name="sum", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.sum.assign_add(tf.reduce_sum(y_true))

    def result(self):
        return self.sum


class Passed(keras.layers.Layer):
    def call(self, inputs):
        return inputs * 1.0


expected = 0.0
for mean in EPOCHS * MEANS[::2]:
    expected = MOMENTUM * expected + (1 - MOMENTUM) * mean
for name, layers, metric in (("workload", [], None), ("metric", [], Total), ("layer", [Passed()], Total)):
    with ipu.ipu_strategy.IPUStrategy().scope():
        norm = keras.layers.BatchNormalization(momentum=MOMENTUM)
        model = keras.Sequential([keras.Input((1,)), *layers, norm])
        model.compile("sgd", "mse", metrics=[metric()] if metric else ["mae"], steps_per_execution=2)
        history = model.fit(x, y, batch_size=2, epochs=EPOCHS, shuffle=False, verbose=0).history
        print(name, abs(float(norm.moving_mean.numpy()[0]) - expected) < 1e-6, history.get("total"))
