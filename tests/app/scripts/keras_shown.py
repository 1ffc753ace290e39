# SPDX-License-Identifier: GPL-3.0-or-later
"""What fit() and evaluate() show, and what callbacks see of it. Against NumPy and by hand."""
import os

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(2)
x, y = draw.randn(16, 4).astype("f"), draw.randn(16, 1).astype("f")
kernel = draw.randn(4, 1).astype("f")


def linear(loss="mse", rate=0.0, **settings):
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(4,))])
    model.set_weights([kernel])
    model.compile(keras.optimizers.SGD(rate), loss, **settings)
    return model


def fit(*callbacks, epochs=3, **settings):
    return linear(rate=0.1, steps_per_execution=2).fit(x, y, batch_size=4, epochs=epochs, verbose=0, callbacks=list(callbacks),
                                                       **settings)


class Stop(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.stop_training = True


class Seen(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.hooks = []

    on_test_begin = lambda self, logs=None: self.hooks.append("test")
    on_test_batch_end = lambda self, batch, logs=None: self.hooks.append(batch)
    on_predict_begin = lambda self, logs=None: self.hooks.append("predict")
    on_predict_end = lambda self, logs=None: self.hooks.append("predicted")


def drive(callback, values):
    """Epochs that a callback lets a model train."""
    callback.set_model(type("Model", (), {"stop_training": False, "get_weights": lambda self: None})())
    callback.on_train_begin()
    for epoch, value in enumerate(values):
        callback.on_epoch_end(epoch, {callback.monitor: value})
        if callback.model.stop_training:
            break
    callback.on_train_end()
    return epoch + 1


with ipu.ipu_strategy.IPUStrategy().scope():
    model = linear(steps_per_execution=1)
    model.fit(x, y, batch_size=4, epochs=5, verbose=0, callbacks=[Stop()])
    print("after a stop", np.isclose(model.evaluate(x, y, batch_size=4, verbose=0), np.mean((x @ kernel - y) ** 2), rtol=1e-5),
          model.predict(x, batch_size=4).shape)
    seen = Seen()
    fit(seen, epochs=4, validation_data=(x, y), validation_freq=[2, 3])
    linear().predict(x, batch_size=16, callbacks=[seen])
    print("hooks", seen.hooks)
    early = keras.callbacks.EarlyStopping("val_acc", patience=1, mode="max")
    print("early", drive(early, [0.1, 0.5, 0.4]), early.best, early.stopped_epoch)
    print("early again", drive(early, [0.1, 0.2, 0.3]), early.best, early.stopped_epoch)
    fit(keras.callbacks.ModelCheckpoint("kept{epoch}.h5", save_weights_only=True, save_freq=6))
    print("kept", sorted(name for name in os.listdir() if name.startswith("kept")))
    history = fit(keras.callbacks.LearningRateScheduler(lambda epoch, rate: 0.5 ** epoch), keras.callbacks.CSVLogger("log.csv"))
    lines = [line.strip().split(",") for line in open("log.csv", encoding="utf-8")]
    print("rates", history.history["lr"], lines[0], [line[0] for line in lines[1:]],
          np.allclose([float(line[1]) for line in lines[1:]], history.history["loss"]))

    model = linear(keras.losses.MeanSquaredError(reduction="none"), 0.01)
    loss = model.fit(x, y, batch_size=16, verbose=0).history["loss"][0]
    apart = x @ kernel - y
    print("unreduced", np.isclose(loss, np.mean(apart ** 2), rtol=1e-5),
          np.allclose(model.get_weights()[0], kernel - 0.01 * 2 * x.T @ apart, atol=1e-4),
          np.allclose(keras.losses.MeanSquaredError(reduction="none")(y, x[:, :1]), ((y - x[:, :1]) ** 2)[:, 0]))

    signs = np.where(y > 0, 1, -1).astype("f")
    wanted = np.mean(np.maximum(1 - signs * (x @ kernel), 0))
    print("hinge", [bool(np.isclose(linear("hinge").evaluate(x, labels, batch_size=16, verbose=0), wanted, rtol=1e-5))
                    for labels in (signs, (signs + 1) / 2)])
    rates, classes = draw.rand(6, 5).astype("f") * 0.9 + 0.05, draw.randint(0, 5, 6)
    wanted = np.mean(-np.log(rates[np.arange(6), classes] / rates.sum(1)))
    print("classes", np.isclose(keras.losses.SparseCategoricalCrossentropy()(classes, rates), wanted, rtol=1e-5))

    masked = keras.Sequential([keras.layers.Embedding(4, 3, mask_zero=True, input_shape=(4,)), keras.layers.Dense(1)])
    masked.compile("sgd", "mse")
    steps = np.array([[1, 2, 0, 0], [3, 0, 0, 0]], np.int32)
    weights = (steps != 0).astype("f")
    error = (masked.predict(steps, batch_size=2)[..., 0] - 1) ** 2
    found = masked.evaluate(steps, np.ones((2, 4, 1), "f"), sample_weight=weights, batch_size=2, verbose=0)
    alone = masked.evaluate(steps, np.ones((2, 4, 1), "f"), batch_size=2, verbose=0)
    print("weighted", np.isclose(found, np.mean(error * weights), rtol=1e-5), np.isclose(alone, found, rtol=1e-5))

fixed, moving = tf.Variable(2.0, trainable=False), tf.Variable(3.0)
with tf.GradientTape() as tape:
    product = fixed * moving
print("tape", [each if each is None else float(each) for each in tape.gradient(product, [fixed, moving])])
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(fixed)
    product = fixed * moving
print("watched", [each if each is None else float(each) for each in tape.gradient(product, [fixed, moving])])
