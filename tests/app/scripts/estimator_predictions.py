# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictions of estimators: as many as are asked for, of the keys that are, and by stages of a pipeline, too."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.ipu_pipeline_estimator import IPUPipelineEstimator, IPUPipelineEstimatorSpec

tf.disable_v2_behavior()
draw = np.random.RandomState(0).randn
X, W, V = draw(24, 3).astype(np.float32), draw(3, 4).astype(np.float32), draw(4, 2).astype(np.float32)
labels = (X[:, 0] > 0).astype(np.int32)
scores = np.tanh(X @ W) @ V


def run_config(**settings):
    options = ipu.config.IPUConfig()
    options.auto_select_ipus = settings.get("num_shards", 1)
    return ipu.ipu_run_config.RunConfig(ipu_run_config=ipu.ipu_run_config.IPURunConfig(ipu_options=options, **settings))


def data(*columns):
    return lambda: tf.data.Dataset.from_tensor_slices(columns if columns[1:] else columns[0]).batch(4, drop_remainder=True)


def hidden(x):
    return tf.tanh(tf.matmul(x, tf.get_variable("w", initializer=tf.constant(W), use_resource=True)))


def output(x):
    return tf.matmul(x, tf.get_variable("v", initializer=tf.constant(V), use_resource=True))


def model_fn(features, labels, mode):
    made = output(hidden(features))
    return tf.estimator.EstimatorSpec(mode, predictions={"score": made, "class": tf.argmax(made, 1, output_type=tf.int32)})


def stages_fn(mode):
    def first(x, y=None):
        return hidden(x) if y is None else (hidden(x), y)

    def last(h, y=None):
        made = output(h)
        if mode == tf.estimator.ModeKeys.PREDICT:
            return made
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=made)), made, y

    def metrics(loss, made, y):
        return {"loss": loss, "accuracy": tf.metrics.accuracy(y, tf.argmax(made, 1, output_type=tf.int32))}
    return IPUPipelineEstimatorSpec(mode, computational_stages=[first, last], eval_metrics_fn=metrics, gradient_accumulation_count=2)


estimator = ipu.ipu_estimator.IPUEstimator(model_fn, config=run_config(iterations_per_loop=4))
for settings in ({}, {"num_predictions": 5}, {"predict_keys": ["class"], "num_predictions": 9}, {"yield_single_examples": False, "num_predictions": 2}):
    found = list(estimator.predict(data(X), **settings))
    given = np.concatenate([np.atleast_2d(each["score"]) for each in found]) if "score" in found[0] else None
    print(len(found), sorted(found[0]), given is None or np.allclose(given, scores[:len(given)], atol=1e-5),
          np.array_equal(np.hstack([each["class"] for each in found]), scores.argmax(1)[:len(found) * np.size(found[0]["class"])]))
try:
    next(estimator.predict(data(X), predict_keys="none"))
except ValueError as error:
    print(error)
piped = IPUPipelineEstimator(stages_fn, config=run_config(iterations_per_loop=4, num_shards=2))
print(np.allclose(list(piped.predict(data(X))), scores, atol=1e-5), len(list(piped.predict(data(X), num_predictions=7))))
found = piped.evaluate(data(X, labels))
shares = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
print(np.isclose(found["loss"], -np.log(shares[range(24), labels]).mean()), np.isclose(found["accuracy"], (scores.argmax(1) == labels).mean()))
