# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of layers and of scripts with constraints, against NumPy: what an update makes of them."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)
y = np.random.default_rng(1).normal(size=(16, 2)).astype(np.float32) * 4
first = np.random.default_rng(2).normal(size=(3, 2)).astype(np.float32)
RULES = {
    "non_neg": lambda w: np.maximum(w, 0),
    "max_norm": lambda w: w * np.clip(norm(w, 0), 0, 0.5) / (1e-7 + norm(w, 0)),
    "unit_norm": lambda w: w / (1e-7 + norm(w, 1)),
}
GIVEN = {"non_neg": "non_neg", "max_norm": keras.constraints.MaxNorm(0.5), "unit_norm": keras.constraints.UnitNorm(axis=1)}


def norm(w, axis):
    return np.sqrt((w ** 2).sum(axis, keepdims=True))


def by_hand(rule):
    w = first.astype(np.float64)
    for _ in range(3):
        w = rule(w - 0.1 * x.T @ (2 * (x @ w - y) / y.size))
    return w


class Own(keras.layers.Layer):
    def __init__(self, constraint):
        super().__init__()
        self.constraint = constraint

    def build(self, input_shape):
        self.w = self.add_weight("w", [3, 2], initializer=lambda shape, dtype=None: tf.constant(first), constraint=self.constraint)

    def call(self, inputs):
        return tf.matmul(inputs, self.w)


def fitted(constraint):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.Input((3,)), Own(constraint)])
        model.compile(keras.optimizers.SGD(0.1), "mse")
        model.fit(x, y, batch_size=16, epochs=3, verbose=0)
    return model.get_weights()[0]


def taped(constraint):
    w, optimizer = tf.Variable(first, constraint=constraint), keras.optimizers.SGD(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    return w.numpy()


def in_session(constraint):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            def step():
                w = tf.compat.v1.get_variable("w", initializer=tf.constant(first), constraint=constraint)
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
                return tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
            compiled = ipu.ipu_compiler.compile(step)
        session.run(tf.compat.v1.global_variables_initializer())
        for _ in range(3):
            session.run(compiled)
        return session.run(tf.compat.v1.trainable_variables()[0])


for name, rule in RULES.items():
    print(name, *(bool(np.allclose(way(GIVEN[name]), by_hand(rule), atol=1e-5)) for way in (fitted, taped, in_session)))
try:
    tf.Variable(first, constraint="non_negative")
except AttributeError as error:
    print(error)
