# SPDX-License-Identifier: GPL-3.0-or-later
"""What loops of the script's own use: keras.utils.Progbar, generators of random numbers and such as follow from a seed alone."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
bar = keras.utils.Progbar(4, width=10, stateful_metrics=["last"], unit_name="batch")
for i in range(4):
    bar.update(i + 1, values=[("mean", float(i)), ("last", tf.constant(float(i)))])
wide = keras.utils.Progbar(8, verbose=2)
wide.add(4, [("loss", 1.0)])
wide.add(4, [("loss", 3.0)])
keras.utils.Progbar(1, verbose=0).update(1, [("x", 1.0)])

first, second = tf.random.Generator.from_seed(3), tf.random.Generator.from_seed(3)
drawn = [first.normal([1000]).numpy() for _ in range(2)]
print(np.array_equal(drawn[0], second.normal([1000])), np.array_equal(*drawn), abs(drawn[0].mean()) < 0.15, 0.9 < drawn[0].std() < 1.1)
first.reset_from_seed(3)
print(np.array_equal(drawn[0], first.normal([1000])), np.array_equal(*[each.uniform([8]) for each in first.split(2)]))
whole = first.uniform([1000], 2, 5, dtype=tf.int32).numpy()
print(sorted(set(whole.tolist())), whole.dtype, tf.random.get_global_generator() is tf.random.get_global_generator(), first.make_seeds(3).shape)
pairs = [tf.random.stateless_uniform([500], seed=seed, minval=-1.0, maxval=3.0).numpy() for seed in ([1, 2], [1, 2], [2, 1])]
print(np.array_equal(*pairs[:2]), np.array_equal(*pairs[1:]), pairs[0].min() >= -1, pairs[0].max() < 3, abs(pairs[0].mean() - 1) < 0.2)
tf.random.set_seed(77)
print(np.array_equal(pairs[0], tf.random.stateless_uniform([500], [1, 2], -1.0, 3.0)), tf.random.stateless_normal([2, 3], [0, 1]).shape,
      float(tf.reduce_max(tf.abs(tf.random.stateless_truncated_normal([500], [0, 1])))) <= 2)
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    @tf.function(experimental_compile=True)
    def step(x):
        return x + first.normal([4]), tf.random.stateless_uniform([4], [5, 6])
    runs = [[each.numpy() for each in strategy.run(step, [tf.zeros([4])])] for _ in range(2)]
print(np.array_equal(runs[0][0], runs[1][0]), np.array_equal(runs[0][1], runs[1][1]), np.allclose(runs[0][1], tf.random.stateless_uniform([4], [5, 6])))
with tf1.Graph().as_default(), tf1.Session() as session:
    print(session.run(tf1.losses.compute_weighted_loss([1.0, 2.0, 6.0], [1.0, 0.0, 0.5])), len(tf1.losses.get_losses()),
          session.run(tf1.losses.get_regularization_loss()))
