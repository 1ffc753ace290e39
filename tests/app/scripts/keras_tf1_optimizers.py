# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimisers of TensorFlow 1, and those of ipu.optimizers, in Keras' fit: one update against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

X = np.array([[1.0, 2.0], [3.0, -1.0]], np.float32)
T = np.array([[1.0], [2.0]], np.float32)
FIRST = np.array([[0.5], [-0.25]], np.float32)


def gradient(x, t):
    return 2 * x.T @ (x @ FIRST - t) / len(x)


def trained(ipus, optimizer, regularizer=None):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_regularizer=regularizer, input_shape=(2,))])
        model.compile(loss="mse", optimizer=optimizer, steps_per_execution=1)
        model.set_weights([FIRST])
        history = model.fit(X, T, batch_size=1 if ipus > 1 else 2, shuffle=False, verbose=0).history
        penalty = 0 if regularizer is None else 0.3 * (FIRST ** 2).sum()
        assert ipus > 1 or np.isclose(history["loss"][0], ((X @ FIRST - T) ** 2).mean() + penalty)
    return model.get_weights()[0]


sgd = lambda: tf.compat.v1.train.GradientDescentOptimizer(0.1)
parts = [gradient(X[i:i + 1], T[i:i + 1]) for i in range(2)]
print(np.allclose(trained(1, sgd()), FIRST - 0.1 * gradient(X, T), atol=1e-6))
print(np.allclose(trained(2, ipu.optimizers.CrossReplicaOptimizer(sgd())), FIRST - 0.1 * sum(parts) / 2, atol=1e-6))


class Doubling(tf.compat.v1.train.Optimizer):
    """An optimizer of the script's own."""

    def __init__(self, optimizer):
        super().__init__(False, "Doubling")
        self._optimizer = optimizer

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return [(2.0 * gradient, variable) for gradient, variable in self._optimizer.compute_gradients(loss, var_list)]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return self._optimizer.apply_gradients(grads_and_vars, global_step, name)


# What the layer's regulariser adds to the loss, 0.3 w^2, is differentiated as well.
print(np.allclose(trained(1, Doubling(sgd()), keras.regularizers.L2(0.3)),
                  FIRST - 0.1 * 2 * (gradient(X, T) + 0.6 * FIRST), atol=1e-6))
trained(1, ipu.optimizers.GradientAccumulationOptimizerV2(sgd(), 2))
