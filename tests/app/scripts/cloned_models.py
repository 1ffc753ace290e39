# SPDX-License-Identifier: GPL-3.0-or-later
"""A model and its clone in one program, whose layers have the same names, as a network and its target have in reinforcement learning: against the same
steps with the target's values worked out beforehand; the average of weights by NumPy, the gradients of a product by hand."""
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
    return keras.Sequential([keras.layers.Dense(4, activation="relu", input_shape=(3,)), keras.layers.BatchNormalization(), keras.layers.Dense(2)])


def close(*pairs):
    return [bool(np.allclose(a, b, rtol=1e-4, atol=1e-5)) for a, b in pairs]


def tried(run):
    network, optimizers = built(), [keras.optimizers.Adam(0.1) for _ in range(2)]
    target, other = keras.models.clone_model(network), keras.models.clone_model(network)
    target.set_weights([0.5 * each + 0.1 for each in target.get_weights()])
    other.set_weights(network.get_weights())

    def update(model, wanted, optimizer):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - wanted)**2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    @tf.function
    def beside():
        return update(network, 2.0 * target(x), optimizers[0])

    @tf.function
    def alone(wanted):
        return update(other, wanted, optimizers[1])

    @tf.function
    def averaged():
        for mean, now in zip(target.weights, network.weights):
            mean.assign(0.9 * mean + 0.1 * now)

    wanted, before = 2.0 * target.predict(x, batch_size=8), target.get_weights()
    losses = [[float(run(beside)) for _ in range(3)], [float(run(alone, wanted)) for _ in range(3)]]
    print(losses[0][2] < losses[0][0], close(tuple(losses)), close(*zip(network.get_weights(), other.get_weights())))
    run(averaged)
    print(close(*((0.9 * a + 0.1 * b, c) for a, b, c in zip(before, network.get_weights(), target.get_weights()))))
    with tf.GradientTape(persistent=True) as tape:
        one, two = network(x), target(x)
        total = tf.reduce_sum(one * two)
    biases = [tape.gradient(total, model.trainable_variables)[-1] for model in (network, target)]
    print(close((one, network.predict(x, batch_size=8)), (two, target.predict(x, batch_size=8)), (biases[0], two.numpy().sum(0)),
                (biases[1], one.numpy().sum(0))))


tried(lambda function, *arguments: function(*map(tf.constant, arguments)))
with strategy.scope():
    tried(lambda function, *arguments: strategy.run(function, [tf.constant(each) for each in arguments]))


class Averaging(keras.Model):
    """A network, and the average of its weights, as models of diffusion keep it: by NumPy."""

    def __init__(self):
        super().__init__()
        self.network = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
        self.mean = keras.models.clone_model(self.network)
        self.mean.set_weights([each + 1.0 for each in self.mean.get_weights()])

    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(self.network(data[0]) * data[1])
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.network.trainable_weights), self.network.trainable_weights))
        for mean, now in zip(self.mean.weights, self.network.weights):
            mean.assign(0.75 * mean + 0.25 * now)
        return {"loss": loss}


def averaged():
    model = Averaging()
    model.compile(keras.optimizers.SGD(0.1))
    network, mean, factor = model.network.get_weights(), model.mean.get_weights(), np.float32(2.0)
    for _ in range(2):  # fits of two steps
        model.fit(x, np.full((8, 2), factor, "f"), batch_size=4, epochs=1, shuffle=False, verbose=0)
        for part in (x[:4], x[4:]):
            network = [network[0] - 0.1 * factor * np.repeat(part.sum(0)[:, None], 2, 1), network[1] - 0.1 * factor * 4]
            mean = [0.75 * a + 0.25 * b for a, b in zip(mean, network)]
    print(close(*zip(model.network.get_weights(), network)), close(*zip(model.mean.get_weights(), mean)), len(model.weights))


averaged()
with ipu.ipu_strategy.IPUStrategy(enable_keras_extensions=False).scope():
    averaged()
