# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients where functions have a kink, as TensorFlow takes them, on the host and the device; by hand. Weights that begin as zeros are there."""
import contextlib

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
labels = np.float32([[0.0, 1.0, 0.25]])


def slopes(name, function, *values):
    def run(*given):
        with tf.GradientTape() as tape:
            tape.watch(given)
            total = tf.reduce_sum(function(*given))
        return tape.gradient(total, list(given))
    given = [tf.constant(np.float32(each)) for each in values]
    with strategy.scope():
        device = [each.numpy().round(5).tolist() for each in strategy.run(tf.function(run), given)]
    host = [each.numpy().round(5).tolist() for each in run(*given)]
    print(name, *(host if host == device else (host, device)))


slopes("binary", lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x), [[0, 0, 0]])
slopes("keras", lambda x: 3.0 * keras.losses.binary_crossentropy(labels, x, from_logits=True), [[0, 0, 0]])
slopes("of_sigmoid", lambda x: 3.0 * keras.losses.binary_crossentropy(labels, tf.sigmoid(x)), [[0, 0, 0]])
slopes("hinge", lambda x: 2.0 * keras.losses.hinge([[1.0, -1.0]], x), [[1, -1]])
slopes("selu", tf.nn.selu, [0])
slopes("hard_sigmoid", keras.activations.hard_sigmoid, [-2.5, 2.5, 3.0])
slopes("erfinv", tf.math.erfinv, [0])
slopes("largest", lambda x, y: tf.maximum(x, y) * [1.0, 10.0], [1, 2], [1, 1])
slopes("of_all", tf.reduce_max, [1, 3, 3])
slopes("clipped", lambda x: tf.clip_by_value(x, 0.0, 1.0), [-1, 0, 1, 2])
slopes("product", tf.reduce_prod, [0, 2, 3])


def trained(loss, activation):
    """A step from zeros: the rate is 1, and the gradient by the output a half, whose mean is of rows (1, 2) and (3, 4)."""
    model = keras.Sequential([keras.layers.Dense(1, activation=activation, kernel_initializer="zeros", input_shape=(2,))])
    model.compile(keras.optimizers.SGD(1.0), loss)
    model.fit(np.float32([[1, 2], [3, 4]]), np.float32([[1], [1]]), batch_size=2, verbose=0)
    return [each.ravel().tolist() for each in model.get_weights()]


for where in (contextlib.nullcontext(), strategy.scope()):
    with where:
        print(trained("binary_crossentropy", "sigmoid"), trained(keras.losses.BinaryCrossentropy(from_logits=True), None))
