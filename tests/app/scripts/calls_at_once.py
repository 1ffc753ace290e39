# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers and models that are called on values where the device has several IPUs, within the stage of a pipeline, too; a model that its own
step has called; the stages that a model's own call says. Against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 4
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
L = keras.layers
x = np.random.RandomState(0).randn(2, 3).astype("f")


def close(made, wanted):
    return bool(np.allclose(made, wanted, atol=1e-5))


with strategy.scope():
    alone = L.Dense(2, activation="relu")
    made = alone(x)
    print(close(made, np.maximum(x @ alone.kernel.numpy(), 0)))
    with keras.ipu.PipelineStage(0):
        places = L.Embedding(4, 3)(tf.range(4))  # a constant, as Keras has it
        given = keras.Input((4, 3), batch_size=2)
        hidden = L.Dense(5, use_bias=False)(given + places)
    with keras.ipu.PipelineStage(1):
        output = L.Dense(1, use_bias=False)(hidden)
    model = keras.Model(given, output)
    values = np.ones((2, 4, 3), "f")
    wanted = (values + places.numpy()) @ model.get_weights()[0] @ model.get_weights()[1]
    print(close(model(values), wanted), [each.name for each in model.weights])
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=4)
    model.compile("sgd", "mse", steps_per_execution=8)
    model.fit(np.ones((32, 4, 3), "f"), np.ones((32, 4, 1), "f"), batch_size=2, verbose=0)
    wanted = (values + places.numpy()) @ model.get_weights()[0] @ model.get_weights()[1]
    print(close(model(values), wanted), close(model.predict(np.ones((32, 4, 3), "f"), batch_size=2)[:2], wanted))


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = L.Dense(4, name="inner")

    @tf.function
    def call(self, inputs):
        return self.dense(inputs)


with strategy.scope():
    own = Own()
    strategy.run(tf.function(own, jit_compile=True), [tf.constant(x)])
    lines = []
    own.summary(print_fn=lines.append)
    print(own.built, own.count_params(), [each for each in lines if "inner" in each][0].split(), own.trainable_variables[0].op.name)


class Staged(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = L.Dense(4, name="first"), L.Dense(1, name="second")

    def call(self, inputs):
        with keras.ipu.PipelineStage(0):
            hidden = self.first(inputs)
        with keras.ipu.PipelineStage(1):
            return self.second(self.first(hidden))


with strategy.scope():
    staged = Staged()
    staged.build((2, 4))
    print([(each.layer.name, each.node_index, each.pipeline_stage) for each in staged.get_pipeline_stage_assignment()])
