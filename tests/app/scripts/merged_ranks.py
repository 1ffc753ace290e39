# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that merge inputs of different ranks, which Keras aligns behind the batch, against NumPy."""
import numpy as np
from tensorflow import keras

numbers = np.random.default_rng(5)
shapes = {"a": (3, 4, 5), "b": (3, 5), "c": (3, 2, 4, 5), "t": (3, 6, 4), "q": (3, 4)}
values = {name: numbers.random(shape, "f") for name, shape in shapes.items()}
inputs = {name: keras.Input(shape[1:]) for name, shape in shapes.items()}


def same(layer, names, expected):
    model = keras.Model([inputs[each] for each in names], layer([inputs[each] for each in names]))
    made = model.predict([values[each] for each in names], batch_size=3)
    return model.output_shape[1:] == expected.shape[1:] and made.shape == expected.shape and bool(np.abs(made - expected).max() < 1e-6)


a, b, c = values["a"][:, None], values["b"][:, None, None], values["c"]
print(same(keras.layers.Add(), "ab", values["a"] + values["b"][:, None]), same(keras.layers.Subtract(), "ba", values["b"][:, None] - values["a"]),
      same(keras.layers.Add(), "acb", a + c + b), same(keras.layers.Multiply(), "acb", a * c * b), same(keras.layers.Average(), "acb", (a + c + b) / 3),
      same(keras.layers.Maximum(), "acb", np.maximum(np.maximum(a, c), b)), same(keras.layers.Minimum(), "acb", np.minimum(np.minimum(a, c), b)))
expected = np.einsum("btd,bd->bt", values["t"], values["q"])
print(same(keras.layers.Dot(axes=(2, 1)), "tq", expected), same(keras.layers.Dot(axes=(1, 2)), "qt", expected))
