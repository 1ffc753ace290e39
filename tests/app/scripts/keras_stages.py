# SPDX-License-Identifier: GPL-3.0-or-later
# A subclass of Model whose layers are assigned to stages trains as NumPy does.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
random = np.random.RandomState(0)
x, y = random.randn(16, 4).astype(np.float32), random.randn(16, 2).astype(np.float32)


class Scaled(keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight("scale", [2], initializer="ones")

    def call(self, inputs):
        return inputs * self.scale


class Staged(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = keras.layers.Dense(3, use_bias=False), keras.layers.Dense(2, use_bias=False), Scaled()

    def call(self, inputs):
        return self.third(self.second(self.first(inputs)))


with ipu.ipu_strategy.IPUStrategy().scope():
    model = Staged()
    model.build((4, 4))
    assignments = model.get_pipeline_stage_assignment()
    for each in assignments:
        each.pipeline_stage = 0 if each.layer is model.first else 1
    model.set_pipeline_stage_assignment(assignments)
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=4)
    model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=4)
    a, b, c = model.get_weights()
    model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
hidden = x @ a
output = hidden @ b
error = 2 * (output * c - y) / 8  # of each micro-batch's mean of 4 x 2 numbers
wanted = a - 0.1 * x.T @ (error * c @ b.T), b - 0.1 * hidden.T @ (error * c), c - 0.1 * (error * output).sum(0)
print([bool(np.allclose(own, by_hand, atol=1e-5)) for own, by_hand in zip(model.get_weights(), wanted)])
