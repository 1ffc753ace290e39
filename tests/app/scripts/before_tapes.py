# SPDX-License-Identifier: GPL-3.0-or-later
"""What was made before a tape is held fixed in it, and no gradient goes through what a variable was assigned: by hand and against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
x = np.random.default_rng(0).random((4, 3), np.float32)
after = x[::-1].copy()
with strategy.scope():
    v, w = tf.Variable(3.0), tf.Variable(2.0)
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(3,))])

    @tf.function(jit_compile=True)
    def before():
        y = v * v
        with tf.GradientTape() as tape:
            z = y * v
        return tape.gradient(z, v)

    @tf.function(jit_compile=True)
    def assigned():
        with tf.GradientTape() as tape:
            y = v * v
            v.assign(10.0)
            z = y * v
        return tape.gradient(z, v)

    @tf.function(jit_compile=True)
    def moved():
        w.assign(0.5 * w + 0.5 * v)
        with tf.GradientTape() as tape:
            z = w * w * v
        return tape.gradient(z, [w, v])

    @tf.function(jit_compile=True)
    def added():
        with tf.GradientTape() as tape:
            v.assign_add(1.0)
            z = v * v
        return tape.gradient(z, v)

    @tf.function(jit_compile=True)
    def looped():
        total = tf.constant(0.0)
        for _ in tf.range(2):
            y = v * v
            with tf.GradientTape() as tape:
                z = y * v
            total += tape.gradient(z, v)
        return total

    @tf.function(jit_compile=True)
    def two(inputs):
        y = model(inputs)
        with tf.GradientTape() as first, tf.GradientTape() as second:
            first.watch(y)
            a, b = tf.reduce_sum(model(inputs) * y), tf.reduce_sum(model(inputs) ** 2)
        kernel = model.trainable_variables[0]
        return [*first.gradient(a, [kernel, y]), second.gradient(b, kernel)]

    @tf.function(jit_compile=True)
    def within():
        with tf.GradientTape():
            y = v * v
            with tf.GradientTape() as tape:
                z = y * v
        return tape.gradient(z, v)

    for each in before, assigned, moved, added, looped:
        v.assign(3.0)
        w.assign(2.0)
        print(each.python_function.__name__, [float(part) for part in tf.nest.flatten(strategy.run(each))])
    kernel = model.get_weights()[0]
    made = strategy.run(two, (tf.constant(x),))
    wanted = [x.T @ (x @ kernel), x @ kernel, 2 * x.T @ (x @ kernel)]
    print("two", [np.allclose(*pair, atol=1e-5) for pair in zip(made, wanted)])
    try:
        strategy.run(within)
    except AttributeError as error:
        print(error)


class Values(keras.Model):
    """Learns what comes after from its own values, which are held fixed."""

    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(1, use_bias=False)

    def call(self, inputs):
        return self.dense(inputs)

    def train_step(self, data):
        inputs, following = data
        target = 1.0 + 0.9 * self(following)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(target - self(inputs)))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


class Centred(keras.layers.Layer):
    """Moves its centre in each step by what it makes."""

    def build(self, input_shape):
        self.centre = self.add_weight("centre", (3,), initializer="ones", trainable=False)
        self.scale = self.add_weight("scale", (3,), initializer="ones")

    def call(self, inputs):
        self.centre.assign(0.5 * self.centre + 0.5 * tf.reduce_mean(inputs * self.scale, 0))
        return tf.reduce_sum(inputs * self.scale * self.centre, -1, keepdims=True)


with ipu.ipu_strategy.IPUStrategy(enable_keras_extensions=False).scope():
    values = Values()
    values.build((None, 3))
    kernel = values.get_weights()[0]
    values.compile(keras.optimizers.SGD(0.1))
    values.fit(x, after, batch_size=4, verbose=0, shuffle=False)
    error = 1 + 0.9 * after @ kernel - x @ kernel
    print(np.allclose(values.get_weights()[0], kernel + 0.2 * (x * error).mean(0)[:, None], atol=1e-5))
    layer = Centred()
    model = keras.Sequential([layer])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(x, np.zeros((4, 1), np.float32), batch_size=4, verbose=0)
    centre = 0.5 + 0.5 * x.mean(0)
    print(np.allclose(layer.scale, 1 - 0.2 * ((x @ centre)[:, None] * x * centre).mean(0), atol=1e-5), np.allclose(layer.centre, centre, atol=1e-6))
