# SPDX-License-Identifier: GPL-3.0-or-later
"""A model and its clone, trained by one optimiser: both in one update and the clone by itself, in turn. Against two models of other names, which have
the same weights."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
x = np.random.default_rng(0).normal(size=(8, 3)).astype("f")


def built():
    return keras.Sequential([keras.layers.Dense(4, activation="relu", input_shape=(3,)), keras.layers.Dense(2)])


def trained(pair, run):
    optimizer = keras.optimizers.Adam(0.1)

    def update(models):
        @tf.function
        def step():
            every = [variable for model in models for variable in model.trainable_variables]
            with tf.GradientTape() as tape:
                loss = tf.add_n([tf.reduce_sum((model(x) - number)**2) for number, model in enumerate(models)])
            optimizer.apply_gradients(zip(tape.gradient(loss, every), every))
            return loss
        return step
    both, alone, first = update(pair), update(pair[1:]), update(pair[:1])
    losses = [float(run(step)) for step in (both, alone, first, both, alone)]
    slots = [optimizer.get_slot(model.trainable_variables[0], kind).numpy() for model in pair for kind in ("m", "v")]
    return [np.array(losses)] + slots + pair[0].get_weights() + pair[1].get_weights(), len(optimizer.get_weights())


def tried(run):
    model = built()
    clone, pair = keras.models.clone_model(model), [built(), built()]
    clone.set_weights([0.5 * each + 0.1 for each in model.get_weights()])
    for one, other in zip(pair, (model, clone)):
        one.set_weights(other.get_weights())
    (right, kept), (found, as_many) = trained(pair, run), trained([model, clone], run)
    print([bool(np.allclose(a, b, rtol=1e-4, atol=1e-5)) for a, b in zip(found, right)], kept, as_many)


tried(lambda function: function())
with strategy.scope():
    tried(strategy.run)
