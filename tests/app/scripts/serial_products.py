# SPDX-License-Identifier: GPL-3.0-or-later
"""Products and look-ups in parts, one after another: the same values as at once."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu
import ipu_tensorflow_addons

random = np.random.default_rng(7)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
a, b = random.normal(size=(6, 8)).astype("float32"), random.normal(size=(8, 10)).astype("float32")
table, ids = random.normal(size=(12, 4)).astype("float32"), random.integers(0, 12, (3, 5)).astype("int32")


@tf.function
def products(a, b, table, ids):
    inside = ipu.math_ops.serialized_matmul
    return [inside(a, b, 3, "a_columns"), inside(a, b, 4, "a_rows_b_columns"), inside(a, b, 5, "b_rows"),
            inside(a, tf.transpose(b), 2, "b_rows", transpose_b=True),
            ipu.embedding_ops.embedding_lookup(table, ids, serialization_factor=3)]


with ipu.ipu_strategy.IPUStrategy().scope() as strategy:
    pass
results = ipu.ipu_strategy.IPUStrategy().run(products, [a, b, table, ids])
print([bool(np.allclose(y, a @ b, atol=1e-5)) for y in results[:4]], bool(np.array_equal(results[4], table[ids])))

ids = random.integers(0, 12, (64, 6)).astype("int32")
labels = random.integers(0, 8, 64)
addons = ipu_tensorflow_addons.keras.layers


def losses(embedding, hidden, out):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.Input((6,), dtype="int32"), embedding, keras.layers.Flatten(), hidden, out])
        model.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                      steps_per_execution=8)
        return model.fit(ids, labels, batch_size=8, epochs=5, shuffle=False, verbose=0).history["loss"]


plain = losses(keras.layers.Embedding(12, 4, name="e"), keras.layers.Dense(16, activation="relu", name="h"),
               keras.layers.Dense(8, name="o"))
serial = losses(addons.Embedding(12, 4, serialization_factor=4, name="e"),
                addons.SerialDense(16, 3, "input_rows_kernel_columns", activation="relu", name="h"),
                addons.SerialDense(8, 2, "kernel_rows", name="o"))
print(plain == serial, plain[-1] < plain[0])
try:
    losses(keras.layers.Embedding(12, 4), addons.SerialDense(16, 5, "kernel_rows"), keras.layers.Dense(8))
except Exception as error:
    print(str(error).split(": ")[-1])
