# SPDX-License-Identifier: GPL-3.0-or-later
"""What optimisers keep, in Keras' order, against NumPy; what is set, training goes on from."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)
y = np.random.default_rng(1).normal(size=(16, 2)).astype(np.float32)
first = np.random.default_rng(2).normal(size=(3, 2)).astype(np.float32)


def model(optimizer):
    made = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    made.set_weights([first, np.zeros(2, np.float32)])
    made.compile(optimizer, "mse")
    return made


def fit(made, epochs):
    made.fit(x, y, batch_size=16, epochs=epochs, verbose=0)


with ipu.ipu_strategy.IPUStrategy().scope():
    adam = keras.optimizers.Adam(0.1)
    print(adam.get_weights())
    made = model(adam)
    fit(made, 1)
    error = 2 * (x @ first - y) / y.size
    gradients = [x.T @ error, error.sum(0)]
    wanted = [1, *(0.1 * g for g in gradients), *(0.001 * g ** 2 for g in gradients)]
    kept = adam.get_weights()
    print([np.allclose(own, each, rtol=1e-4, atol=1e-8) for own, each in zip(kept, wanted)], len(kept), len(adam.variables()))
    weights = made.get_weights()
    fit(made, 2)
    resumed = model(again := keras.optimizers.Adam(0.1))
    fit(resumed, 1)
    resumed.set_weights(weights)
    again.set_weights(kept)
    fit(resumed, 2)
    print([np.array_equal(a, b) for a, b in zip(made.get_weights(), resumed.get_weights())], int(again.iterations.numpy()))
    for optimizer in (keras.optimizers.SGD(0.1), keras.optimizers.SGD(0.1, momentum=0.9),
                      keras.optimizers.RMSprop(0.1, momentum=0.1, centered=True), keras.optimizers.Adam(amsgrad=True)):
        fit(model(optimizer), 1)
        print([each.name for each in optimizer.weights])
    nadam = keras.optimizers.Nadam(0.1)
    fit(made := model(nadam), 2)
    weights, kept_by_nadam = made.get_weights(), nadam.get_weights()
    fit(made, 2)
    fit(resumed := model(other := keras.optimizers.Nadam(0.1)), 1)
    resumed.set_weights(weights)
    other.set_weights(kept_by_nadam)
    fit(resumed, 2)
    momenta = [0.9 * (1 - 0.5 * 0.96 ** (0.004 * t)) for t in (1, 2)]
    print(len(kept_by_nadam), np.isclose(kept_by_nadam[1], np.prod(momenta), rtol=1e-5), [np.array_equal(a, b) for a, b in zip(
        made.get_weights(), resumed.get_weights())])
    tf.train.Checkpoint(optimizer=nadam, model=made).save("nadam")
    restored = model(third := keras.optimizers.Nadam(0.1))
    tf.train.Checkpoint(optimizer=third, model=restored).restore("nadam-1")
    fit(made, 1)
    fit(restored, 1)
    print([np.array_equal(a, b) for a, b in zip(made.get_weights(), restored.get_weights())])
    try:
        again.set_weights(kept[1:])
    except ValueError as error:
        print(error)
    w, momentum = tf.Variable(first), keras.optimizers.SGD(0.1, momentum=0.9)
    momentum.apply_gradients([(tf.ones([3, 2]), w)])
    print([each.tolist() for each in momentum.get_weights()])
