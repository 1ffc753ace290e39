# SPDX-License-Identifier: GPL-3.0-or-later
"""Accumulated gradients of replicas: sums over replicas, of the sums or the means of their micro-batches; against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 4
config.configure_ipu_system()
draw = np.random.RandomState(0)
X, Y = draw.randn(64, 4).astype("f"), draw.randn(64, 1).astype("f")
first = [draw.randn(4, 3).astype("f"), draw.randn(3, 1).astype("f")]


class OwnStep(keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


def gradients(w, v, number):
    x, y = X[4 * number:4 * number + 4], Y[4 * number:4 * number + 4]
    error = 2 * (x @ w @ v - y) / 4
    return x.T @ error @ v.T, (x @ w).T @ error


def wanted(divisor):
    weights = first
    for update in range(2):
        parts = [gradients(*weights, 8 * update + number) for number in range(8)]
        weights = [each - 0.01 * sum(of_weight) / divisor for each, of_weight in zip(weights, zip(*parts))]
    return weights


with ipu.ipu_strategy.IPUStrategy().scope():
    for kind in ("plain", "scaled", "piped", "own step"):
        model = (OwnStep if kind == "own step" else keras.Sequential)([
            keras.layers.Dense(3, use_bias=False, input_shape=(4,)), keras.layers.Dense(1, use_bias=False)])
        optimizer, count = keras.optimizers.SGD(0.01), 4 if kind == "piped" else 2  # replicas of two IPUs, or of one
        if kind == "scaled":
            optimizer = keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=8)
        if kind == "piped":
            model.set_pipeline_stage_assignment([0, 1])
        for reduction in ("mean", "sum"):
            model.set_weights(first)
            options = model.set_pipelining_options if kind == "piped" else model.set_gradient_accumulation_options
            options(gradient_accumulation_steps_per_replica=count, gradient_accumulation_reduction_method=reduction)
            model.compile(optimizer, "mse", steps_per_execution=count)
            model.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
            print(kind, reduction, [bool(np.allclose(a, b, rtol=1e-3, atol=1e-5)) for a, b in zip(
                model.get_weights(), wanted(count if reduction == "mean" else 1))])
