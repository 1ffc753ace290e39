# SPDX-License-Identifier: GPL-3.0-or-later
# The workload samples/keras_mnist_faster.json as a script for IPU TensorFlow, as the tutorial has it.
import sys

import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

epochs = int(sys.argv[1])
train, test = [(np.expand_dims(images.astype("float32") / 255, -1), keras.utils.to_categorical(classes, 10))
               for images, classes in keras.datasets.mnist.load_data()]
x, y = (each[:59968] for each in train)

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()

with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = values = keras.Input(shape=(28, 28, 1))
    for filters in (32, 64):
        values = keras.layers.Conv2D(filters, kernel_size=(3, 3), activation="relu")(values)
        values = keras.layers.MaxPooling2D(pool_size=(2, 2))(values)
    values = keras.layers.Dropout(0.5)(keras.layers.Flatten()(values))
    model = keras.Model(inputs, keras.layers.Dense(10, activation="softmax")(values))
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"], steps_per_execution=937)
    model.fit(x, y, epochs=epochs, batch_size=64)
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"], steps_per_execution=200)
    model.evaluate(*test, batch_size=50)
