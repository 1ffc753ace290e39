# SPDX-License-Identifier: GPL-3.0-or-later
"""What is infinite or no number, on the host and in a function of the device, against NumPy; weights of samples; given first values."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

ODD = np.array([1.0, np.inf, 2.0], np.float32)
PLAIN = np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32)
FAR = np.array([1e-8, 1e20, -1e20, 3.0], np.float32)


def of_odd_numbers(odd, plain, far):
    lost = odd * 0.0
    return [tf.cumsum(odd), tf.cumsum(plain, exclusive=True), tf.cumsum(plain, reverse=True), tf.reduce_logsumexp(plain),
            tf.reduce_logsumexp(odd), tf.math.cumulative_logsumexp(plain), tf.math.cumulative_logsumexp(plain * 100.0 - 500.0),
            tf.linalg.diag(odd), tf.math.asinh(far), tf.math.acosh(tf.abs(far) + 1.0),
            tf.math.unsorted_segment_max(plain, [0, 1, -1, 0, 2], 3), tf.nn.relu(lost), tf.maximum(lost, 0.5), tf.minimum(0.5, lost),
            tf.clip_by_value(lost, -1.0, 1.0), tf.reduce_max(lost), tf.clip_by_global_norm([odd], 1.0)[0][0], (plain - 3.5) * 1e8 % 3.0, plain % np.inf,
            tf.truncatemod((plain - 3.5) * 1e8, 3.0)]


def expected():
    eye = np.eye(3, dtype=bool)
    none = np.array([0, np.nan, 0])
    hundreds = PLAIN.astype(np.float64) * 100 - 500
    hundred_millions = ((PLAIN - np.float32(3.5)) * np.float32(1e8)).astype(np.float64)
    return [np.cumsum(ODD), np.cumsum(PLAIN) - PLAIN, np.cumsum(PLAIN[::-1])[::-1], np.logaddexp.reduce(PLAIN), np.inf,
            np.logaddexp.accumulate(PLAIN), np.logaddexp.accumulate(hundreds), np.where(eye, ODD[:, None], 0),
            np.arcsinh(FAR.astype(np.float64)), np.arccosh((np.abs(FAR) + 1).astype(np.float64)), [4, 2, 5], none, [0.5, np.nan, 0.5],
            none, none, np.nan, [np.nan] * 3, np.mod(hundred_millions, 3), PLAIN, np.fmod(hundred_millions, 3)]


def agree(found):
    return [bool(np.allclose(f, e, 2e-5, 1e-6, equal_nan=True)) for f, e in zip(found, expected())]


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
print("host", all(agree([np.asarray(each) for each in of_odd_numbers(*map(tf.constant, (ODD, PLAIN, FAR)))])))
with strategy.scope():
    found = strategy.run(tf.function(of_odd_numbers), (tf.constant(ODD), tf.constant(PLAIN), tf.constant(FAR)))
print("device", all(agree([each.numpy() for each in found])))


@tf.function
def unconnected(x):
    other = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([x, other])
        loss = tf.reduce_sum(x * x)
    return tape.gradient(loss, [x, other], unconnected_gradients=tf.UnconnectedGradients.ZERO)


with strategy.scope():
    print("unconnected", [each.numpy().tolist() for each in strategy.run(unconnected, (tf.constant([3.0]),))])

labels, outputs = np.array([[0, 1], [2, 2]], np.float32), np.array([[1, 0], [1, 4]], np.float32)
weights = np.array([0.7, 0.3], np.float32)
by_hand = float(np.mean(np.mean((labels - outputs) ** 2, 1) * weights))
loss = keras.losses.MeanSquaredError()
print("weights", [abs(float(loss(labels, outputs, sample_weight=each)) - by_hand) < 1e-6 for each in (weights, weights[:, None])])
try:
    loss(labels, outputs, sample_weight=np.ones((2, 2), np.float32))
except ValueError as error:
    print(error)
given = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0]])
layer = keras.layers.Dense(2, kernel_initializer=given, bias_initializer=tf.constant_initializer(np.array([5.0, 6.0])))
layer.build((None, 2))
print("given", [each.tolist() for each in layer.get_weights()])
print("remainders", float(tf.constant(1e9) % 3.0), float(tf.constant(5.0) % np.inf), tuple(tf.tile([1.0, 2.0], [0]).shape))
