# SPDX-License-Identifier: GPL-3.0-or-later
"""The running variance of batch norms, and batch renormalisation, against NumPy by the formulas of TensorFlow 2.6."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
random = np.random.default_rng(0)


def running(shape, **settings):
    """(variance that a layer has after one batch, that of the batch) with a momentum of 0.5."""
    x = random.normal(size=shape).astype(np.float32)
    with strategy.scope():
        layer = keras.layers.BatchNormalization(momentum=0.5, **settings)
        model = keras.Sequential([keras.Input(shape[1:], batch_size=shape[0]), layer])
        model.compile("sgd", "mse")
        model.fit(x, x, batch_size=shape[0], verbose=0)
    axis = settings.get("axis", -1) % len(shape)
    return layer.get_weights()[3], x.var(tuple(i for i in range(len(shape)) if i != axis))


def kept(shape, factor, **settings):
    found, variance = running(shape, **settings)
    return bool(np.allclose(found, 0.5 + 0.5 * variance * factor, rtol=1e-5))


print("fused", kept((2, 2, 2, 3), 8 / 7), kept((2, 3, 2, 2), 8 / 7, axis=1), kept((2, 2, 1, 2, 3), 8 / 7), kept((1, 1, 1, 3), 1.0))
print("not", kept((8, 3), 1.0), kept((4, 2, 3), 1.0), kept((2, 2, 2, 3), 1.0, fused=False), kept((2, 3, 2, 2), 1.0, axis=2))

with tf.Graph().as_default(), tf1.Session() as session:
    rows = random.normal(size=(2, 2, 2, 3)).astype(np.float32)
    norms = [tf1.layers.batch_normalization(tf.constant(each), momentum=0.5, training=True, **more) for each, more in (
        (rows, {}), (rows, {"fused": False}), (rows.reshape(8, 3), {}))]
    session.run(tf1.global_variables_initializer())
    session.run(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS))
    found = session.run([each for each in tf1.global_variables() if "moving_variance" in each.name])
    print("version 1", [bool(np.allclose(each, 0.5 + 0.5 * rows.var((0, 1, 2)) * factor, rtol=1e-5)) for each, factor in zip(found, (8 / 7, 1, 1))])

# Renormalisation: dense, norm; the mean square of what comes out, by gradients in NumPy. r and d are constants in them.
STEPS, RATE, EPSILON = 4, 0.1, 0.01
CLIPPING = {"rmax": 1.3, "rmin": 0.5, "dmax": 0.4}
x, target = random.normal(1.0, 3.0, size=(STEPS * 6, 3)).astype(np.float32), random.normal(size=(STEPS * 6, 2)).astype(np.float32)
with strategy.scope():
    norm = keras.layers.BatchNormalization(renorm=True, renorm_clipping=CLIPPING, renorm_momentum=0.7, momentum=0.8, epsilon=EPSILON)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, use_bias=False), norm])
    model.compile(keras.optimizers.SGD(RATE), "mse", steps_per_execution=STEPS)
    kernel = model.layers[0].get_weights()[0].astype(np.float64)
    history = model.fit(x, target, batch_size=6, shuffle=False, verbose=0)
    shown = model.predict(x, batch_size=6)
gamma, beta, mean, variance, deviation, of_mean, of_deviation = np.ones(2), np.zeros(2), np.zeros(2), np.ones(2), np.ones(2), np.zeros(2), np.ones(2)
for step in range(STEPS):
    a, t = np.float64(x[step * 6:][:6]), target[step * 6:][:6]
    h = a @ kernel
    m, s = h.mean(0), np.sqrt(h.var(0) + EPSILON)
    seen = np.maximum(of_deviation, np.sqrt(EPSILON))
    r, d = np.clip(s / seen, 0.5, 1.3), np.clip((m - of_mean) / seen, -0.4, 0.4)
    normal = (h - m) / s
    y = (normal * r + d) * gamma + beta
    slope = 2 * (y - t) / y.size
    of_normal = slope * gamma * r
    of_h = (of_normal - of_normal.mean(0) - normal * (of_normal * normal).mean(0)) / s
    gamma, beta, kernel = gamma - RATE * (slope * (normal * r + d)).sum(0), beta - RATE * slope.sum(0), kernel - RATE * a.T @ of_h
    of_mean, of_deviation = of_mean * 0.7 + m * 0.3, of_deviation * 0.7 + s * 0.3
    mean, deviation = mean * 0.8 + m * 0.2, deviation * 0.8 + s * 0.2
    variance = np.maximum(deviation ** 2 - EPSILON, 0)
wanted = [kernel, gamma, beta, mean, variance, deviation, of_mean, of_deviation]
print("renorm", [bool(np.allclose(a, b, rtol=1e-4, atol=1e-5)) for a, b in zip(model.get_weights(), wanted)], [each.name for each in norm.weights])
print("evaluated", bool(np.allclose(shown, (x @ kernel - mean) / np.sqrt(variance + EPSILON) * gamma + beta, rtol=1e-4, atol=1e-4)),
      sorted(key for key in norm.get_config() if "renorm" in key), sorted(key for key in keras.layers.BatchNormalization().get_config() if "renorm_" in key))
try:
    running((8, 3), renorm=True, renorm_clipping={"max": 1.0})
except Exception as error:  # pylint: disable=broad-except
    print(error)

# Of float16 all variables are float16, in IPU TensorFlow's layers of both versions; an average moves by (average - value) (1 - momentum), each
# rounded to float16, so that a share that float16 has not, 0.9999, is none that it is multiplied by.
half = np.full((32, 2, 2, 3), 2.0, np.float16)
with tf.Graph().as_default(), tf1.Session() as session:
    normal = tf1.layers.batch_normalization(tf.constant(half), momentum=0.9999, training=True)
    session.run(tf1.global_variables_initializer())
    for _ in range(3):
        session.run(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS))
    first = session.run("batch_normalization/moving_mean:0")
    session.run(tf1.global_variables()[2].assign(np.full(3, 1.5, np.float16)))
    session.run(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS))
    share, value = np.float16(1 - 0.9999), np.float16(0)
    for _ in range(3):
        value = np.float16(value - np.float16(np.float16(value - np.float16(2)) * share))
    print("half", normal.dtype.name, {each.dtype.base_dtype.name for each in tf1.global_variables()}, np.all(first == value),
          session.run("batch_normalization/moving_mean:0").tolist())
with strategy.scope():
    layer = keras.layers.BatchNormalization(dtype="float16")
    layer.build((None, 3))
    print("half", {each.dtype.name for each in layer.weights})
    layer = keras.layers.BatchNormalization(dtype="mixed_float16")
    layer.build((None, 3))
    print("mixed", {each.dtype.name for each in layer.weights})
