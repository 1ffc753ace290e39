# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels before the space, and the initialiser Identity, against the same network with channels behind."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

x = np.random.default_rng(1).normal(size=(4, 9, 8, 3)).astype(np.float32)


def network(order, shape):
    return keras.Sequential([
        layers.Conv2D(5, 3, strides=2, padding="same", activation="relu", data_format=order, input_shape=shape),
        layers.ZeroPadding2D(((1, 0), (2, 1)), data_format=order), layers.MaxPooling2D(2, data_format=order),
        layers.DepthwiseConv2D(2, data_format=order), layers.UpSampling2D(2, data_format=order),
        layers.Flatten(data_format=order), layers.Dense(6)])


last, first = network("channels_last", (9, 8, 3)), network("channels_first", (3, 9, 8))
first.set_weights(last.get_weights())
print(last.layers[0].output_shape, first.layers[0].output_shape, first.layers[4].output_shape)
print(np.allclose(last.predict(x, batch_size=4), first.predict(x.transpose(0, 3, 1, 2), batch_size=4), atol=1e-5))

pooled = keras.Sequential([layers.GlobalAveragePooling2D(data_format="channels_first", input_shape=(3, 9, 8))])
print(np.allclose(pooled.predict(x.transpose(0, 3, 1, 2), batch_size=4), x.mean((1, 2)), atol=1e-6))
identity = keras.Sequential([layers.Dense(4, kernel_initializer=keras.initializers.Identity(2.0), input_shape=(3,))])
print(identity.get_weights()[0].tolist())
values = tf.nn.max_pool(tf.constant(x.transpose(0, 3, 1, 2)), ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="VALID",
                        data_format="NCHW")
print(np.array_equal(values.numpy(), x[:, :8].reshape(4, 4, 2, 4, 2, 3).max((2, 4)).transpose(0, 3, 1, 2)))
