# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a model's own: what is read again behind an update, whose losses are read, and what several models keep."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

random = np.random.default_rng(0)
X = random.normal(size=(16, 4)).astype(np.float32)
Y = X.sum(1, keepdims=True)
START = np.full((4, 1), 0.5, np.float32)


def gradient(weights, x=X, y=Y):
    return 2 * x.T @ (x @ weights - y) / len(x)


def linear(kind, **settings):
    x = keras.Input((4,))
    model = kind(x, keras.layers.Dense(1, use_bias=False, kernel_initializer=keras.initializers.Constant(0.5), **settings)(x))
    model.compile(keras.optimizers.SGD(0.1), "mse")
    return model


class Reads(keras.Model):
    """Reads the weights again after its updates, of which each has a clipped gradient."""
    updates, most = 1, 1e9

    def train_step(self, data):
        x, y = data
        for _ in range(self.updates):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((y - self(x, training=True)) ** 2)
            gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, self.trainable_variables), self.most)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss, "after": tf.reduce_mean((y - self(x, training=False)) ** 2)}


for name, updates, most in (("once", 1, 1e9), ("twice", 2, 1e9), ("clipped", 1, 0.01)):
    model = linear(Reads)
    model.updates, model.most = updates, most
    after = model.fit(X, Y, batch_size=16, verbose=0).history["after"][0]
    wanted = START
    for _ in range(updates):
        slope = gradient(wanted)
        wanted = wanted - 0.1 * slope * min(1, most / np.linalg.norm(slope))
    print(name, np.allclose(model.get_weights()[0], wanted, atol=1e-5), np.isclose(after, np.mean((X @ wanted - Y) ** 2), rtol=1e-4))


class Tenfold(keras.Model):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
        return 10 * super().compute_loss(x, y, y_pred, sample_weight)


model = linear(Tenfold)
model.fit(X, Y, batch_size=16, verbose=0)
print("tenfold", np.allclose(model.get_weights()[0], START - gradient(START), atol=1e-4))


class Two(keras.Model):
    """Models with regularisers of their own: 1 for each weight of 0.5 squared in the one, 10 in the other."""

    def __init__(self):
        super().__init__()
        self.one = linear(keras.Model, kernel_regularizer=keras.regularizers.L2(1.0))
        self.other = linear(keras.Model, kernel_regularizer=keras.regularizers.L2(10.0))
        self.kept = {"opts": [keras.optimizers.SGD(0.1)], "seen": keras.metrics.Mean(name="seen")}

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((y - self.one(x)) ** 2)
        self.kept["opts"][0].minimize(loss, self.one.trainable_variables, tape=tape)
        self.other(x)
        self.kept["seen"].update_state(loss)
        return {"one": tf.add_n(self.one.losses), "other": tf.add_n(self.other.losses), "seen": self.kept["seen"].result()}


two = Two()
two.compile()
two.kept["opts"][0].learning_rate = 0.0  # before its program is made, and after
first = two.fit(X, Y, batch_size=8, verbose=0).history
print("losses", first["one"][0], first["other"][0])
second = two.fit(X, Y, batch_size=8, verbose=0).history
print("metrics begin anew", np.isclose(first["seen"][0], second["seen"][0]), np.array_equal(two.one.get_weights()[0], START))
two.kept["opts"][0].learning_rate = 0.1
two.fit(X, Y, batch_size=16, verbose=0)
print("rate", np.allclose(two.one.get_weights()[0], START - 0.1 * gradient(START), atol=1e-5))


class Plain(keras.Model):
    def train_step(self, data):
        return super().train_step(data)


x = keras.Input((4,))
outputs = Plain(x, [keras.layers.Dense(1)(x), keras.layers.Dense(2)(x)])
outputs.compile("sgd", "mse")
print("two outputs", np.isfinite(outputs.fit(X, [Y, X[:, :2]], batch_size=16, verbose=0).history["loss"][0]))


def trained(rates):
    """A model of two parts, by a loop of the script's own, with a rate for each step."""
    first, last = (linear(keras.Model), keras.Sequential([keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")]))
    adam = keras.optimizers.Adam(0.1)
    for rate in rates:
        adam.learning_rate = rate
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((Y - last(first(X))) ** 2)
        variables = first.trainable_variables + last.trainable_variables
        adam.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return first.get_weights()[0]


def adam_by_hand(rates):
    weights, last, bias = START.astype(np.float64), 1.0, 0.0
    m, v = np.zeros(6), np.zeros(6)
    for t, rate in enumerate(rates, 1):
        error = (X @ weights) * last + bias - Y
        slope = np.concatenate([(2 * X.T @ error * last / 16).ravel(), [2 * np.mean(error * (X @ weights))], [2 * np.mean(error)]])
        m, v = 0.9 * m + 0.1 * slope, 0.999 * v + 0.001 * slope ** 2
        step = rate * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * m / (np.sqrt(v) + 1e-7)
        weights, last, bias = weights - step[:4, None], last - step[4], bias - step[5]
    return weights


RATES = [0.1, 0.1, 0.05, 0.05, 0.02]
print("state kept", np.allclose(trained(RATES), adam_by_hand(RATES), atol=1e-4))
