# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call of a layer says beside its inputs holds in the model that it is part of: against NumPy."""
import numpy as np
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
try:
    model_of(lambda t: Scale()(t, by=t))
except Exception as error:
    print(error)
