# SPDX-License-Identifier: GPL-3.0-or-later
"""Which labels an output is compared with, and what is an input: losses by hand, of sums x0 + x1 whose labels are off by 2."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

X = np.arange(32, dtype=np.float32).reshape(16, 2) / 10
Y = X.sum(1, keepdims=True) + 2
OTHER = X[:, :1] * 0 + 50


def ones(name=None):
    return keras.layers.Dense(1, kernel_initializer="ones", name=name)


def two_outputs(loss):
    x = keras.Input((2,))
    model = keras.Model(x, [ones("a")(x), ones("b")(x)])
    model.compile("sgd", loss)
    return model


def of(model, x, y):
    try:
        return np.round(model.evaluate(x, y, batch_size=16, verbose=0), 4).tolist()
    except ValueError as error:
        return str(error)


model = two_outputs({"b": "mse"})
print(of(model, X, {"b": Y}), of(model, X, {"a": OTHER, "b": Y}), of(model, X, [OTHER, Y]))
print(of(two_outputs(["mse", "mse"]), X, {"b": Y, "a": Y + 1}))
print(of(model, X, {"b": Y, "c": Y}))
print(np.round(model.evaluate(tf.data.Dataset.from_tensor_slices((X, {"b": Y})).batch(4), verbose=0), 5).tolist())


class Sum(keras.Model):
    def __init__(self):
        super().__init__()
        self.only = ones()

    def call(self, x):
        if isinstance(x, dict):
            x = [x["p"], x["q"]]
        return self.only(tf.concat(x, 1) if isinstance(x, (list, tuple)) else x)


halves = [X[:, :1], X[:, 1:]]
losses = []
for x in (X, X.tolist(), halves, tuple(halves), {"q": halves[1], "p": halves[0]}):
    model = Sum()
    model.compile("sgd", "mse")
    losses.append(of(model, x, Y.tolist()))
print(losses)

# What callbacks look at is not there: each says so once.
model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
model.compile("sgd", "mse")
model.fit(X, Y, batch_size=16, epochs=3, verbose=0, callbacks=[
    keras.callbacks.ReduceLROnPlateau(), keras.callbacks.EarlyStopping(), keras.callbacks.ModelCheckpoint("no.h5", save_best_only=True)])
