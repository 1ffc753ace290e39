# SPDX-License-Identifier: GPL-3.0-or-later
"""An IPUEstimator on data whose length nobody knows before their end: generators, and what a filter leaves. By hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
read = []


def model_fn(features, labels, mode):
    weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=features * 2.0)
    loss = tf.reduce_mean(features)
    train_op = tf.train.GradientDescentOptimizer(1.0).minimize(loss - weight)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def numbers(count):
    def generator():
        for i in range(count):
            read.append(i)
            yield np.full(2, i, np.float32)
    return lambda: tf.data.Dataset.from_generator(generator, tf.float32, [2])


def filtered():
    return tf.data.Dataset.range(9).filter(lambda i: tf.equal(i % 2, 0)).map(lambda i: tf.fill([2], tf.cast(i, tf.float32)))


for replicas in (1, 2):
    options = ipu.config.IPUConfig()
    options.auto_select_ipus = replicas
    config = ipu.ipu_run_config.RunConfig(ipu_run_config=ipu.ipu_run_config.IPURunConfig(
        iterations_per_loop=2, ipu_options=options, num_replicas=replicas))
    estimator = ipu.ipu_estimator.IPUEstimator(model_fn, config=config)
    read.clear()
    if replicas == 1:
        estimator.train(numbers(7))  # three loops of two steps
        print(estimator.get_variable_value("weight"), read)
        estimator.train(numbers(1))  # half of one
        estimator.train(lambda: tf.data.Dataset.from_tensor_slices(np.zeros((1, 2), np.float32)))
        print(estimator.get_variable_value("weight"), estimator.global_step)
        read.clear()
        tf.logging.set_verbosity(tf.logging.INFO)
        for most in (6, 4, 8):  # two steps more than there were
            print(estimator.train(numbers(4), max_steps=most) is estimator, read, estimator.global_step)
        tf.logging.set_verbosity(tf.logging.WARN)
        try:
            estimator.train(numbers(4), steps=2, max_steps=10)
        except ValueError as error:
            print(error)
    losses = [estimator.evaluate(each)["loss"] for each in (numbers(5), filtered, lambda: tf.data.Dataset.from_tensor_slices(
        np.full((8, 2), 3.0, np.float32)))]
    print(losses, [each.tolist() for each in estimator.predict(numbers(5), yield_single_examples=False)],
          [float(each) for each in estimator.predict(filtered, num_predictions=3)])
    for wrong in (lambda: estimator.evaluate(numbers(0)), lambda: estimator.evaluate(lambda: filtered().filter(lambda i: False)), lambda: estimator.evaluate(lambda: numbers(2)().repeat())):
        try:
            wrong()
        except ValueError as error:
            print(error)
