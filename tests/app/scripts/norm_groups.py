# SPDX-License-Identifier: GPL-3.0-or-later
"""Batch norms with the statistics of both replicas, beside one replica with the samples of both."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(64, 6)).astype(np.float32)
Y = (X[:, :1] * X[:, 1:2] + 2).astype(np.float32)
FIRST = [RANDOM.normal(size=(6, 5)).astype(np.float32), RANDOM.normal(size=(5, 1)).astype(np.float32)]


def configure(replicas, group):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = replicas
    config.norms.experimental.distributed_batch_norm_replica_group_size = group
    config.configure_ipu_system()


class Own(keras.Model):
    """The same model in Python."""

    def __init__(self, parts):
        super().__init__()
        self.parts = parts

    def call(self, x, training=False):
        for part in self.parts:
            x = part(x, training=training) if part.name.startswith("norm") else part(x)
        return x * 1.0


def trained(replicas, group, own=False):
    """Trained weights."""
    configure(replicas, group)
    with ipu.ipu_strategy.IPUStrategy().scope():
        parts = [keras.layers.Dense(5, use_bias=False, activation="tanh", input_shape=(6,)),
                 keras.layers.BatchNormalization(momentum=0.5, name="norm"), keras.layers.Dense(1, use_bias=False)]
        model = Own(parts) if own else keras.Sequential(parts)
        model.build((None, 6))
        # Gradients are added up over replicas.
        model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.1 / replicas), steps_per_execution=8 // replicas)
        parts[0].set_weights(FIRST[:1])
        parts[2].set_weights(FIRST[1:])
        model.fit(X, Y, batch_size=8 // replicas, shuffle=False, epochs=3, verbose=0)
        return [array for layer in parts for array in layer.get_weights()]


def apart(some, others):
    return max(float(np.abs(a - b).max()) for a, b in zip(some, others))


one = trained(1, 1)
print("in groups:", apart(trained(2, 2), one) < 1e-4)
print("in Python:", apart(trained(2, 2, True), one) < 1e-4)
print("by themselves:", apart(trained(2, 1), one) < 1e-3)
for replicas, group, own in ((2, 3, False), (2, 3, True), (1, 2, False)):
    try:
        trained(replicas, group, own)
    except Exception as error:
        print(str(error).split("replica_group_size: ")[-1])
configure(2, 2)
try:
    strategy = ipu.ipu_strategy.IPUStrategy()
    with strategy.scope():
        print(strategy.run(tf.function(lambda x: x + 1.0), [tf.constant(1.0)]))
except Exception as error:
    print(str(error).split(": ", 1)[-1])
