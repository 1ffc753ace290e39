# SPDX-License-Identifier: GPL-3.0-or-later
"""TensorFlow 1: what a step assigns, and in which order it is read; updates of the host; normalisations by groups and a
rate that rises again. Against NumPy and by hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()


def variable():
    return tf.get_variable("v", initializer=1.0, use_resource=True)


def ordered():
    v = variable()
    before = v.read_value()
    with tf.control_dependencies([before]):
        first = v.assign_add(2.0)
    with tf.control_dependencies([first]):
        second = v.assign_add(3.0)
    with tf.control_dependencies([second]):
        return before + v * 10.0  # 1 + 60


def apart():
    v = variable()
    return tf.group(v.assign_add(2.0), v.assign_sub(5.0), v.assign_add(7.0))  # in any order: 5


def averaged():
    """The mean moves by what the variable is after its update: 1 -> 1.4, and by half of 0.4."""
    v = variable()
    mean = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(v - 3.0))]):
        with tf.control_dependencies([mean.apply([v])]):
            return mean.average(v).read_value()


def lost():
    v = variable()
    with tf.control_dependencies([v.assign_add(2.0)]):
        return tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(v - 3.0))


def run(build, place, times=1):
    """What a step gives, and the variables after it."""
    with tf.Graph().as_default(), tf.Session() as session:
        if place == "host":
            made = build()
        else:
            with ipu.scopes.ipu_scope("/device:IPU:0"):
                made = ipu.ipu_compiler.compile(build, []) if place == "compiled" else build()
        session.run(tf.global_variables_initializer())
        for _ in range(times):
            given = session.run(made)
        given = given[0] if isinstance(given, list) else given
        return None if given is None else float(given), [float(session.run(v)) for v in tf.global_variables()]


for where in ("host", "cluster", "compiled"):
    print(where, run(ordered, where), run(apart, where)[1], np.round(run(averaged, where)[1], 5).tolist())
try:
    run(lost, "compiled")
except Exception as error:
    print(error)


def trained(optimizer):
    """Weights and losses of a step of the host each; the loss is that before the update."""
    x = np.random.RandomState(0).randn(8, 3).astype("f")
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [8, 3])
        w = tf.get_variable("w", initializer=tf.ones([3, 1]))
        loss = tf.reduce_mean(tf.square(tf.matmul(fed, w)))
        step = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
        session.run(tf.global_variables_initializer())
        losses = [session.run([step, loss], {fed: x})[1] for _ in range(3)]
        found, steps = session.run([w, tf.train.get_global_step()])
    k, speed, wanted = np.ones((3, 1)), 0.0, []
    for _ in range(3):
        wanted.append(np.mean((x @ k) ** 2))
        speed = 0.9 * speed + 2 * x.T @ (x @ k) / 8
        k = k - 0.1 * speed
    return np.allclose(losses, wanted, rtol=1e-4) and np.allclose(found, k, atol=1e-5), int(steps)


print("host trains", trained(tf.train.MomentumOptimizer(0.1, 0.9)))
with tf.Graph().as_default(), tf.Session() as session:
    print("known", session.run(tf.tile(np.array([1, 2]), [2])).tolist())
    step = tf.placeholder(tf.int32, [])
    rate = tf.train.polynomial_decay(0.1, step, 2, 0.01, cycle=True)
    print("rate", [round(float(session.run(rate, {step: i})), 4) for i in range(5)])

image = np.random.RandomState(1).randn(2, 3, 3, 6).astype("f")


def normal(axes, groups):
    parts = image.reshape(2, 9, *groups)
    return ((parts - parts.mean(axes, keepdims=True)) / np.sqrt(parts.var(axes, keepdims=True) + 0.1)).reshape(image.shape)


def normalised(**settings):
    with tf.Graph().as_default(), tf.Session() as session:
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(
                lambda: ipu.normalization_ops.group_norm(tf.constant(image), groups=2, epsilon=0.1, **settings), [])
        session.run(tf.global_variables_initializer())
        return np.reshape(session.run(made), image.shape)


print("strided", np.allclose(normalised(), normal((1, 2), (3, 2)), atol=1e-5))
print("in a row", np.allclose(normalised(strided_channel_grouping=False), normal((1, 3), (2, 3)), atol=1e-5))
