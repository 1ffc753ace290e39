# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that a function is given: the ones that it assigns to, as in the update of a target network; by hand, and by NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


@tf.function
def moved(to, by, factor):
    to.assign_add(by * factor)
    return to + 0.0


@tf.function
def averaged(means, now, share):
    for mean, each in zip(means, now):
        mean.assign(each * share + mean * (1 - share))


with strategy.scope():
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    for given in ((a, b), (b, a), (a, b)):
        print(strategy.run(moved, args=(*given, 2.0)).numpy().tolist(), a.numpy().tolist(), b.numpy().tolist())
    model, target = (keras.Sequential([keras.layers.Dense(2, input_shape=(3,))]) for _ in range(2))
    for one, other, share in ((target, model, 0.25), (target, model, 0.25), (model, target, 1.0)):
        before, now = one.get_weights(), other.get_weights()
        strategy.run(averaged, args=(one.variables, other.variables, share))
        print([bool(np.allclose(0.25 * y + 0.75 * x if share < 1 else y, z, atol=1e-6)) for x, y, z in zip(before, now, one.get_weights())])
