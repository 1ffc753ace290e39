# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong input that TensorFlow and Keras do not take."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

x, y = np.ones((8, 4), np.float32), np.ones((8, 1), np.float32)
rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(4, drop_remainder=True)
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse")


def tell(function, *args, **kwargs):
    try:
        print("taken", function(*args, **kwargs))
    except Exception as error:  # pylint: disable=broad-except
        print(type(error).__name__, error)


def elements(values, **settings):
    made = tf.data.Dataset.from_generator(lambda: iter(values), **settings)
    return [each.numpy().tolist() for each in made.batch(2, drop_remainder=True)]


tell(tf.tile, x, [1])
tell(tf.expand_dims, x, 9)
tell(tf.einsum, "ab,cd", x)
tell(tf.nn.conv2d, np.ones((1, 4, 4, 1)), np.ones((2, 2, 1, 1)), 1, "SAMEE")
tell(tf.matmul, x, x, transpose_a=tf)
tell(lambda: tf.matmul(x, y, transpose_a=np.bool_(True)).shape)
tell(tf.Variable)
tell(tf1.get_variable, "a")
tell(keras.losses.MeanSquaredError, reduction="summ")
tell(model.fit, rows, y)
tell(model.fit, rows, sample_weight=y)
tell(ipu.ipu_strategy.IPUStrategy().run, tf.function(lambda a: a[9]), [x])
tell(ipu.ipu_strategy.IPUStrategy().run, tf.function(lambda a: a[-8, 0]), [x])
tell(elements, [[1, 2], [3, 4]], output_types=tf.float32)  # a list is an element's value, not several of them
tell(elements, [[1, 2], [3]], output_types=tf.float32)
tell(elements, [[1, 2], [3]], output_types=tf.float32, output_shapes=[2])
tell(elements, [1, 2], output_types=(tf.float32, tf.float32))
tell(keras.losses.get("mse"), [[1.0]], [[3.0]])
tell(keras.activations.get("relu"), [-1.0, 2.0])
tell(tf.einsum, "ij,jk->il", np.ones((2, 3)), np.ones((3, 4)))
tell(tf.one_hot, [1.5], 3)
tell(model.fit, x, y, epochs=1.5)
tell(model.fit, x, y, validation_data=(1, 2, 3, 4), verbose=0)
tell(model, x, 1, None, 2)

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    staged = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2), keras.layers.Dense(1)])
    staged.set_pipeline_stage_assignment([0, 1])
    for count, steps in ((6, 6), (4, 8)):
        staged.set_pipelining_options(gradient_accumulation_steps_per_replica=count)
        staged.compile("sgd", "mse", steps_per_execution=steps)
        tell(lambda: len(staged.fit(np.ones((24 * 2, 4)), np.ones((24 * 2, 1)), batch_size=2, verbose=0).history["loss"]))
    tell(lambda: staged.predict(np.ones((2, 4)), batch_size=2).shape)  # one batch, and a pipeline of two stages
