# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of keras.backend, at once and on Keras tensors, against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

K = keras.backend
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(6)
a, b = draw.randn(4, 3, 5).astype("f"), draw.randn(4, 5, 2).astype("f")
image, kernel = draw.randn(2, 5, 6, 3).astype("f"), draw.randn(2, 3, 3, 4).astype("f")
series, taps = draw.randn(2, 6, 3).astype("f"), draw.randn(3, 3, 4).astype("f")
shares = draw.rand(3, 4).astype("f")
shares /= shares.sum(1, keepdims=True)
classes = np.int32([2, 0, 3])
hot = np.eye(4, dtype="f")[classes]


def convolved(x, w):
    y = np.zeros((2, x.shape[1] - w.shape[0] + 1, x.shape[2] - w.shape[1] + 1, w.shape[3]))
    for r, c in np.ndindex(*y.shape[1:3]):
        y[:, r, c] = np.tensordot(x[:, r:r + w.shape[0], c:c + w.shape[1]], w, 3)
    return y


causal = convolved(np.pad(series, ((0, 0), (4, 0), (0, 0)))[:, None], np.insert(taps, (1, 2), 0, 0)[None])[:, 0]
normalised = (image - image.mean((0, 1, 2))) / np.sqrt(image.var((0, 1, 2)) + 1e-3)
checks = {
    "batch_dot": (K.batch_dot(a, b), a @ b), "axes": (K.batch_dot(a, a, axes=[1, 1]), np.einsum("nij,nik->njk", a, a)),
    "vectors": (K.batch_dot(a[:, 0], a[:, 1]), (a[:, 0] * a[:, 1]).sum(1, keepdims=True)),
    "crossentropy": (K.categorical_crossentropy(hot, 2 * shares), -np.log(shares[np.arange(3), classes])),
    "sparse": (K.sparse_categorical_crossentropy(classes, shares), -np.log(shares[np.arange(3), classes])),
    "logits": (K.sparse_categorical_crossentropy(classes, np.log(shares), from_logits=True), -np.log(shares[np.arange(3), classes])),
    "conv2d": (K.conv2d(image, kernel), convolved(image, kernel)),
    "first": (K.conv2d(image.transpose(0, 3, 1, 2), kernel, data_format="channels_first"), convolved(image, kernel).transpose(0, 3, 1, 2)),
    "causal": (K.conv1d(series, taps, padding="causal", dilation_rate=2), causal),
    "pool": (K.pool2d(image, (2, 3), (2, 3), pool_mode="avg"), image[:, :4].reshape(2, 2, 2, 2, 3, 3).mean((2, 4))),
    "batch": (K.normalize_batch_in_training(image, np.full(3, 2.0, "f"), np.ones(3, "f"), [0, 1, 2])[0], 2 * normalised + 1),
    "padded": (K.spatial_2d_padding(image, ((1, 0), (0, 2))), np.pad(image, ((0, 0), (1, 0), (0, 2), (0, 0)))),
    "steps": (K.temporal_padding(series, (2, 1)), np.pad(series, ((0, 0), (2, 1), (0, 0)))),
    "repeat": (K.repeat(shares, 3), np.repeat(shares[:, None], 3, 1)), "cumprod": (K.cumprod(shares, 1), np.cumprod(shares, 1)),
    "top": (tf.cast(K.in_top_k(shares, classes, 2), "float32"), [np.sum(row > row[c]) < 2 for row, c in zip(shares, classes)]),
    "eye": (K.eye(3), np.eye(3)), "arange": (K.arange(2, 8, 3), [2, 5]), "mapped": (K.map_fn(lambda row: row * 2, shares), 2 * shares),
    "folded": (K.foldl(lambda x, y: x * y, shares), shares.prod(0))}
print([name for name, (found, wanted) in checks.items() if np.shape(found) != np.shape(wanted) or not np.allclose(found, wanted, rtol=1e-4, atol=1e-5)],
      len(checks))
with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((3, 5))
    model = keras.Model(inputs, K.batch_dot(inputs, inputs, axes=(2, 2)))
    print("model", np.allclose(model.predict(a, batch_size=4), a @ a.transpose(0, 2, 1), rtol=1e-4, atol=1e-5))
variable = K.variable(np.float32([1, 2]))
K.update_add(variable, [1.0, 1.0])
K.update_sub(variable, [0.0, 2.0])
K.moving_average_update(variable, [4.0, 4.0], 0.5)
print(variable.numpy().tolist(), K.get_value(K.update(variable, [7.0, 8.0])).tolist(), K.is_sparse(variable), K.cast_to_floatx([1, 2]).dtype)
dropout, ones = keras.layers.Dropout(0.5), np.ones((4, 100), "f")
found = []
for phase in (1, 0):
    K.set_learning_phase(phase)
    found.append(float(np.mean(dropout(ones).numpy() == 0)) > 0.2)
print(found)
for wrong in (lambda: K.set_epsilon(1e-4), lambda: K.set_image_data_format("channels_first"), lambda: K.batch_dot(a, b, axes=0)):
    try:
        wrong()
    except (AttributeError, ValueError) as error:
        print(str(error).split(";")[0])
