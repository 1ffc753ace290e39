# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that a script gives one name, in graphs of TensorFlow 1 and within the call() of models: each has weights of its own."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

draw = np.random.default_rng(0)


def dense():
    return keras.layers.Dense(3, name="d", use_bias=False)


class Scaled(keras.layers.Layer):
    def __init__(self, **given):
        super().__init__(**given)
        self.inner = dense()

    def build(self, input_shape):
        self.scale = self.add_weight("scale", [3], initializer="normal")
        self.built = True

    def call(self, inputs):
        return self.inner(inputs) * self.scale

    def numbers(self, x):
        return x @ self.inner.kernel.numpy() * self.scale.numpy()


class Two(keras.Model):
    def __init__(self, make):
        super().__init__()
        self.first, self.second = make(), make()

    def call(self, inputs):
        return self.second(self.first(inputs))


def numbers(layer, x):
    return layer.numbers(x) if hasattr(layer, "numbers") else x @ layer.weights[0].numpy()


x = draw.normal(size=(8, 3)).astype(np.float32)
for model in (Two(dense), keras.Sequential([Scaled(), Scaled()]), Two(lambda: Scaled(name="same")), Two(lambda: keras.Sequential([dense()]))):
    model.compile("sgd", "mse")
    model.fit(x, np.ones_like(x), batch_size=4, epochs=2, verbose=0)
    first, second = model.layers
    found = model.predict(x, batch_size=4)
    print(np.allclose(found, numbers(second, numbers(first, x)), atol=1e-5),
          not np.allclose(first.weights[-1], second.weights[-1]), [each.name for each in model.weights])


def net(x):
    for number in range(2):
        with tf1.variable_scope(f"part_{number}", use_resource=True):
            x = dense()(x)
    return x, tf1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(x * x))


with tf.Graph().as_default(), tf1.Session() as session:
    fed = tf1.placeholder(tf.float32, [8, 3])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        made = ipu.ipu_compiler.compile(net, [fed])
    weights = tf1.trainable_variables()
    session.run(tf1.global_variables_initializer())
    a, b = session.run(weights)
    found = session.run(made, {fed: x})[0]
    y = 2 * (x @ a @ b)  # the slope of the loss
    print(np.allclose(found, x @ a @ b, atol=1e-5), not np.allclose(a, b), [each.name for each in weights],
          [np.allclose(new, old - 0.1 * slope, atol=1e-4) for new, old, slope in zip(session.run(weights), (a, b), (x.T @ y @ b.T, (x @ a).T @ y))])
ends = keras.Input((3,))
for wrong in (lambda: keras.Sequential([keras.Input((3,)), dense(), dense()]), lambda: keras.Model(ends, dense()(dense()(ends)))):
    try:
        wrong()
    except ValueError as error:
        print(error)
