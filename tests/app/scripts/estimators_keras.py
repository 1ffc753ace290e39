# SPDX-License-Identifier: GPL-3.0-or-later
"""An IPUEstimator whose model_fn makes Keras layers: each graph names them anew, so that it evaluates and predicts by what it has
learnt, and starts again from a folder. Against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Dense
from tensorflow.python import ipu

random = np.random.default_rng(0)
x, y = random.normal(size=(32, 4)).astype(np.float32), random.integers(0, 3, 32).astype(np.int32)


def model_fn(features, labels, mode, params):
    logits = Sequential([Dense(5, "relu"), Dense(3)])(features)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, -1))})
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(params["rate"]).minimize(loss))


def batches():
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(8, drop_remainder=True).repeat(4)


def estimator(folder=None):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    run = ipu.ipu_run_config.IPURunConfig(iterations_per_loop=4, ipu_options=config)
    return ipu.ipu_estimator.IPUEstimator(model_fn, params={"rate": 0.5}, model_dir=folder,
                                          config=ipu.ipu_run_config.RunConfig(ipu_run_config=run))


def outputs(of):
    first, other = ([of.get_variable_value(f"{name}/{kind}") for kind in ("kernel", "bias")] for name in ("dense", "dense_1"))
    return np.maximum(x @ first[0] + first[1], 0) @ other[0] + other[1]


made = estimator()
made.train(batches, steps=16)
shown = made.evaluate(batches, steps=4)
logits = outputs(made)
shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
print(made.get_variable_names(), int(made.get_variable_value("global_step")))
print("evaluated", bool(np.isclose(shown["loss"], -np.log(shares[np.arange(32), y]).mean(), rtol=1e-4)),
      bool(np.isclose(shown["accuracy"], (logits.argmax(1) == y).mean(), rtol=1e-4)))
found = np.array([each["logits"] for each, _ in zip(made.predict(lambda: tf.data.Dataset.from_tensor_slices(x).batch(8, drop_remainder=True)), range(32))])
print("predicted", bool(np.allclose(found, logits, rtol=1e-4, atol=1e-5)))
print("again", bool(np.array_equal(outputs(estimator(made.model_dir)), logits)), made.latest_checkpoint().startswith(made.model_dir + "/model.ckpt-16"))

# Sessions: layers of another graph have the same names, those of one graph others.
for _ in range(2):
    with tf.Graph().as_default(), tf.Session():
        both = [Dense(2), Dense(2)]
        for each in both:
            each(tf.constant(x))
        print([variable.name for variable in tf.global_variables()])
