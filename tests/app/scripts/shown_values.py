# SPDX-License-Identifier: GPL-3.0-or-later
"""How TensorFlow shows numbers, tensors of graphs and data sets, and which end its iterators have."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

tf.print(tf.constant([1 / 3, 0.1, 2.5, 1e-8, 1e10, np.inf, np.nan, -0.0, 16777217.0, 0.693147182]), summarize=-1, output_stream=sys.stdout)
tf.print(np.float64(1 / 3), np.float64(0.1), np.float16(0.1), np.float32(2 / 3), tf.constant(7), tf.constant(True), output_stream=sys.stdout)
texts = tf.constant(["a", "bc"])
tf.print(tf.constant("one"), texts, output_stream=sys.stdout)
print(texts, tf.constant("one").numpy(), list(tf.data.Dataset.from_tensor_slices(["a", "b"]).as_numpy_iterator()))
logger = tf.get_logger()
logger.setLevel("INFO")
print(logger.name, tf.compat.v1.logging.get_verbosity())
print(tf.ones([2, 3]).ndim, tf.constant(1).ndim)

data = tf.data.Dataset.from_tensor_slices({"a": np.arange(4), "b": np.zeros((4, 2), "f")})
print(data)
print(data.shuffle(4).map(lambda each: (each["a"], each["b"])).batch(2).repeat().prefetch(2))
print(tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.from_tensors(1.0).repeat(3))).batch(2, drop_remainder=True),
      data.map(lambda each: each["a"], num_parallel_calls=2), data.take(1), data)
iterator = iter(tf.data.Dataset.range(1))
print(int(iterator.get_next()), next(iterator, "end"))
try:
    iterator.get_next()
except tf.errors.OutOfRangeError as error:
    print(error.message)
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
print(len(data.with_options(options)), options.experimental_distribute.auto_shard_policy)
try:
    keras.utils.plot_model(keras.Sequential([keras.layers.Dense(1, input_shape=(1,))]))
except ImportError as error:
    print(str(error).split(" (")[0])

tf.config.run_functions_eagerly(True)
tf.summary.trace_on(graph=True)
with tf.profiler.experimental.Profile("logs"), tf.profiler.experimental.Trace("step", step_num=1):
    print(tf.config.functions_run_eagerly())
for kind in (tf.errors.InvalidArgumentError, ValueError):
    try:
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    except kind as error:
        print(type(error).__name__, error.message == str(error), str(error).partition(",")[0])
for wrong in (keras.Input, lambda: keras.models.load_model("nowhere")):
    try:
        wrong()
    except (ValueError, OSError) as error:
        print(str(error).partition(".")[0].partition(":")[0])
moved, average = tf.Variable(2.0, name="v"), tf.train.ExponentialMovingAverage(0.5)
average.apply([moved])
moved.assign(4.0)
average.apply([moved])
print(average.average(moved).numpy(), moved.numpy())


@tf.function
def move():
    moved.assign_add(2.0)
    average.apply([moved])
    return average.average(moved).read_value()


strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    print(strategy.run(move).numpy(), strategy.run(move).numpy(), average.average(moved).name)

v1 = tf.compat.v1
v1.disable_v2_behavior()
x = v1.placeholder(tf.float32, [None, 3], name="x")
with tf.device("/device:IPU:0"):
    print(x, repr(x), v1.placeholder(tf.int32), x + 1.0)
with v1.variable_scope("net", use_resource=True):
    loss = tf.reduce_mean(v1.layers.dense(x, 2, name="d"))
optimizer = v1.train.MomentumOptimizer(0.1, 0.9)
optimizer.minimize(loss)
print([each.name for each in v1.global_variables()])
print([each.name for each in optimizer.variables()])
