# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.keras of SDK 2.0, against today's names for the same."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.allow_recompute = True
config.configure_ipu_system()
random = np.random.default_rng(2)
x, y = random.normal(size=(64, 8)).astype(np.float32), random.integers(0, 4, 64)
first = []


def layers():
    return [keras.layers.Dense(16, activation="relu", input_shape=(8,)), keras.layers.Dense(4, activation="softmax")]


def losses(make, **settings):
    with ipu.ipu_strategy.IPUStrategy(ipu_device="/device:IPU:0").scope():
        model = make(**settings)
        model.compile("sgd", "sparse_categorical_crossentropy", steps_per_execution=8)
        first.append(model.get_weights())
        model.set_weights(first[0])
        return model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False).history["loss"]


def today(**settings):
    model = keras.Sequential(layers())
    model.set_pipeline_stage_assignment([0, 1])
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, **settings)
    return model


def older(**settings):
    return ipu.keras.PipelineSequential([layers()[:1], layers()[1:]], gradient_accumulation_count=4, **settings)


places = {"offload_weight_update_variables": True, "offload_activations": True, "recomputation_mode":
          ipu.pipelining_ops.RecomputationMode.RecomputeAndBackpropagateInterleaved}
same = losses(today, **places)
print(losses(older, batch_serialization_iterations=1, **places) == same)
config.auto_select_ipus = 1
config.configure_ipu_system()
accumulated = losses(lambda: ipu.keras.Sequential(layers(), gradient_accumulation_count=4))
print(np.allclose(accumulated, same, rtol=1e-5), np.allclose(accumulated, losses(lambda: ipu.keras.Sequential(layers())), rtol=1e-5))

# SDK 1: steps are updates, and an engine run is of `steps_per_run` of them, or of the epoch.
print(losses(lambda: ipu.keras.Sequential(layers(), accumulation_count=4)) == accumulated)
with ipu.ipu_strategy.IPUStrategy().scope():
    model = ipu.keras.Sequential(layers(), accumulation_count=2)
    model.compile("sgd", "sparse_categorical_crossentropy")
    ends = []
    after = keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: ends.append(batch))
    endless = tf.data.Dataset.from_tensor_slices((x, y)).batch(8, drop_remainder=True).repeat()
    model.fit(endless, steps_per_epoch=6, steps_per_run=2, verbose=0, callbacks=[after])
    model.fit(endless, steps_per_epoch=6, verbose=0, callbacks=[after])
    print(ends)
losses(older, batch_serialization_iterations=2)
