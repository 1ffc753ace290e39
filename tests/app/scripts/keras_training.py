# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a small network on made-up images for a hundred batches, and leaves its model and its data behind, so that a
workload can train the same."""
import pathlib
import struct

import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

random = np.random.default_rng(7)
images = random.integers(0, 256, (640, 8, 8), np.uint8)
labels = random.integers(0, 10, 640).astype(np.uint8)
folder = pathlib.Path("noise")
folder.mkdir(exist_ok=True)
(folder / "train-images-idx3-ubyte").write_bytes(struct.pack(">4i", 0x803, 640, 8, 8) + images.tobytes())
(folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, 640) + labels.tobytes())

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((8, 8, 1))
    x = keras.layers.Conv2D(4, (3, 3), activation="relu")(inputs)
    x = keras.layers.MaxPooling2D()(x)
    x = keras.layers.Flatten()(x)
    x = keras.layers.Dropout(0.5)(x)
    model = keras.Model(inputs, keras.layers.Dense(10, activation="softmax")(x))
    pathlib.Path("model.json").write_text(model.to_json())
    model.compile(keras.optimizers.Adam(0.01), "categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(images.reshape(-1, 8, 8, 1).astype("float32") / 255, keras.utils.to_categorical(labels),
                        batch_size=64, epochs=10, verbose=0)
    print(len(history.history["loss"]), sorted(history.history))

    weights = model.get_weights()
    print([w.shape for w in weights], model.count_params())
    changed = [np.arange(w.size, dtype=np.float32).reshape(w.shape) / 7 for w in weights]
    model.set_weights(changed)
    print(all(np.array_equal(a, b) for a, b in zip(model.get_weights(), changed)))

    # What it predicts with weights that were set, against NumPy.
    dense = keras.Sequential([keras.layers.Dense(3, input_shape=(4,))])
    kernel, bias = random.normal(size=(4, 3)).astype("float32"), np.array([1, 2, 3], np.float32)
    dense.set_weights([kernel, bias])
    given = random.normal(size=(64, 4)).astype("float32")
    print(np.abs(dense.predict(given) - (given @ kernel + bias)).max() < 1e-5)
