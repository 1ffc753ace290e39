# SPDX-License-Identifier: GPL-3.0-or-later
"""An IPUEstimator, its checkpoint, tf.metrics and tf.train.Saver, against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
x = np.linspace(-1, 1, 24 * 3, dtype=np.float32).reshape(24, 3)
y = (x.sum(1, keepdims=True) > 0).astype(np.float32)
RATE = 0.2


def model_fn(features, labels, mode, params):
    kernel = tf.get_variable("kernel", [3, 1], initializer=tf.zeros_initializer())
    scores = tf.matmul(features, kernel) + params["offset"]
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"score": scores})
    loss = tf.losses.mean_squared_error(labels, scores)
    if mode == tf.estimator.ModeKeys.TRAIN:
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(RATE).minimize(loss))
    hits = tf.metrics.accuracy(labels, tf.cast(scores > 0.5, tf.int32))
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": hits})


def input_fn():
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(4, drop_remainder=True)


options = ipu.config.IPUConfig()
options.auto_select_ipus = 1
config = ipu.ipu_run_config.RunConfig(model_dir="model", ipu_run_config=ipu.ipu_run_config.IPURunConfig(
    iterations_per_loop=3, ipu_options=options))
estimator = ipu.ipu_estimator.IPUEstimator(model_fn, config=config, params={"offset": 0.25})
estimator.train(input_fn, steps=6)
kernel = np.zeros((3, 1), np.float32)
for step in range(6):
    a, b = x[4 * step:][:4], y[4 * step:][:4]
    kernel = kernel - RATE * 2 * a.T @ (a @ kernel + 0.25 - b) / 4
print("kernel", np.allclose(estimator.get_variable_value("kernel"), kernel, rtol=1e-4))
scores = x @ kernel + 0.25
for attempt in (estimator, ipu.ipu_estimator.IPUEstimator(model_fn, config=config, params={"offset": 0.25})):
    found = attempt.evaluate(input_fn, steps=6)
    print(sorted(found), found["global_step"], np.isclose(found["loss"], ((scores - y) ** 2).mean(), rtol=1e-4),
          np.isclose(found["accuracy"], ((scores > 0.5) == y).mean()))
predicted = np.array([each["score"] for each in estimator.predict(input_fn)])
print("scores", np.allclose(predicted, scores, rtol=1e-4))

# A session's variables in a file, and back.
with tf.Graph().as_default():
    a = tf.get_variable("a", initializer=tf.constant([1.0, 2.0]))
    twice = a.assign(a * 2.0)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(twice)
        print(saver.save(session, "kept/values", global_step=7))
        session.run(twice)
    with tf.Session() as session:
        saver.restore(session, tf.train.latest_checkpoint("kept"))
        print(session.run(a))
        tf.train.Saver({"other": a}).save(session, "named/values")
        session.run(twice)
        tf.train.Saver({"other": a}).restore(session, "named/values")
        reader = tf.train.load_checkpoint("named")
        print(session.run(a), reader.get_variable_to_shape_map(), reader.has_tensor("a"), tf.train.load_variable("named", "other"))
        try:
            reader.get_tensor("a")
        except tf.errors.NotFoundError as error:
            print(error)
for call in (lambda: estimator.evaluate(input_fn, steps=0), lambda: estimator.train(input_fn, max_steps=-1)):
    try:
        call()
    except ValueError as error:
        print(error)
