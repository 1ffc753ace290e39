# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom getters of get_variable get all that it is given, and what it makes has its regulariser, collections and constraint."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.RandomState(0).randn(6, 4).astype(np.float32)
seen = {}


def stored_as_float32(getter, name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, *args, **kwargs):
    seen.update(kwargs, regularizer=regularizer is not None)
    made = getter(name, shape, dtype=tf.float32 if trainable else dtype, initializer=initializer, regularizer=regularizer,
                  trainable=trainable, *args, **kwargs)
    return tf.cast(made, dtype) if trainable and dtype != tf.float32 else made


def net(x):
    with tf.variable_scope("half", custom_getter=stored_as_float32, use_resource=True, dtype=tf.float16,
                           regularizer=tf.keras.regularizers.l2(0.5)):
        w = tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(0.25), collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES])
        tf.get_variable("steps", [], initializer=tf.zeros_initializer(), trainable=False, regularizer=lambda w: None, collections=["local_variables"])
    loss = tf.reduce_sum(tf.cast(tf.matmul(tf.cast(x, tf.float16), w), tf.float32) ** 2) + tf.losses.get_regularization_loss()
    return loss, w, tf.train.GradientDescentOptimizer(0.01).minimize(loss)


with tf.device("cpu"):
    fed = tf.placeholder(tf.float32, x.shape)
with ipu.scopes.ipu_scope("/device:IPU:0"):
    made = ipu.ipu_compiler.compile(net, [fed])
print(sorted(seen), seen["regularizer"])
print([[each.name for each in tf.get_collection(key)] for key in ("mine", "variables", "trainable_variables", "local_variables")])
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    loss, weights = session.run(made, {fed: x})[:2]
    after = session.run(tf.trainable_variables()[0])
h, w = x @ np.full((4, 2), 0.25), np.full((4, 2), 0.25)
print(weights.dtype, after.dtype, np.isclose(loss, (h ** 2).sum() + 0.5 * (w ** 2).sum(), rtol=1e-2),
      np.allclose(after, w - 0.01 * (x.T @ (2 * h) + w), rtol=1e-2))


# A getter within another one calls that one; a scope that is entered again has its own; what is there joins no other collection.
def scaled(getter, name, *args, **kwargs):
    return 2.0 * getter(name, *args, **kwargs)


def shifted(getter, name, *args, **kwargs):
    return 1.0 + getter(name, *args, **kwargs)


def get(**kwargs):
    return tf.get_variable("v", [2], initializer=None if kwargs.get("reuse") else tf.constant_initializer(3.0), **kwargs)


with tf.Graph().as_default(), tf.Session() as session:
    with tf.variable_scope("outer", custom_getter=scaled, initializer=tf.ones_initializer()):
        with tf.variable_scope("inner", custom_getter=shifted) as scope:
            first = get(collections=["mine", "local_variables"])
    with tf.variable_scope(scope, reuse=True):
        again = tf.get_variable("v", [2])
        with tf.variable_scope("below", reuse=False):
            try:
                tf.get_variable("new", [2])
            except ValueError as error:
                print(error)
    with tf.variable_scope(scope):
        ones = tf.get_variable("ones", [2])
        try:
            tf.get_variable("v", [2])
        except ValueError as error:
            print(error)
    with tf.variable_scope(scope, custom_getter=lambda getter, name, *args, **kwargs: getter(name, *args, **{**kwargs, "reuse": tf.AUTO_REUSE})):
        other = tf.get_variable("v", [2], collections=["other"])
    tf.get_variable("kept", [], initializer=tf.zeros_initializer(), collections=[])
    shared = tf.make_template("t", lambda: tf.get_variable("v", [], initializer=tf.constant_initializer(3.0)), custom_getter_=scaled)
    now = tf.make_template("t", lambda: tf.get_variable("v", [], initializer=tf.constant_initializer(3.0)), create_scope_now_=True, custom_getter_=shifted)
    of_templates = [shared(), shared(), now(), now()]
    print([[each.name for each in tf.get_collection(key)] for key in ("mine", "local_variables", "variables", "other", "trainable_variables")])
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    print([each.tolist() for each in session.run([first, again, ones, other])], session.run(of_templates))
