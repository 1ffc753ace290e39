# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that a table of a model has not: on the host an error, as TensorFlow's on a CPU; on the device zeros."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

wrong, right = np.array([[1, 4], [0, 7]]), np.array([[1, 4], [0, 2]])


def said(function):
    try:
        print(np.shape(function()))
    except tf.errors.InvalidArgumentError as error:
        print(error)


def table():
    return keras.layers.Embedding(5, 3, embeddings_initializer="ones")


def looked_up():
    return keras.Sequential([table(), keras.layers.GlobalMaxPooling1D(), keras.layers.Dense(1)])


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.table, self.dense = table(), keras.layers.Dense(1)
        self.scales = self.add_weight("scales", [4])

    def call(self, inputs):
        return self.dense(tf.reduce_sum(self.table(inputs), 1)) * tf.gather(self.scales, inputs[:, :1])


left, mid = keras.Input((2,), dtype="int32"), keras.Input((1,), dtype="int32")
two = keras.Model([left, mid], keras.layers.Concatenate(axis=1)([table()(left), keras.layers.Embedding(9, 3)(mid)]))
for model in (looked_up(), Own()):
    model.compile("sgd", "mse")
    for call in (lambda x: model.predict(x), lambda x: model(x), lambda x: model.evaluate(x, np.zeros(2), verbose=0),
                 lambda x: model.fit(x, np.zeros(2), verbose=0, shuffle=False).history["loss"]):
        said(lambda: call(right))
        said(lambda: call(wrong))
said(lambda: two.predict([right, np.array([[0], [8]])]))
said(lambda: two.predict([right, np.array([[0], [9]])]))
said(lambda: two.predict([right - 1, np.array([[0], [8]])]))
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([table()])
    print(model.predict(wrong, batch_size=2).tolist())
