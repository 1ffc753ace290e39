# SPDX-License-Identifier: GPL-3.0-or-later
# An estimator whose host updates the weights by the gradients of each step, and one whose host counts; and what is wrong.
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu


def estimator_of(host_call, loops=1):
    def model_fn(features, labels, mode):
        w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(features @ w - labels))
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        pairs = optimizer.compute_gradients(loss, var_list=[w])
        return ipu.ipu_estimator.IPUEstimatorSpec(mode, loss=loss, train_op=tf.identity(loss),
                                                  host_call=host_call(optimizer, w, [each for each, _ in pairs], loss))
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    run_config = ipu.ipu_run_config.IPURunConfig(iterations_per_loop=loops, ipu_options=config)
    return ipu.ipu_estimator.IPUEstimator(model_fn=model_fn, config=ipu.ipu_run_config.RunConfig(ipu_run_config=run_config))


def input_fn():
    ones = np.ones((16, 5), np.float32)
    return tf.data.Dataset.from_tensor_slices((ones[:, :4], ones[:, 4:])).repeat().batch(4, drop_remainder=True)


updated = estimator_of(lambda optimizer, w, gradients, loss: (lambda *given: optimizer.apply_gradients(zip(given, [w])), gradients))
updated.train(input_fn, steps=3)
weight = 0.0
for _ in range(3):
    weight -= 0.05 * 2 * (4 * weight - 1)
print(np.allclose(updated.get_variable_value("w"), weight))

counted = estimator_of(lambda optimizer, w, gradients, loss: (
    lambda value: tf.assign_add(tf.get_variable("sum", [], tf.float32, tf.zeros_initializer()), value), [loss]))
counted.train(input_fn, steps=3)
print(counted.get_variable_value("sum"))
for wrong, loops in ((lambda *given: [abs, []], 1), (lambda *given: (abs,), 1), (lambda *given: (1, []), 1), (lambda *given: (abs, {}), 1),
                     (lambda optimizer, w, gradients, loss: (abs, [loss]), 2), (lambda optimizer, w, gradients, loss: (lambda value: 3, [loss]), 1)):
    try:
        estimator_of(wrong, loops).train(input_fn, steps=2)
    except (TypeError, ValueError) as error:
        print(error)
