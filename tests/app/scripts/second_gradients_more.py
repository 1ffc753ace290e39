# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients of gradients through activations, poolings, norms, segments and gradients of the script's own, times a direction: against differences of
first gradients. And first gradients by labels, and of the largest of segments, by hand."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
numbers = np.random.default_rng(7)
tf.random.set_seed(7)
rows, images = (tf.constant(numbers.permutation(size).reshape(shape).astype("f") / size * 3 - 1.4) for size, shape in ((12, (3, 4)), (64, (2, 4, 4, 2))))


@tf.custom_gradient
def cubed(x):
    return x**3, lambda dy: 3 * dy * x**2


FUNCTIONS = {
    "gelu": tf.nn.gelu, "gelu_tanh": lambda x: tf.nn.gelu(x, approximate=True), "elu": tf.nn.elu, "selu": tf.nn.selu, "softsign": tf.nn.softsign,
    "max": lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID")**2, "overlapping": lambda x: tf.nn.max_pool2d(x, 3, 1, "SAME")**2,
    "average": lambda x: tf.nn.avg_pool2d(x, 2, 1, "SAME")**3, "own": lambda x: cubed(tf.sin(x)),
    "sums": lambda x: tf.math.unsorted_segment_sum(x, [1, -1, 0], 2)**3, "largest": lambda x: tf.math.unsorted_segment_max(x, [1, 1, 0], 2)**3,
    "labels": lambda x: tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(x * 2), logits=x)}
with strategy.scope():
    LAYERS = {"batch": keras.layers.BatchNormalization(), "layer": keras.layers.LayerNormalization(), "dense": keras.layers.Dense(3, activation="gelu"),
              "pool": keras.layers.MaxPooling2D(2)}
    for name, layer in LAYERS.items():
        layer(images if name == "pool" else rows)
        FUNCTIONS[name] = lambda x, layer=layer: layer(x, training=True)**3 if layer is LAYERS["batch"] else layer(x)**3


def first(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.reduce_sum(function(x))
    return tape.gradient(value, x)


def along(function, x, direction):
    """How the gradient changes in a direction."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        sum_along = tf.reduce_sum(first(function, x) * direction)
    return tape.gradient(sum_along, x)


step = 2e-3
for name, function in FUNCTIONS.items():
    x = images if name in ("max", "overlapping", "average", "pool") else rows
    direction = tf.constant(numbers.normal(size=x.shape).astype("f"))
    with strategy.scope():
        slopes = [strategy.run(tf.function(lambda x: first(function, x)), [x + sign * step * direction]) for sign in (1, -1)]
        device = strategy.run(tf.function(lambda x: along(function, x, direction)), [x])
    expected = (slopes[0].numpy().astype(float) - slopes[1].numpy()) / (2 * step)
    assert np.abs(expected).max() > 0.05
    close = [bool(np.allclose(made, expected, rtol=2e-2, atol=2e-2 * np.abs(expected).max())) for made in (device, along(function, x, direction))]
    print(name, close)

# By the weights of a network, as learners of learners need it.
numbers_of, pixels = np.array([1, 0]), tf.constant([[1, 4], [0, 1]])
with strategy.scope():
    network = keras.Sequential([keras.layers.Embedding(5, 3, input_length=2), keras.layers.Conv1D(4, 2, activation="gelu", padding="same"),
                                keras.layers.MaxPooling1D(2), keras.layers.Flatten(), keras.layers.Dense(3)])
    network.build((None, 2))
    weights = [network.layers[0].embeddings, network.layers[1].kernel]


def of_weights():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(numbers_of, network(pixels), from_logits=True))
        gradients = inner.gradient(loss, weights)
        square = tf.add_n([tf.reduce_sum(each**2) for each in gradients])
    return square, outer.gradient(square, weights)


with strategy.scope():
    square, found = strategy.run(tf.function(of_weights))
    host_square, on_host = of_weights()
    for weight, device, host in zip(weights, found, on_host):
        direction, before, changed = numbers.normal(size=weight.shape).astype("f"), weight.numpy(), []
        for sign in (1, -1):
            weight.assign(before + sign * step * direction)
            changed.append(float(of_weights()[0]))
        weight.assign(before)
        slope = (changed[0] - changed[1]) / (2 * step)
        print([bool(abs(np.sum(each.numpy() * direction) - slope) < 2e-2 * abs(slope) + 1e-4) for each in (device, host)])

labels, logits = tf.constant([[0.5, 0.5]]), tf.constant([[0.0, np.log(3).astype("f")]])  # shares of a quarter and three
shares = tf.constant([[0.25, 0.75]])
for loss in (lambda l: tf.nn.softmax_cross_entropy_with_logits(l, logits), lambda l: keras.losses.categorical_crossentropy(l, shares),
             lambda l: keras.losses.categorical_crossentropy(l, logits, from_logits=True)):
    print(np.exp(-first(loss, labels).numpy()).round(5).tolist())
print(first(lambda x: tf.math.unsorted_segment_max(x, [0, 0, 1, -1, 0], 2) * [2.0, 5.0], tf.constant([3.0, 1.0, 7.0, 9.0, 3.0])).numpy().tolist())
