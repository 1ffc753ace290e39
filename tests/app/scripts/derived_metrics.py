# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics and losses of classes that are derived from Keras' own compute what those do, whatever they are called."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

BASES = {"SparseTopKCategoricalAccuracy": {"k": 2}, "TopKCategoricalAccuracy": {"k": 2}, "BinaryAccuracy": {"threshold": 0.25}, "Accuracy": {},
         "CategoricalCrossentropy": {"label_smoothing": 0.1}, "MeanSquaredError": {}}
scores = np.float32([[0.1, 0.5, 0.2, 0.2], [0.7, 0.1, 0.05, 0.15], [0.1, 0.2, 0.3, 0.4]])
classes = np.array([0, 3, 2])
one_hot = np.eye(4, dtype=np.float32)[classes]
share = 0.9 * one_hot + 0.1 / 4
# The two largest: of classes 1 and 2 or 3, 0 and 3, 3 and 2. One in four is the class, above a quarter.
EXPECTED = {"SparseTopKCategoricalAccuracy": 2 / 3, "TopKCategoricalAccuracy": 2 / 3, "BinaryAccuracy": np.mean((scores > 0.25) == one_hot),
            "Accuracy": 0.75, "CategoricalCrossentropy": -(share * np.log(scores)).sum(1).mean(), "MeanSquaredError": ((scores - one_hot)**2).mean()}


def derived(module, base, name):
    return type(name, (getattr(module, base),), {"__module__": "__main__"})


for base, settings in BASES.items():
    metric = derived(keras.metrics, base, "SparseOwn")(**settings)
    given = {"SparseTopKCategoricalAccuracy": (classes, scores), "Accuracy": ([1.0, 2, 3, 4], [1.0, 2, 3, 5])}.get(base, (one_hot, scores))
    metric.update_state(*given)
    print(base, metric.name, np.isclose(float(metric.result()), EXPECTED[base], rtol=1e-5))
loss = derived(keras.losses, "MeanSquaredError", "Own")()
print(loss.name, np.isclose(float(loss(one_hot, scores)), EXPECTED["MeanSquaredError"], rtol=1e-5))

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.layers.Softmax(input_shape=(4,))])
    model.compile("sgd", derived(keras.losses, "CategoricalCrossentropy", "Mine")(), metrics=[
        derived(keras.metrics, "TopKCategoricalAccuracy", "SparseOwn")(2), derived(keras.metrics, "MeanSquaredError", "Errors")()])
    found = model.evaluate(np.log(scores), one_hot, batch_size=3, verbose=0)
    print(model.metrics_names, np.allclose(found, [-(one_hot * np.log(scores)).sum(1).mean(), 2 / 3, EXPECTED["MeanSquaredError"]], rtol=1e-5))
