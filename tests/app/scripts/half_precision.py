# SPDX-License-Identifier: GPL-3.0-or-later
"""Training in float16 with weights of float32: variables through a getter, a scaled loss, gradients over the scale; in a loop, and in an
estimator. Against NumPy."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
parser = argparse.ArgumentParser()
parser.add_argument("precision", choices=["mixed", "float32"])
parser.add_argument("--scale", type=float, default=2.0 ** 8)
parser.add_argument("--partials", action="store_true")
given = parser.parse_args()
STEPS, BATCH, RATE = 8, 4, 0.05
kind = tf.float16 if given.precision == "mixed" else tf.float32
draw = np.random.RandomState(1)
x = draw.randn(STEPS * BATCH, 6).astype(kind.as_numpy_dtype)
y = draw.randint(0, 3, STEPS * BATCH).astype(np.int32)
first = (draw.randn(6, 3) * 0.5).astype("f")


def float32_kept(getter, name, shape=None, dtype=None, trainable=True, *args, **kwargs):
    if not trainable or dtype == tf.float32:
        return getter(name, shape, dtype, *args, trainable=trainable, **kwargs)
    return tf.cast(getter(name, shape, tf.float32, *args, trainable=trainable, **kwargs), dtype, name=name + "/compute")


def loss_of(a, labels):
    with tf.variable_scope("net", custom_getter=float32_kept, use_resource=True):
        kernel = tf.get_variable("kernel", first.shape, kind, tf.constant_initializer(first))
    return tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=tf.matmul(a, kernel))


def update_of(loss):
    optimizer = tf.train.GradientDescentOptimizer(RATE)
    pairs = optimizer.compute_gradients(loss * given.scale)
    return optimizer.apply_gradients([(gradient / given.scale, variable) for gradient, variable in pairs])


def by_numpy():
    kernel, losses = first.copy(), []
    for a, labels in zip(x.reshape(STEPS, BATCH, -1).astype("f"), y.reshape(STEPS, BATCH)):
        logits = a @ kernel.astype(kind.as_numpy_dtype).astype("f")
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        losses.append(-np.log(p[np.arange(BATCH), labels]).mean())
        kernel -= RATE * (a.T @ (p - np.eye(3)[labels]) / BATCH).astype("f")
    return kernel, losses


def data():
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(BATCH, drop_remainder=True)


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
for name in ("inv", "div0", "oflo", "nanoo"):
    setattr(config.floating_point_behaviour, name, True)
if given.partials:
    config.matmuls.poplar_options = {"partialsType": "half"}
config.configure_ipu_system()
queue = ipu.ipu_infeed_queue.IPUInfeedQueue(data())


def body(total, a, labels):
    loss = loss_of(a, labels)
    return total + loss, update_of(loss)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    trained = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(STEPS, body, tf.constant(0.0, kind), queue))
kernel, losses = by_numpy()
near = {"rtol": 2e-2, "atol": 2e-3} if given.precision == "mixed" else {"rtol": 1e-4, "atol": 1e-6}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(queue.initializer)
    total = session.run(trained)[0]
    variable, = tf.trainable_variables()
    value = session.run(variable)
    print(variable.dtype.name, total.dtype, np.allclose(total, np.sum(losses), **near), np.allclose(value, kernel, **near), value.dtype)


def model_fn(features, labels, mode, params):
    loss = loss_of(features, labels)
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=update_of(loss))


run = ipu.ipu_run_config.RunConfig(ipu_run_config=ipu.ipu_run_config.IPURunConfig(iterations_per_loop=STEPS // 2, ipu_options=config),
                                   log_step_count_steps=STEPS)
estimator = ipu.ipu_estimator.IPUEstimator(model_fn, config=run)
estimator.train(data, steps=STEPS)
print("estimator", estimator.get_variable_names(), np.allclose(estimator.get_variable_value("net/kernel"), kernel, **near))
