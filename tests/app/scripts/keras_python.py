# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are Python, weights of samples, losses and metrics of the script's own: against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
random = np.random.default_rng(3)
x = random.normal(size=(48, 4)).astype(np.float32)
y = random.normal(size=(48, 1)).astype(np.float32)
KERNEL = random.normal(size=(4, 1)).astype(np.float32)
RATE = 0.1


class Scaled(keras.layers.Layer):
    """x w, with a weight of its own."""

    def build(self, input_shape):
        self.w = self.add_weight("w", shape=(input_shape[-1],), initializer="ones")
        self.still = self.add_weight("still", shape=(), initializer=keras.initializers.Constant(2.0), trainable=False)

    def call(self, inputs):
        return inputs * self.w * self.still


class Line(keras.Model):
    def __init__(self):
        super().__init__(name="line")
        self.dense = keras.layers.Dense(1, use_bias=False)

    def call(self, inputs, training=False):
        return self.dense(inputs)


def trained(weights, batches, scale=1.0, columns=x):
    """Gradient descent on the weighted mean of squared errors; the loss of each step."""
    kernel, losses = KERNEL.copy(), []
    for batch in batches:
        a, b, w = columns[batch], y[batch], weights[batch, None]
        error = a @ kernel - b
        losses.append((w * error ** 2).mean() * scale)
        kernel = kernel - RATE * scale * 2 * a.T @ (w * error) / len(a)
    return losses, kernel


def close(name, got, expected):
    print(name, np.shape(got) == np.shape(expected) and np.allclose(got, expected, rtol=2e-4, atol=1e-6))


def fitted(model, loss="mean_squared_error", **options):
    model.compile(keras.optimizers.SGD(RATE), loss, metrics=["mae"])
    return model.fit(x, y, batch_size=8, epochs=1, shuffle=False, verbose=0, **options).history


one_replica = [slice(8 * i, 8 * i + 8) for i in range(6)]
# Two replicas add their gradients: a step of 16 samples with twice the rate.
two_replicas = [slice(16 * i, 16 * i + 16) for i in range(3)]
ones = np.ones(48, np.float32)
sample_weight = np.linspace(0.5, 2, 48, dtype=np.float32)
reset = ipu.config.IPUConfig()
reset.auto_select_ipus = 1
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    line = Line()
    line.build((None, 4))
    line.set_weights([KERNEL])
    close("replicated prediction", line.predict(x, batch_size=8), x @ KERNEL)
    fitted(line)
    close("replicated kernel", line.get_weights()[0], trained(ones, two_replicas, 2.0)[1])

reset.configure_ipu_system()
with strategy.scope():
    line = Line()
    line.build((None, 4))
    line.set_weights([KERNEL])
    history = fitted(line, sample_weight=sample_weight, validation_data=(x, y, sample_weight))
    losses, kernel = trained(sample_weight, one_replica)
    close("weighted loss", history["loss"], [np.mean(losses)])
    close("weighted kernel", line.get_weights()[0], kernel)
    close("validation", history["val_loss"], [(sample_weight[:, None] * (x @ kernel - y) ** 2).mean()])
    close("error without weights", history["val_mae"], [np.abs(x @ kernel - y).mean()])
    line.summary()

    # A functional model around a Lambda, a layer of the script's own, and operations on Keras' tensors.
    inputs = keras.Input(4)
    values = keras.layers.Lambda(lambda each: tf.square(each))(inputs)
    values = Scaled(name="scaled")(tf.concat([values, inputs - 1.0], -1))
    print(values.shape)
    model = keras.Model(inputs, keras.layers.Dense(1, name="last")(values))
    model.get_layer("last").set_weights([np.ones((8, 1), np.float32), np.zeros(1, np.float32)])
    both = np.concatenate([x ** 2, x - 1], 1)
    close("functional", model.predict(x, batch_size=8), 2 * both.sum(1, keepdims=True))
    print([v.name for v in model.trainable_variables], model.count_params())
    fitted(model, lambda truth, guess: tf.reduce_sum(tf.abs(truth - guess), -1))
    print("still", model.get_layer("scaled").still.numpy(), "learnt", bool((model.get_layer("scaled").w.numpy() != 1).all()))

    # Layers that give their states, and stages that are set afterwards.
    steps = keras.Input((5, 4))
    every, hidden, cell = keras.layers.LSTM(3, return_sequences=True, return_state=True)(steps)
    states = keras.Model(steps, [every, hidden, cell])
    sequence, last, _ = states.predict(random.normal(size=(8, 5, 4)).astype(np.float32), batch_size=8)
    print("states", np.array_equal(sequence[:, -1], last))
    staged = keras.Sequential([keras.layers.Dense(4, input_shape=(4,)), keras.layers.Dense(1)])
    assignment = staged.get_pipeline_stage_assignment()
    for stage, each in enumerate(assignment):
        each.pipeline_stage = stage
    staged.set_pipeline_stage_assignment(assignment)
    print("stages", [each.pipeline_stage for each in staged.get_pipeline_stage_assignment()], staged._stages())

    # Weights of classes are weights of samples.
    labels = np.arange(48) % 3
    by_class = {0: 1.0, 1: 0.0, 2: 3.0}
    ends = []
    for options in ({"class_weight": by_class}, {"sample_weight": np.array([by_class[c] for c in labels], np.float32)}):
        dense = keras.Sequential([keras.layers.Dense(3, activation="softmax", input_shape=(4,))])
        dense.set_weights([np.tile(KERNEL, 3), np.zeros(3, np.float32)])
        dense.compile(keras.optimizers.SGD(RATE), "sparse_categorical_crossentropy")
        dense.fit(x, labels, batch_size=8, shuffle=False, verbose=0, **options)
        ends.append(dense.get_weights()[0])
    print("classes", np.array_equal(*ends))

# Losses and metrics on the host, by their formulas.
p, t = tf.constant([[0.2, 0.8], [0.6, 0.4]]), tf.constant([1, 1])
print(float(keras.losses.SparseCategoricalCrossentropy()(t, p)), -(np.log(0.8) + np.log(0.4)) / 2)
print(keras.losses.mean_absolute_error([[1.0, 2.0]], [[3.0, 5.0]]).numpy(),
      float(keras.losses.Huber(delta=2.0)([[0.0, 0.0]], [[1.0, 4.0]])))  # (1/2 + 2 (4 - 1)) / 2
accuracy, mean = keras.metrics.SparseCategoricalAccuracy(), keras.metrics.Mean(name="loss")
accuracy.update_state(t, p)
mean(1.0), mean([2.0, 6.0])
print(accuracy.result().numpy(), mean.name, float(mean.result()))
