# SPDX-License-Identifier: GPL-3.0-or-later
"""Functional models that ask for the shapes of their tensors, and that bring images into the form of an application."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()


def predicted(inputs, outputs, data):
    model = keras.Model(inputs, outputs)
    return model, model.predict(data, batch_size=4)


x = np.arange(8 * 6 * 4, dtype=np.float32).reshape(8, 6, 4)
images = np.arange(8 * 2 * 2 * 3, dtype=np.float32).reshape(8, 2, 2, 3)
with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((6, 4))
    samples = tf.shape(inputs)[0]
    longer = tf.concat([tf.zeros((samples, 1, 4)), inputs], axis=1)
    longer = longer + tf.tile(tf.ones((1, 1, 4)), [samples, 7, 1])
    extents = tf.shape(longer)
    flat = tf.reshape(longer, (extents[0], extents[1] * extents[2]))
    again = tf.reshape(flat, tf.stack([samples, 7, 4]))
    again = again * tf.broadcast_to(tf.fill((1, 7, 4), 2.0), tf.shape(again))
    rest = tf.reshape(again, [samples, -1])
    model, y = predicted(inputs, tf.concat([rest, tf.fill([samples, 2], 0.5)], -1), x)
    print(flat.shape, again.shape, rest.shape, model.output_shape)
    wanted = 2 * (np.concatenate([np.zeros((8, 1, 4)), x], 1) + 1).reshape(8, 28)
    print(np.array_equal(y, np.concatenate([wanted, np.full((8, 2), 0.5)], -1)))

    of_images = keras.Input((2, 2, 3))
    for application, shift, scale, backwards in (("resnet50", (103.939, 116.779, 123.68), 1, True),
                                                 ("mobilenet_v2", (127.5,) * 3, (127.5,) * 3, False),
                                                 ("densenet", (0.485 * 255, 0.456 * 255, 0.406 * 255),
                                                  (0.229 * 255, 0.224 * 255, 0.225 * 255), False)):
        prepared = getattr(keras.applications, application).preprocess_input(of_images)
        model, y = predicted(of_images, keras.layers.Activation("linear")(prepared), images)
        wanted = ((images[..., ::-1] if backwards else images) - np.array(shift)) / np.array(scale)
        print(application, np.allclose(y, wanted, atol=1e-4), [layer.name for layer in model.layers[1:-1]])
