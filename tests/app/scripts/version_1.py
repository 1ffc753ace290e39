# SPDX-License-Identifier: GPL-3.0-or-later
# A script for TensorFlow 1.15: `tensorflow` has its names. Normalisations, a pipeline estimator, decaying rates.
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu
from tensorflow.python.ipu import normalization_ops

values = np.random.default_rng(3).normal(size=(2, 3, 3, 4)).astype(np.float32)


def normal(x, axes):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1.53e-5)


given = tf.placeholder(tf.float32, [2, 3, 3, 4])
with ipu.scopes.ipu_scope("/device:IPU:0"):
    made = ipu.ipu_compiler.compile(lambda x: (normalization_ops.layer_norm(x), normalization_ops.group_norm(x, groups=2)),
                                    [given])
rate = tf.train.exponential_decay(0.1, tf.constant(3), 2, 0.5, staircase=True)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    layers, groups = session.run(made, {given: values})
    print(np.allclose(layers, normal(values, (1, 2, 3)), atol=1e-5),
          np.allclose(groups, normal(values.reshape(2, 3, 3, 2, 2), (1, 2, 3)).reshape(values.shape), atol=1e-5),
          np.isclose(session.run(rate), 0.05))

open_shape = tf.placeholder(tf.float32, [None, 2])
with ipu.scopes.ipu_scope("/device:IPU:0"):
    doubled = open_shape * 2.0
with tf.Session() as session:
    for rows in ([[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]]):
        print(session.run(doubled, {open_shape: rows}).tolist())

FEATURES = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0], [2.0, 2.0]], np.float32)
LABELS = np.array([[1.0], [2.0], [-1.0], [0.5]], np.float32)


class Hook(tf.train.SessionRunHook):
    runs = 0

    def after_run(self, run_context, run_values):
        self.runs += 1


def model_fn(mode, params):
    def multiply(x, t):
        with tf.variable_scope("w", use_resource=True):
            return tf.matmul(x, tf.get_variable("w", initializer=tf.constant([[0.5], [-0.25]]))), t

    def compare(y, t):
        return y if mode == tf.estimator.ModeKeys.PREDICT else tf.reduce_mean(tf.square(y - t))

    def update(loss):
        return ipu.pipelining_ops.OptimizerFunctionOutput(tf.train.GradientDescentOptimizer(params["rate"]), loss)

    return ipu.ipu_pipeline_estimator.IPUPipelineEstimatorSpec(
        mode, [multiply, compare], gradient_accumulation_count=4, optimizer_function=update,
        eval_metrics_fn=lambda loss: {"loss": loss, "double": 2.0 * loss})


options = ipu.config.IPUConfig()
options.auto_select_ipus = 2
estimator = ipu.ipu_pipeline_estimator.IPUPipelineEstimator(model_fn, params={"rate": 0.05}, config=ipu.ipu_run_config.RunConfig(
    ipu_run_config=ipu.ipu_run_config.IPURunConfig(iterations_per_loop=8, num_shards=2, ipu_options=options)))
hook = Hook()
estimator.train(lambda: tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat().batch(1, drop_remainder=True),
                steps=16, hooks=[hook])
w = np.array([[0.5], [-0.25]], np.float32)
for _ in range(4):
    w = w - 0.05 * sum(2 * x[:, None] @ (x[None] @ w - t[None]) for x, t in zip(FEATURES, LABELS))
found = estimator.get_variable_value("w/w")
print(np.allclose(found, w, atol=1e-5), hook.runs)
loss = np.mean((FEATURES @ w - LABELS) ** 2)
values = estimator.evaluate(lambda: tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).batch(1, drop_remainder=True), steps=4)
print(np.isclose(values["loss"], loss, atol=1e-4), np.isclose(values["double"], 2 * loss, atol=1e-4), values["global_step"])
