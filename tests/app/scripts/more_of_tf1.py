# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of create_ipu_config, automatic shards, tf.layers with batch normalisation, and what IPUs refuse."""
import numpy as np
import tensorflow.compat.v1 as tf
from ipu_tensorflow_addons.keras import layers
from tensorflow import keras
from tensorflow.python import ipu

tf.disable_v2_behavior()
options = ipu.utils.create_ipu_config(profiling=True, selection_order=ipu.utils.SelectionOrder.SNAKE)
options = ipu.utils.set_convolution_options(options, {"availableMemoryProportion": "0.3"})
options = ipu.utils.set_convolution_options(options, {"partialsType": "float"})
options = ipu.utils.set_recomputation_options(options)
options = ipu.utils.auto_select_ipus(options, 2)
ipu.utils.configure_ipu_system(options)
print(sorted(options.convolutions.poplar_options), options.allow_recompute, options.selection_order.name)
try:
    ipu.utils.auto_select_ipus(options, 4)
except Exception as error:
    print(error)

x = np.linspace(-2, 3, 24, dtype=np.float32).reshape(8, 3)
with tf.device("cpu"):
    fed = tf.placeholder(np.float32, [8, 3])


def normalised(values):
    y = tf.layers.batch_normalization(values, training=True, momentum=0.9)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return tf.identity(y)


def sharded(values):
    hidden = tf.nn.relu(tf.layers.dense(values, 4, kernel_initializer=tf.ones_initializer()))
    result = tf.reduce_sum(tf.layers.dense(hidden, 1, kernel_initializer=tf.ones_initializer()))
    ipu.autoshard.automatic_sharding(2, values, result)
    return result


with ipu.scopes.ipu_scope("/device:IPU:0"):
    y, total = ipu.ipu_compiler.compile(normalised, [fed]), ipu.ipu_compiler.compile(sharded, [fed])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    got = session.run(y, {fed: x})[0]
    print(np.allclose(got, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3), atol=1e-5))
    moving = next(v for v in tf.global_variables() if "moving_mean" in v.name)
    print(np.allclose(session.run(moving), 0.1 * x.mean(0), atol=1e-6))
    print(np.isclose(session.run(total, {fed: x})[0], (np.maximum(x.sum(1), 0) * 4).sum()))


def refused(dtype, shape):
    with tf.Graph().as_default():
        with tf.device("cpu"):
            given = tf.placeholder(dtype, shape)
        try:
            with ipu.scopes.ipu_scope("/device:IPU:0"):
                twice = ipu.ipu_compiler.compile(lambda each: each + each, [given])
            with tf.Session() as session:
                session.run(twice, {given: np.ones([1], dtype)})
        except Exception as error:  # pylint: disable=broad-except
            print(type(error).__name__, str(error).split("; ")[-1])


refused(np.uint8, [1])
refused(np.float32, [None])
print(type(layers.LSTM(4, partials_dtype="float16")).__name__, layers.Embedding(5, 2).get_config()["output_dim"],
      isinstance(layers.Dropout(0.5), keras.layers.Layer))
