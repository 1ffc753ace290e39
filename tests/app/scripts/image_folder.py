# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of images as data sets, and the element types of layers."""
import os
import struct
import zlib

import numpy as np
import tensorflow as tf
from tensorflow import keras


def write_png(path, pixels):
    """An image of 8 bits, grey or in colour."""
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    kind = 2 if pixels.ndim == 3 else 0
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, kind,
                                                                     0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


for number, name in enumerate(("cats", "dogs", "owls")):
    os.makedirs(f"pets/{name}", exist_ok=True)
    for i in range(4):
        image = np.zeros((2, 4, 3), np.uint8)
        image[..., number] = 40 * i + 10
        write_png(f"pets/{name}/{i}.png", image)
pets = keras.preprocessing.image_dataset_from_directory("pets", image_size=(2, 2), batch_size=5, shuffle=False)
batches = list(pets)
print(pets.class_names, [images.shape.as_list() for images, _ in batches], [labels.numpy().tolist() for _, labels in batches])
# The first image of the owls: blue 10 everywhere, whose mean of two columns it stays.
print(batches[1][0].numpy()[3].max(axis=(0, 1)).tolist(), pets.element_spec[0].shape)
parts = [keras.utils.image_dataset_from_directory(
    "pets", label_mode="categorical", color_mode="grayscale", image_size=(2, 4), batch_size=None, validation_split=0.25,
    subset=subset, seed=7) for subset in ("training", "validation")]
seen = [{(float(image[0, 0, 0]), tuple(label.numpy())) for image, label in part} for part in parts]
print([len(part) for part in parts], len(seen[0] | seen[1]), parts[0].element_spec[1].shape)
print(keras.preprocessing.image.img_to_array(keras.preprocessing.image.load_img("pets/dogs/2.png")).tolist()[0][0])

# float16 layers with variables of float32: what is computed has 11 bits, what is kept has 24.
keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(2,))])
model.set_weights([np.float32([[1.0], [2.0 ** -13]])])
print(model.predict(np.float32([[1.0, 1.0]]))[0, 0], model.get_weights()[0][1, 0] * 2 ** 13,
      keras.mixed_precision.global_policy().compute_dtype)
