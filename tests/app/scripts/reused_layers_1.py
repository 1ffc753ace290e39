# SPDX-License-Identifier: GPL-3.0-or-later
"""Default names of TensorFlow 1's layers: a scope that is opened again by its name begins anew, so that `reuse` finds what was made in it; one that is
opened while it lasts goes on."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()


def judged(x, reuse=False):
    with tf.variable_scope("judge", reuse=reuse, use_resource=True):
        return tf.layers.dense(tf.layers.dense(x, 3, activation=tf.nn.relu), 1)


def made(x):
    with tf.variable_scope("maker", use_resource=True):
        return tf.layers.dense(tf.layers.dense(x, 4), 2)


def both(real, noise):
    made_up = made(noise)
    return judged(real), judged(made_up, reuse=True), made_up


real, noise = np.random.default_rng(0).normal(size=(2, 4, 2)).astype("f")
feeds = tf.placeholder(tf.float32, [4, 2]), tf.placeholder(tf.float32, [4, 2])
with ipu.scopes.ipu_scope("/device:IPU:0"):
    outputs = ipu.ipu_compiler.compile(both, list(feeds))
names = [each.name for each in tf.trainable_variables()]
print(names[::2])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    first, second, made_up = session.run(outputs, dict(zip(feeds, (real, noise))))
    weights = dict(zip(names, session.run(tf.trainable_variables())))


def by_hand(x):
    kernel, bias, last, end = (weights[f"judge/{name}:0"] for name in ("dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"))
    return np.maximum(x @ kernel + bias, 0) @ last + end


print(np.allclose(first, by_hand(real), atol=1e-5), np.allclose(second, by_hand(made_up), atol=1e-5))
with tf.Graph().as_default():
    x = tf.zeros([4, 2])
    with tf.variable_scope("a") as scope:
        tf.layers.dense(x, 1)
        with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
            tf.layers.dense(x, 1)
    with tf.variable_scope(scope, reuse=True):
        tf.layers.dense(x, 1)
    with tf.variable_scope(None, "b"):
        tf.layers.Dense(1)(x)
        tf.layers.Dense(1)(x)
    with tf.variable_scope(None, "b"):
        tf.layers.conv2d(tf.zeros([1, 4, 4, 2]), 1, 2)
    try:
        with tf.variable_scope("a"):
            tf.layers.dense(x, 1)
    except ValueError as error:
        print(str(error).split(",", maxsplit=1)[0])
    print([each.name for each in tf.trainable_variables()][::2])
