# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call of a layer says beside its inputs holds in the model that it is part of: against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
random = np.random.default_rng(5)
x = random.normal(2.0, 3.0, size=(32, 4)).astype(np.float32)
y = random.normal(size=(32, 4)).astype(np.float32)


class Scale(keras.layers.Layer):
    def call(self, inputs, by=1.0, training=None):
        return inputs * by * (10.0 if training else 1.0)


def model_of(last):
    inputs = keras.Input((4,))
    return keras.Model(inputs, last(inputs))


def moved(model):
    """Whether training moves the means that a norm keeps."""
    model.compile(keras.optimizers.SGD(0.0), "mse")
    model.fit(x, y, batch_size=8, epochs=1, verbose=0)
    means = [v for v in model.get_weights() if v.shape == (4,)][2]
    return bool(np.any(means != 0))


def loss_of(model):
    model.compile(keras.optimizers.SGD(0.0), "mse")
    return model.fit(x, y, batch_size=32, epochs=1, verbose=0, shuffle=False).history["loss"][0]


with ipu.ipu_strategy.IPUStrategy().scope():
    print(np.allclose(model_of(lambda t: Scale()(t, by=3.0)).predict(x, batch_size=8), x * 3))
    print(np.allclose(model_of(lambda t: Scale()(t, 3.0)).predict(x, batch_size=8), x * 3))
    # fit is training unless the call says otherwise
    print(np.isclose(loss_of(model_of(Scale())), np.mean((x * 10 - y) ** 2), rtol=1e-5))
    print(np.isclose(loss_of(model_of(lambda t: Scale()(t, training=False))), np.mean((x - y) ** 2), rtol=1e-5))
    norm = keras.layers.BatchNormalization
    print(moved(model_of(lambda t: norm()(t))), moved(model_of(lambda t: norm()(t, training=False))))
    inner = model_of(lambda t: norm()(t))
    frozen = model_of(lambda t: inner(t, training=False))
    print(moved(frozen), frozen.get_config()["layers"][1]["inbound_nodes"][0][0][3])
    again = keras.models.model_from_json(frozen.to_json())
    print(again.get_config()["layers"][1]["inbound_nodes"] == frozen.get_config()["layers"][1]["inbound_nodes"])


class Weighed(keras.layers.Layer):
    """Takes tensors in other arguments than its first."""

    def build(self, shape):
        self.kernel = self.add_weight("kernel", (shape[-1], 4), initializer="ones")

    def call(self, query, pair, training=None, bias=None):
        return tf.matmul(query, self.kernel) * pair[0] + pair[1] + bias


with ipu.ipu_strategy.IPUStrategy().scope():
    squared = model_of(lambda t: Scale()(t, by=t, training=False))
    print(np.allclose(squared.predict(x, batch_size=4), x * x))
    a, b = keras.Input((4,)), keras.Input((4,))
    model = keras.Model([a, b], keras.layers.Dense(1, use_bias=False)(Weighed()(a, (b, a), bias=b)))
    model.compile("sgd", "mse", steps_per_execution=1)
    two = [x[:4], 2 * x[:4]]
    made, kernel = two[0].sum(1, keepdims=True) * two[1] + two[0] + two[1], model.get_weights()[1]
    print([each.name for each in model.trainable_variables], np.allclose(model.predict(two, batch_size=4), made @ kernel, rtol=1e-4))
    target = np.zeros((4, 1), np.float32)
    print(np.allclose(model.fit(two, target, batch_size=4, verbose=0).history["loss"], np.mean((made @ kernel) ** 2), rtol=1e-4))
    gradient = made.T @ (2 * (made @ kernel) / 4)
    print(np.allclose(model.get_weights()[1], kernel - 0.01 * gradient, rtol=1e-3))
