# SPDX-License-Identifier: GPL-3.0-or-later
# Constraints that are functions and classes of the script's own, of layers, of weights and of variables, against NumPy.
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)
y = np.random.default_rng(1).normal(size=(16, 2)).astype(np.float32) * 4
first = np.random.default_rng(2).normal(size=(3, 2)).astype(np.float32)


class Clip(keras.constraints.Constraint):
    def __init__(self, most):
        self.most = most

    def __call__(self, w):
        return keras.backend.clip(w, -self.most, self.most)

    def get_config(self):
        return {"most": self.most}


def by_hand(rule, steps=3):
    w = first.astype(np.float64)
    for _ in range(steps):
        w = rule(w - 0.1 * x.T @ (2 * (x @ w - y) / y.size))
    return w


def start(shape, dtype=None):
    return tf.constant(first)


class Own(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight("w", [3, 2], initializer=start, constraint=lambda w: w * 0.5)

    def call(self, inputs):
        return tf.matmul(inputs, self.w)


def fitted(layer, steps=1):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.Input((3,)), layer])
        model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=steps)
        history = model.fit(np.tile(x, [3, 1]) if steps > 1 else x, np.tile(y, [3, 1]) if steps > 1 else y, batch_size=16,
                            epochs=1 if steps > 1 else 3, verbose=0, shuffle=False)
    return model.get_weights()[0], history.history["loss"]


def dense(constraint):
    return keras.layers.Dense(2, use_bias=False, kernel_initializer=start, kernel_constraint=constraint)


clipped = by_hand(lambda w: np.clip(w, -0.3, 0.3))
print(np.allclose(fitted(dense(Clip(0.3)))[0], clipped, atol=1e-5), np.allclose(fitted(dense(Clip(0.3)), 3)[0], clipped, atol=1e-5),
      np.allclose(fitted(dense(lambda w: w * 0.5))[0], by_hand(lambda w: w * 0.5), atol=1e-5),
      np.allclose(fitted(Own())[0], by_hand(lambda w: w * 0.5), atol=1e-5))
after = by_hand(lambda w: np.clip(w, -0.3, 0.3), 1)
print(np.allclose(fitted(dense(Clip(0.3)))[1][:2], [((x @ w - y) ** 2).mean() for w in (first, after)], rtol=1e-5))
copied = keras.models.clone_model(keras.Sequential([keras.Input((3,)), dense(Clip(0.3))]))
copied.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
copied.fit(x, y, batch_size=8, verbose=0)
print(abs(copied.get_weights()[0]).max() <= 0.3, copied.evaluate(x, y, batch_size=16, verbose=0)[0] > 0)

# With a bias and a second layer whose constraint is Keras' own, and an update of the host.
both = keras.Sequential([keras.layers.Dense(4, kernel_constraint=Clip(0.1), bias_constraint=lambda b: b * 0.0, input_shape=(3,)),
                         keras.layers.Dense(2, kernel_constraint="non_neg")])
both.compile("rmsprop", "mse")
both.fit(x, y, batch_size=8, epochs=2, verbose=0)
weights = both.get_weights()
print(abs(weights[0]).max() <= 0.10001, not weights[1].any(), weights[2].min() >= 0, weights[3].any())
variable = tf.Variable(first, constraint=Clip(0.3))
optimizer = keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ variable - y) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
print(np.allclose(variable, clipped, atol=1e-5))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(both(x) ** 2)
optimizer.apply_gradients(zip(tape.gradient(loss, both.trainable_variables), both.trainable_variables))
print(abs(both.get_weights()[0]).max() <= 0.10001, not both.get_weights()[1].any())

with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.Input((3,)), dense(Clip(0.3))])
    model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=2)
    model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=2)
    try:
        model.fit(x, y, batch_size=8, verbose=0)
    except AttributeError as error:
        print(error)
tf1.disable_v2_behavior()
w = tf1.get_variable("w", initializer=first, constraint=lambda w: tf.clip_by_value(w, -0.3, 0.3), use_resource=True)
step = tf1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean((x @ w - y) ** 2))
with tf1.Session() as session:
    session.run(tf1.global_variables_initializer())
    for _ in range(3):
        session.run(step)
    print(np.allclose(session.run(w), clipped, atol=1e-5))
