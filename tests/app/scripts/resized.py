# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of images as TensorFlow 2 changes them: Keys' kernel gives parabolas as they are, away from the ends, where pixels are left out; areas
are means."""
import numpy as np
import tensorflow as tf
line = (np.arange(8.0)**2).astype("f").reshape(1, 1, 8, 1)
doubled = tf.image.resize(line, [1, 16], "bicubic").numpy().ravel()
centres = (np.arange(16) + 0.5) / 2 - 0.5
end = -0.0703125 / (0.8671875 - 0.0703125)  # the first pixel, 0, at 1/4, and the second, 1, at 5/4
print("bicubic", np.allclose(doubled[3:13], centres[3:13]**2, atol=1e-4), np.isclose(doubled[0], end, rtol=1e-5))
square = np.random.RandomState(0).rand(2, 4, 6, 3).astype("f")
print("area", np.allclose(tf.image.resize(square, [2, 2], "area"), square.reshape(2, 2, 2, 2, 3, 3).mean((2, 4)), atol=1e-6))
print(tf.image.resize(square, [8, 8], preserve_aspect_ratio=True).shape)

# The pixel that each one is, by whole numbers: TensorFlow 2 looks at centres, 1 at the pixels' begin.
sizes = ((14, 9), (14, 18), (14, 36), (7, 49), (49, 7), (3, 8), (10, 3))
places = [(tf.image.resize(np.arange(float(i)).reshape(1, i, 1), [1, o], "nearest"), (2 * np.arange(o) + 1) * i // (2 * o)) for i, o in sizes]
older = [(tf.compat.v1.image.resize_nearest_neighbor(np.arange(float(i)).reshape(1, 1, i, 1), [1, o]), np.arange(o) * i // o) for i, o in sizes]
print("nearest", *(all(np.array_equal(np.ravel(a), b) for a, b in each) for each in (places, older)))
