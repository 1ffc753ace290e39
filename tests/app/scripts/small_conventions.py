# SPDX-License-Identifier: GPL-3.0-or-later
"""Small things that scripts rely on: whether a configuration has an attribute, what functions of the host give, and what is said of texts."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
print(hasattr(config, "verification_options"), hasattr(config, "io_tiles"), getattr(config.io_tiles, "nothing", None))
try:
    print(config.auto_select_ipu)
except AttributeError as error:
    print(error)


@tf.function
def numbers(n):
    total = 0
    for _ in range(int(n)):
        total += 1
    return total, [0.5, True], None, "text", {"array": np.arange(2)}


given = numbers(3)
print([each.numpy().tolist() for each in tf.nest.flatten([given[0], given[1], given[4]])], given[2:4])
model = keras.Sequential([keras.layers.Dense(1)])
for texts in (np.array([["a"], ["b"]]), np.array([b"a", b"b"], object)):
    try:
        model.predict(texts)
    except Exception as error:  # pylint: disable=broad-except
        print(error)
