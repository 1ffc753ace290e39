# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms of public scripts of IPU TensorFlow's age: shapes and their extents, NumPy's older names, modules that are imported and not used,
texts in capitals, products of batches that are repeated."""
import importlib.util

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.compat.v2 as tf2
import tensorflow_addons as tfa
from tensorflow import keras
from tensorflow.python.framework import graph_util
from tensorflow.python.tools import freeze_graph

try:
    import tensorflow_hub
except ImportError as error:
    print("without", error.name)
print(importlib.util.find_spec("tensorflow_hub"))
print(np.dtype(np.bool), np.dtype(np.int), np.dtype(np.float), np.array(["a", 1], np.object).dtype)
rows, columns = tf.zeros([2, 3]).shape
print(rows.value, columns.value, [each.value for each in tf.zeros([2, 3]).shape.dims], tf.zeros([2, 3]).shape[1] * 2)
shape = tf.TensorShape([2, None])
print(shape.merge_with([None, 3]), shape.concatenate([4]), shape.is_compatible_with([2, 9]), shape.is_compatible_with([3, 9]),
      tf.TensorShape(None).with_rank(2), shape.with_rank_at_least(1))
for wrong in (lambda: shape.with_rank(3), lambda: shape.assert_is_compatible_with([3, 3]), lambda: shape.assert_has_rank(1),
              lambda: shape.with_rank_at_least(3)):
    try:
        wrong()
    except ValueError as error:
        print(error)
a, b = (np.random.default_rng(0).normal(size=size).astype(np.float32) for size in ((4, 2, 5, 3), (1, 2, 3, 6)))
print([np.allclose(tf.matmul(*each), each[0] @ each[1], atol=1e-5) for each in ((a, b), (a, b[0, 0]), (b[0, 0].T, a.transpose(0, 1, 3, 2)))])
with tf.Graph().as_default(), tf1.Session() as session:
    x = tf1.placeholder(tf.float32, [2, 6, 6, 3])
    made = [tf1.layers.Conv2D(4, 3, activation="relu", name="part/conv")(x), tf1.layers.dense(x, 2, activation="tanh"),
            keras.layers.DepthwiseConv2D([1, 3], padding="SAME")(x), tf1.layers.Conv2DTranspose(2, 3)(x)]
    session.run(tf1.global_variables_initializer())
    print([each.shape for each in session.run(made, {x: np.ones([2, 6, 6, 3])})], session.run(made[0], {x: np.ones([2, 6, 6, 3])}).min() >= 0)


class Around(tf1.train.Optimizer):
    """One that takes over what another one has."""

    def __init__(self, optimizer):
        super().__init__(False, name="Around")
        self._optimizer, self._slots, self._use_locking = optimizer, optimizer._slots, optimizer._use_locking

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return self._optimizer.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return self._optimizer.apply_gradients(grads_and_vars, global_step, name)


with tf.Graph().as_default(), tf1.Session() as session:
    w = tf1.get_variable("w", initializer=tf.constant([2.0]), use_resource=True)
    step = Around(tf1.train.GradientDescentOptimizer(0.25)).minimize(w * w)
    session.run(tf1.global_variables_initializer())
    session.run(step)
    print(session.run(w), tf2.keras.layers.Dense is keras.layers.Dense, tf.compat.v2.nn.relu is tf.nn.relu)
for wrong in (lambda: tfa.optimizers.LAMB(0.1), lambda: graph_util.convert_variables_to_constants(), lambda: freeze_graph.freeze_graph()):
    try:
        wrong()
    except AttributeError as error:
        print(str(error).split(" under", maxsplit=1)[0])
