# SPDX-License-Identifier: GPL-3.0-or-later
# What layers and models add to the loss themselves, by hand: on two replicas too, in steps of one's own, in pipelines, and where
# there is no other loss.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
random = np.random.RandomState(0)
x, y = random.randn(8, 3).astype(np.float32), random.randn(8, 1).astype(np.float32)


class Penalised(keras.layers.Layer):
    """A product, whose kernel and whose output are to be small."""

    def __init__(self, share, **settings):
        super().__init__(**settings)
        self.share = share

    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", [input_shape[-1], 1], initializer="ones", regularizer=keras.regularizers.L1(0.01))

    def call(self, inputs):
        output = tf.matmul(inputs, self.kernel)
        self.add_loss(self.share * tf.reduce_mean(tf.square(output)))
        return output


def by_hand(rate=0.1, steps=2, share=0.25, with_loss=True, l1=0.01):
    kernel, losses = np.ones((3, 1)), []
    for k in range(steps):
        part = slice(4 * k, 4 * k + 4)
        output = x[part] @ kernel
        error = output - y[part] if with_loss else np.zeros_like(output)
        losses.append((error**2).mean() + share * (output**2).mean() + l1 * np.abs(kernel).sum())
        kernel = kernel - rate * (x[part].T @ (2 * error + share * 2 * output) / 4 + l1 * np.sign(kernel))
    return kernel, np.mean(losses)


def compare(name, model, history, wanted):
    print(name, bool(np.allclose(model.get_weights()[0], wanted[0], atol=1e-5)),
          bool(np.isclose(history.history["loss"][0], wanted[1], rtol=1e-5)))


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.layer = Penalised(0.25)

    def call(self, inputs):
        return self.layer(inputs)

    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = self.compiled_loss(data[1], self(data[0], training=True)) + tf.add_n(self.losses)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return {"loss": loss}


with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.Input((3,)), Penalised(0.25)])
    model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=2)
    compare("layer", model, model.fit(x, y, batch_size=4, verbose=0, shuffle=False), by_hand())
    kernel = model.get_weights()[0]
    wanted = ((x @ kernel - y)**2).mean() + 0.25 * ((x @ kernel)**2).mean() + 0.01 * np.abs(kernel).sum()
    print("evaluated", bool(np.isclose(model.evaluate(x, y, batch_size=4, verbose=0), wanted, rtol=1e-5)))

    inputs = keras.Input((3,))
    outputs = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")(inputs)
    model = keras.Model(inputs, outputs)
    model.add_loss(0.25 * tf.reduce_mean(tf.square(outputs)))
    model.add_loss(lambda: 0.01 * tf.reduce_sum(tf.abs(model.trainable_variables[0])))
    model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=2)
    compare("model", model, model.fit(x, y, batch_size=4, verbose=0, shuffle=False), by_hand())

    model = keras.Model(inputs, outputs)
    model.set_weights([np.ones((3, 1))])
    model.add_loss(0.25 * tf.reduce_mean(tf.square(outputs)))
    model.compile(keras.optimizers.SGD(0.1))
    compare("alone", model, model.fit(x, batch_size=4, verbose=0, shuffle=False), by_hand(with_loss=False, l1=0))

    try:
        keras.layers.Dense(1).add_loss(outputs)
    except AttributeError as error:
        print(error)

model = Own()
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(x, y, batch_size=4, verbose=0, shuffle=False)
print("own step", bool(np.allclose(model.get_weights()[0], by_hand()[0], atol=1e-5)))

ipu.config.reset_ipu_configuration()
config.auto_select_ipus = 2
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.Input((3,)), Penalised(0.25)])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(x, y, batch_size=4, verbose=0, shuffle=False)
    gradient = sum(x[part].T @ (2 * (x[part] @ np.ones((3, 1)) - y[part]) + 0.5 * x[part] @ np.ones((3, 1))) / 4 + 0.01
                   for part in (slice(0, 4), slice(4, 8)))
    print("replicas", bool(np.allclose(model.get_weights()[0], 1 - 0.1 * gradient, atol=1e-5)))
    model = keras.Sequential([keras.Input((3,)), Penalised(0.25), keras.layers.Lambda(lambda each: each * 1.0)])
    model.set_pipeline_stage_assignment([0, 1])
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=4)
    model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=4)
    model.fit(x, y, batch_size=2, verbose=0, shuffle=False)
    print("pipeline", bool(np.allclose(model.get_weights()[0], 1 - 0.1 * sum(
        x[part].T @ (2 * (x[part] @ np.ones((3, 1)) - y[part]) + 0.5 * x[part] @ np.ones((3, 1))) / 2 + 0.01
        for part in (slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 8))), atol=1e-5)))


class Vector(keras.layers.Layer):
    def call(self, inputs):
        self.add_loss(tf.square(inputs))
        return inputs


try:
    keras.Sequential([keras.Input((3,)), Vector()])
except AttributeError as error:
    print(error)

# What the activity of a layer of float16 adds: in two outputs (4 * 3 - 1) ** 2 each, and 0.1 of the squares of four units of 3.
keras.mixed_precision.set_global_policy("mixed_float16")
with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((3,))
    hidden = keras.layers.Dense(4, kernel_initializer="ones", activity_regularizer=keras.regularizers.l2(0.1))(inputs)
    output = keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")(hidden)
    model = keras.Model(inputs, [output, output])
    model.compile("sgd", ["mse", "mse"])
    ones = np.ones((8, 3), np.float32)
    print("half", np.isclose(model.evaluate(ones, [ones[:, :1]] * 2, batch_size=4, verbose=0)[0], 2 * 121 + 3.6, rtol=1e-3))
