# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients by weights that are not trained: in Keras 2 `trainable` of a layer counts in its lists alone, so that tapes watch its weights,
but not variables that were made with trainable=False, unless they are told to. By hand: inputs of 1, products with a row of 1 and 3."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

x = np.ones((4, 3), "f")


class Own(keras.layers.Layer):
    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", (input_shape[-1], 2), initializer="ones")
        self.fixed = self.add_weight("fixed", (2,), initializer="ones", trainable=False)

    def call(self, inputs):
        return inputs @ self.kernel * self.fixed


def model_of():
    first, own = keras.layers.Dense(2, kernel_initializer="ones", trainable=False), Own()
    model = keras.Sequential([keras.Input((3,)), first, own, keras.layers.BatchNormalization(), keras.layers.Dense(1, kernel_initializer="ones")])
    own.trainable = False
    return model


def gradients(model, watched=lambda model: []):
    with tf.GradientTape() as tape:
        for each in watched(model):
            tape.watch(each)
        loss = tf.reduce_sum(model.layers[1](model.layers[0](x)) * [[1.0, 3.0]]) + 0.0 * tf.reduce_sum(model(x))
    weights = [*model.layers[0].weights, *model.layers[1].weights, *model.layers[2].non_trainable_weights]
    return tape.gradient(loss, weights)


def shown(name, model):
    print(name, len(model.trainable_weights), [each.trainable for each in model.weights])
    alone = gradients(model)
    print([None if each is None else np.asarray(each).tolist() for each in alone])
    told = gradients(model, lambda model: model.layers[1].weights)
    print([each is None for each in told], told[3].numpy().tolist())


shown("host", model_of())
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    model, known = model_of(), []

    @tf.function
    def step(told):
        found = gradients(model, lambda model: model.layers[1].weights if told else [])
        known.append([each is None for each in found])
        return [each for each in found if each is not None]

    for told in (False, True):
        made = strategy.run(step, [told])
        print(known[-1], [each.numpy().tolist() for each in made])
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.fit(x, x[:, :1], batch_size=4, verbose=0)
    print([not np.array_equal(*each) for each in zip(before, model.get_weights())])
