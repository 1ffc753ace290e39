# SPDX-License-Identifier: GPL-3.0-or-later
# What layers and models show by add_metric(), beside NumPy.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.RandomState(0).randn(32, 4).astype(np.float32)
y = x.sum(1, keepdims=True)
most, total = x.reshape(4, 8, 4).max((1, 2)).mean(), x.sum() / 4


class Shows(keras.layers.Layer):
    def call(self, inputs):
        self.add_metric(tf.reduce_max(inputs), name="most")
        self.add_metric(inputs, name="average", aggregation="mean")
        return inputs


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(1)

    def call(self, inputs):
        self.add_metric(tf.reduce_sum(inputs), name="total")
        return self.dense(inputs)


class OwnStep(Own):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return {"loss": loss, **{metric.name: metric.result() for metric in self.metrics}}


def close(found, wanted):
    return {key: bool(np.allclose(found[key], value, rtol=1e-5)) for key, value in wanted.items()}


with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.Input((4,)), Shows(), keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile("sgd", "mse", metrics=["mae"], steps_per_execution=4)
    history = model.fit(x, y, batch_size=8, shuffle=False, epochs=2, verbose=0, validation_data=(x, y)).history
    print(*history)
    print(close(history, {"most": [most] * 2, "val_average": [x.mean()] * 2}))
    given = keras.Input((4,))
    hidden = keras.layers.Dense(3, kernel_initializer="ones")(given)
    model = keras.Model(given, keras.layers.Dense(1)(hidden))
    model.add_metric(tf.reduce_sum(hidden), name="hidden", aggregation="mean")
    model.compile("sgd", "mse", steps_per_execution=4)
    print(close(model.evaluate(x, y, batch_size=8, return_dict=True, verbose=0), {"hidden": 3 * total}))
    for made in (Own(), OwnStep()):
        made.compile("sgd", "mse", steps_per_execution=4)
        print(close(made.fit(x, y, batch_size=8, shuffle=False, verbose=0).history, {"total": [total]}))
    for bad in ({}, {"name": "a", "aggregation": "sum"}):
        try:
            model.add_metric(hidden, **bad)
        except ValueError as error:
            print(error)


class Objects(keras.layers.Layer):
    """Metric objects: one whose value it adds, others that it only updates."""

    def __init__(self):
        super().__init__()
        self.average, self.sum, self.precise = keras.metrics.Mean(name="avg"), keras.metrics.Sum(name="sum"), keras.metrics.Precision()

    def call(self, inputs):
        self.add_metric(self.average(inputs, sample_weight=tf.cast(inputs[:, 1] > 0, tf.float32)))
        self.sum.update_state(tf.reduce_sum(inputs, 1))
        self.precise.update_state(tf.ones_like(inputs[:, 0]), tf.sigmoid(inputs[:, 0]))
        return inputs


with ipu.ipu_strategy.IPUStrategy().scope():
    objects = Objects()
    model = keras.Sequential([keras.Input((4,)), objects, keras.layers.Dense(1)])
    model.compile("sgd", "mse", steps_per_execution=4)
    logs = model.fit(x, y, batch_size=8, shuffle=False, epochs=2, verbose=0).history
    evaluated = model.evaluate(x, y, batch_size=8, return_dict=True, verbose=0)
average = x[x[:, 1] > 0].mean()
wanted = {"avg": average, "sum": x.sum(), "precision": 1.0}
print(*logs, close(logs, {name: [value] * 2 for name, value in wanted.items()}), close(evaluated, wanted),
      bool(np.allclose(objects.average.result(), average, rtol=1e-5)))
