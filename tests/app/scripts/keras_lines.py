# SPDX-License-Identifier: GPL-3.0-or-later
"""What Keras prints: the summary, and the lines of training on two replicas and in a pipeline."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 4
config.configure_ipu_system()
x = np.linspace(0, 1, 512 * 6, dtype=np.float32).reshape(512, 6)
y = (np.arange(512) % 3).astype(np.int32)

with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input(6)
    with keras.ipu.PipelineStage(0):
        hidden = keras.layers.Dense(5, activation="relu")(inputs)
    with keras.ipu.PipelineStage(1):
        outputs = keras.layers.Dense(3, activation="softmax")(hidden)
    model = keras.Model(inputs, outputs)
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=4,
                                 pipeline_schedule=ipu.ops.pipelining_ops.PipelineSchedule.Grouped)
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"], steps_per_execution=16)
    model.summary()
    model.fit(x, y, batch_size=16, epochs=2)

    flat = keras.Sequential([keras.layers.Dense(3, activation="softmax")])
    flat.compile("sgd", "sparse_categorical_crossentropy", steps_per_execution=8)
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(512).batch(16, drop_remainder=True)
    flat.fit(data, validation_data=data)
