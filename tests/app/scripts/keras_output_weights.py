# SPDX-License-Identifier: GPL-3.0-or-later
# Weights of samples for each output of a model, as a list and by name, against NumPy.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
random = np.random.RandomState(0)
x = random.randn(8, 3).astype(np.float32)
y, z = (random.randn(8, 1).astype(np.float32) for _ in range(2))
w, u = (random.rand(8).astype(np.float32) for _ in range(2))
ones = np.ones(8, np.float32)


def model():
    inputs = keras.Input((3,))
    outputs = [keras.layers.Dense(1, name=name, kernel_initializer="ones")(inputs) for name in "ab"]
    made = keras.Model(inputs, outputs)
    made.compile(keras.optimizers.SGD(0.1), "mse", weighted_metrics=["mae"])
    return made


def by_hand(labels, weights):
    kernel, bias = np.ones((3, 1)), 0.0
    for part in (slice(0, 4), slice(4, 8)):
        error = (x[part] @ kernel + bias - labels[part]) * weights[part, None]
        kernel, bias = kernel - 0.1 * 2 * x[part].T @ error / 4, bias - 0.1 * 2 * error.mean()
    return [kernel, [bias]]


def same(made, of_a, of_b):
    return all(np.allclose(own, wanted, atol=1e-5) for own, wanted in zip(made.get_weights(), by_hand(y, of_a) + by_hand(z, of_b)))


with ipu.ipu_strategy.IPUStrategy().scope():
    for given, of_a, of_b in (([w, u], w, u), ({"b": u}, ones, u), (w, w, w), ([None, u], ones, u)):
        trained = model()
        trained.fit(x, [y, z], sample_weight=given, batch_size=4, verbose=0, shuffle=False)
        print(same(trained, of_a, of_b), end=" ")
    print()
    for given, of_a, of_b in (((w, u), w, u), ({"b": u}, ones, u), (u, u, u)):
        trained = model()
        trained.fit(tf.data.Dataset.from_tensor_slices((x, (y, z), given)).batch(4, drop_remainder=True), verbose=0)
        print(same(trained, of_a, of_b), end=" ")
    print()
    values = trained.evaluate(x, [y, z], sample_weight=[w, u], batch_size=4, verbose=0, return_dict=True)
    for name, output, labels, weights in zip("ab", trained.predict(x, batch_size=4), (y, z), (w, u)):
        error = (output - labels)[:, 0]
        print(np.allclose(values[f"{name}_loss"], (error**2 * weights).mean()),
              np.allclose(values[f"{name}_mae"], (np.abs(error) * weights).sum() / weights.sum()))
    trained.fit(x, [y, z], batch_size=4, sample_weight=w, verbose=0)
    trained.fit(x, [y, z], batch_size=4, sample_weight=[w, u], verbose=0)  # a program with a column more
    for refused in ({"sample_weight": [w, u, u]}, {"sample_weight": {"c": w}}, {"class_weight": {0: 2.0}}):
        try:
            trained.fit(x, [y, z], batch_size=4, verbose=0, **refused)
        except ValueError as error:
            print(error)
