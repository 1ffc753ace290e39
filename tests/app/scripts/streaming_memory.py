# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a small network with the optimiser's state, and as a pipeline with its weights, in streaming memory, then with
all of it on tiles: the same losses."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

random = np.random.default_rng(5)
rows = random.normal(size=(256, 8)).astype("float32")
labels = random.integers(0, 4, 256)

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.optimizations.maximum_cross_replica_sum_buffer_size = 1 << 20
config.configure_ipu_system()
first = []


def losses(stages=None, **places):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.layers.Dense(16, activation="relu", input_shape=(8,)),
                                  keras.layers.Dense(4, activation="softmax")])
        model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "sparse_categorical_crossentropy",
                      steps_per_execution=8)
        if stages:
            model.set_pipeline_stage_assignment(stages)
            model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, **places)
        else:
            model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=4, **places)
        first.append(model.get_weights())
        model.set_weights(first[0])
        return model.fit(rows, labels, batch_size=8, epochs=3, verbose=0, shuffle=False).history["loss"]


offloaded = losses(offload_weight_update_variables=True)
plain = losses()
print(offloaded == plain, plain[-1] < plain[0])
shared = losses(offload_weight_update_variables=True, replicated_optimizer_state_sharding=True)
print(np.abs(np.subtract(shared, plain)).max() < 1e-4)
print(losses([0, 1], offload_weight_update_variables=True, offload_weights=True) == losses([0, 1]))
one_ipu = {"device_mapping": [0, 0], "pipeline_schedule": ipu.pipelining_ops.PipelineSchedule.Sequential}
shared = losses([0, 1], offload_weight_update_variables=True, offload_weights=True,
                replicated_optimizer_state_sharding=True, replicated_weight_sharding=True, **one_ipu)
print(np.abs(np.subtract(shared, losses([0, 1], **one_ipu))).max() < 1e-4)
try:
    losses([0, 1], replicated_weight_sharding=True)
except NotImplementedError as error:
    print(error)
try:
    losses(replicated_optimizer_state_sharding=True)
except ValueError as error:
    print(error)
