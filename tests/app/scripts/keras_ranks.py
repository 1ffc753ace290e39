# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that layers and models do not take, which Keras tells where they are called."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

layers, Input = keras.layers, keras.Input


def fails(*calls):
    for call in calls:
        try:
            print("nothing failed:", call())
        except ValueError as error:
            print(str(error))


dense, conv, norm, lstm = layers.Dense(2), layers.Conv2D(2, 3), layers.BatchNormalization(), layers.LSTM(2)
for each, shape in ((dense, (8,)), (conv, (8, 8, 3)), (norm, (4, 4, 2)), (lstm, (5, 3))):
    each(Input(shape))
model = keras.Sequential([layers.Conv2D(2, 3, input_shape=(8, 8, 1)), layers.Flatten(), layers.Dense(2)])
model.compile("sgd", "mse")
images, labels = np.zeros((4, 8, 8), np.float32), np.zeros((4, 2), np.float32)
print(len(model.fit(images, labels, verbose=0).history["loss"]), model(images).shape, dense(tf.zeros([3, 4, 8])).shape, dense(Input((4, 8))).shape)
fails(lambda: layers.Dense(2, name="d")(Input(())), lambda: dense(Input((9,))), lambda: dense(tf.zeros([3, 9])), lambda: dense([Input((8,))] * 2),
      lambda: layers.Conv2D(2, 3, name="c")(Input((4,))), lambda: conv(Input((8, 8, 4))), lambda: layers.Conv2D(2, 5, name="e")(Input((3, 3, 1))),
      lambda: norm(Input((2,))), lambda: norm(Input((4, 4, 3))), lambda: lstm(Input((3,))), lambda: lstm(Input((5, 4))),
      lambda: layers.MaxPooling2D(name="p")(Input((8, 8))), lambda: layers.GlobalAveragePooling1D(name="g")(Input((8,))),
      lambda: layers.TimeDistributed(layers.Dense(2))(Input((4,))), lambda: layers.Permute((2, 1), name="o")(Input((4, 3, 2))),
      lambda: layers.Reshape((3, 3))(Input((8,))), lambda: layers.Reshape((3, -1))(Input((8,))),
      lambda: layers.Add()([Input((4,)), Input((5,))]), lambda: layers.Add()([Input((4,))]), lambda: layers.Subtract()([Input((4,))] * 3),
      lambda: layers.Concatenate()([Input((4, 2)), Input((5, 3))]), lambda: keras.Sequential([Input((4,)), layers.Conv1D(2, 3, name="s")]))
for call in (lambda x: model.fit(x, labels, verbose=0), model.predict, model, lambda x: model.evaluate(tf.data.Dataset.from_tensors((x, labels)))):
    fails(lambda: call(np.zeros((4, 64), np.float32)))
fails(lambda: model(Input((8, 9, 1))))
print(layers.Reshape((2, -1))(Input((8,))).shape, layers.Concatenate(1)([Input((4, 2)), Input((5, 2))]).shape, layers.Add()([Input((4, 1)), Input((1, 3))]).shape,
      layers.Conv2D(3, 3)(Input((None, None, 3))).shape, layers.Dense(2)(layers.LSTM(3)(Input((None, 3)))).shape)
