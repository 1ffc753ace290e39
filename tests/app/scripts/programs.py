# SPDX-License-Identifier: GPL-3.0-or-later
"""Four programs of one run: training, evaluation, prediction, and training again with longer engine runs."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()

random = np.random.default_rng(1)
x = random.random((128, 20), dtype=np.float32)
y = (x.sum(axis=1, keepdims=True) > 10).astype(np.float32)
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.layers.Dense(32, activation="relu", input_shape=(20,)),
                              keras.layers.Dense(1, activation="sigmoid")])
    model.compile("sgd", "binary_crossentropy", steps_per_execution=4)
    model.fit(x, y, batch_size=16, epochs=2, verbose=0)
    model.evaluate(x, y, batch_size=16, verbose=0)
    model.predict(x, batch_size=16)
    model.compile("sgd", "binary_crossentropy", steps_per_execution=8)
    model.fit(x, y, batch_size=16, epochs=1, verbose=0)
