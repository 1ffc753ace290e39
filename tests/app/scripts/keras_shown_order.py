# SPDX-License-Identifier: GPL-3.0-or-later
"""What Keras' loops give comes in Keras' order, and what a layer counts itself it counts in evaluate() and predict(), too."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
X = np.random.RandomState(0).rand(16, 3).astype(np.float32)
Y, classes = X.sum(1, keepdims=True), (X[:, 0] > 0.5).astype(np.int32)


class Root(keras.metrics.Metric):
    def __init__(self, name="root", **kwargs):
        super().__init__(name=name, **kwargs)
        self.total, self.count = self.add_weight("t", initializer="zeros"), self.add_weight("n", initializer="zeros")

    def update_state(self, y, p, sample_weight=None):
        self.total.assign_add(tf.reduce_sum((tf.cast(y, tf.float32) - p) ** 2))
        self.count.assign_add(tf.cast(tf.size(y), tf.float32))

    def result(self):
        return tf.sqrt(self.total / self.count)

    def reset_state(self):
        self.total.assign(0.0)
        self.count.assign(0.0)


class Counts(keras.layers.Layer):
    def build(self, shape):
        self.count = self.add_weight("count", (), initializer="zeros", trainable=False)

    def call(self, x):
        self.count.assign_add(1.0)
        return x


def same(given, wanted):
    return np.allclose(given, wanted, rtol=1e-4)


with ipu.ipu_strategy.IPUStrategy().scope():
    one = keras.Sequential([Counts(), keras.layers.Dense(1, kernel_initializer="ones")])
    one.compile("sgd", "mse", metrics=[Root(), "mae", keras.metrics.MeanSquaredError("square")], steps_per_execution=4)
    one.fit(X, Y, batch_size=4, verbose=0)
    print("fit", one.metrics_names, float(one.layers[0].count.numpy()))
    given = one.evaluate(X, Y, batch_size=4, verbose=0)
    error = one.predict(X, batch_size=4) - Y
    print("one", same(given, [np.mean(error ** 2), np.sqrt(np.mean(error ** 2)), np.mean(abs(error)), np.mean(error ** 2)]),
          float(one.layers[0].count.numpy()))
    x = keras.Input((3,), 4)
    two = keras.Model(x, [keras.layers.Dense(1, name="value")(x), keras.layers.Dense(2, "softmax", name="class")(x)])
    losses = ["mse", "sparse_categorical_crossentropy"]
    two.compile("sgd", losses, metrics={"value": [Root(), "mae"], "class": "accuracy"}, steps_per_execution=4)
    given = two.evaluate(X, [Y, classes], batch_size=4, verbose=0)
    value, share = two.predict(X, batch_size=4)
    parts = [np.mean((value - Y) ** 2), -np.log(share[range(16), classes]).mean()]
    print(two.metrics_names, same(given, [sum(parts), *parts, np.sqrt(parts[0]), np.mean(abs(value - Y)), np.mean(share.argmax(1) == classes)]))
    two.compile("sgd", losses, metrics=[Root()])
    try:
        two.evaluate(X, [Y, classes], batch_size=4)
    except AttributeError as error:
        print(error)
