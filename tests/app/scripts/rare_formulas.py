# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that few scripts use, on the host and the device: against NumPy, what they undo, and worked by hand."""
import math

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
draw = np.random.default_rng(0)
steps, filters = draw.normal(size=(2, 4, 3)).astype("f"), draw.normal(size=(3, 5, 3)).astype("f")
erf = np.vectorize(math.erf)


def on_both(name, function, expected, *arguments, atol=1e-5):
    arguments = [tf.constant(each) for each in arguments]
    with strategy.scope():
        device = strategy.run(tf.function(function), arguments)
    print(name, [bool(np.shape(made) == np.shape(expected) and np.allclose(made, expected, atol=atol)) for made in (function(*arguments), device)])


def transposed(x, w, made):
    """Steps of 2; of the 8 that are made the first is the second half of none: as SAME pads 1 behind."""
    y = np.zeros((len(x), made + 1, w.shape[1]))
    for i in range(x.shape[1]):
        for k in range(w.shape[0]):
            y[:, 2 * i + k] += x[:, i] @ w[k].T
    return y[:, :made]


shares = np.float32([-0.9999, -0.5, 0.0, 0.3, 0.99])
on_both("erfinv", lambda x: tf.math.erf(tf.math.erfinv(x)), shares, shares)
on_both("ends", tf.math.erfinv, [-np.inf, np.inf], np.float32([-1, 1]))
on_both("ndtri", tf.math.ndtri, [-1.95996398, 0.0, 1.64485363], np.float32([0.025, 0.5, 0.95]))
on_both("erfcinv", lambda x: 1.0 - tf.math.erf(tf.math.erfcinv(x)), [0.2, 1.5], np.float32([0.2, 1.5]))
on_both("transposed", lambda x, w: tf.nn.conv1d_transpose(x, w, [2, 8, 5], 2), transposed(steps, filters, 8), steps, filters)
on_both("largest", lambda x: tf.nn.pool(x, [2], "MAX", [2]), steps.reshape(2, 2, 2, 3).max(2), steps)
on_both("means", lambda x: tf.nn.pool(x, [2], "AVG", [2], data_format="NCW"), steps.transpose(0, 2, 1)[:, :, :2].reshape(2, 3, 1, 2).mean(-1),
        np.ascontiguousarray(steps.transpose(0, 2, 1)[:, :, :2]))
on_both("yiq", lambda x: tf.image.yiq_to_rgb(tf.image.rgb_to_yiq(x)), steps, steps)
on_both("grey", lambda x: tf.image.rgb_to_yiq(x), [[0.5, 0.0, 0.0]], np.float32([[0.5, 0.5, 0.5]]), atol=1e-3)
on_both("bins", lambda x: tf.histogram_fixed_width_bins(x, [0.0, 5.0], 5), [0, 0, 1, 2, 4, 4], np.float32([-1, 0, 1.5, 2, 5, 15]))
on_both("discrete", keras.layers.Discretization([0.0, 1.0, 2.0]), [[0, 3, 1], [2, 1, 0]], np.float32([[-1.5, 3.4, 0.5], [1.0, 0.0, -0.1]]))


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.grad_pass_through(tf.round)(x) * [2.0, 5.0])
    return tf.stack([tape.gradient(y, x), tf.round(x)])


on_both("passed", slope, [[2.0, 5.0], [0.0, 3.0]], np.float32([0.2, 2.7]))
parts = tf.dynamic_partition(tf.constant([[1, 2], [3, 4], [5, 6]]), [1, 0, 1], 3)
print([each.numpy().tolist() for each in parts], tf.get_static_value(tf.constant(3)), tf.as_string(tf.constant([1, 2])).numpy().tolist())
print([each.numpy().tolist() for each in tf.shape_n([parts[0], parts[1]])], tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist())
drawn = tf.random.stateless_categorical(tf.math.log([[0.2, 0.8]]), 2000, [1, 2]).numpy()
print(drawn.shape, bool(abs(drawn.mean() - 0.8) < 0.04), bool((drawn == tf.random.stateless_categorical(tf.math.log([[0.2, 0.8]]), 2000, [1, 2])).numpy().all()))
with strategy.scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Discretization([0.0, 1.0]), keras.layers.Embedding(3, 2), keras.layers.Flatten()])
    table = model.get_weights()[0]
    print(bool(np.allclose(model.predict(np.float32([[-1, 0.5, 9]]), batch_size=1), table.reshape(1, -1))))
