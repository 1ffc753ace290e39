# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of whole numbers, windows in both orders of channels, and arguments that TensorFlow 1 and 2 have in other orders:
beside NumPy and values worked out by hand."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

v1 = tf.compat.v1


def check(name, found, expected, dtype=None):
    found = np.asarray(found)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5, err_msg=name)
    assert dtype is None or found.dtype == dtype, f"{name} gives {found.dtype}"


# Whole numbers become shares of 255 and again 255.5 times those, rounded down and cut off.
pixels = tf.constant(np.uint8([0, 100, 255]).reshape(3, 1, 1))
check("brightness", tf.image.adjust_brightness(pixels, 0.2)[:, 0, 0], [51, 151, 255], np.uint8)
check("brightness of floats", tf.image.adjust_brightness([[[0.9]]], 0.2), [[[1.1]]], np.float32)
check("contrast", tf.image.adjust_contrast(tf.constant(np.uint8([0, 100, 200]).reshape(3, 1, 1)), 2.0)[:, 0, 0], [0, 100, 255],
      np.uint8)
check("grey", tf.image.rgb_to_grayscale(np.uint8([[[255, 255, 255], [0, 200, 0]]])), [[[255], [117]]], np.uint8)
for given, wanted, saturate, expected in (
        (np.uint8([0, 1, 255]), "uint16", False, [0, 256, 65280]),
        (np.uint8([255]), "int32", False, [255 * 2**23]),
        (np.uint16([300, 65535]), "uint8", False, [1, 255]),
        (np.int8([-5, 5]), "uint8", True, [0, 10]),
        (np.int8([-5, 5]), "uint8", False, [246, 10]),  # 251 x 2, less 256
        (np.float32([-0.5, 0.5, 1.2]), "uint8", True, [0, 127, 255]),
        (np.uint8([51]), "float32", False, [0.2])):
    check(f"{given.dtype} as {wanted}", tf.image.convert_image_dtype(given, wanted, saturate), expected, np.dtype(wanted))
check("saturate_cast", tf.saturate_cast([-7.5, 3e9, 4.25], tf.int32), [-7, 2**31 - 128, 4], np.int32)
check("small numbers", tf.constant(np.uint8([250, 251])) + 5, [255, 0], np.uint8)

random = np.random.RandomState(1)
X = random.randn(2, 7, 6, 3).astype(np.float32)
W = random.randn(3, 2, 3, 4).astype(np.float32)


def windows(x, size, strides, around, empty):
    """[batch, rows, columns, height, width, channels]"""
    (top, bottom), (left, right) = around
    x = np.pad(x, [[0, 0], [top, bottom], [left, right], [0, 0]], constant_values=empty)
    rows = range(0, x.shape[1] - size[0] + 1, strides[0])
    columns = range(0, x.shape[2] - size[1] + 1, strides[1])
    return np.stack([np.stack([x[:, r:r + size[0], c:c + size[1]] for c in columns], 1) for r in rows], 1)


def convolved(strides, around):
    return np.einsum("brchwi,hwio->brco", windows(X, (3, 2), strides, around, 0), W)


# SAME with strides 2 and 1: (4 - 1) x 2 + 3 - 7 = 2 rows and (6 - 1) x 1 + 2 - 6 = 1 column are added, more of them behind.
SAME = ((1, 1), (0, 1))
LARGEST = windows(X, (2, 2), (2, 2), ((0, 1), (0, 0)), -np.inf).max((3, 4))
MEANS = windows(X, (3, 2), (2, 2), ((0, 0), (0, 0)), 0).mean((3, 4))
OWN = random.randn(3, 2, 3, 2).astype(np.float32)  # two filters of each channel
DEPTH = np.einsum("brchwi,hwik->brcik", windows(X, (3, 2), (2, 2), ((1, 1), (0, 0)), 0), OWN).reshape(2, 4, 3, 6)
MIX = random.randn(1, 1, 6, 5).astype(np.float32)
LINE = random.randn(3, 3, 4).astype(np.float32)
ALONG = np.einsum("bchwi,hwio->bco", windows(X[:, :1], (1, 3), (1, 2), ((0, 0), (0, 1)), 0)[:, 0], LINE[None])


def transposed(x, w, rows, columns, strides, before):
    """Each number of x adds its filter to a window, whose first row and column are those times the strides less the padding."""
    made = np.zeros((len(x), rows + 4, columns + 4, w.shape[2]))
    for r in range(x.shape[1]):
        for c in range(x.shape[2]):
            top, left = r * strides[0], c * strides[1]
            made[:, top:top + w.shape[0], left:left + w.shape[1]] += np.einsum("bi,hwoi->bhwo", x[:, r, c], w)
    return made[:, before[0]:before[0] + rows, before[1]:before[1] + columns]


BACK = random.randn(3, 2, 4, 3).astype(np.float32)
LARGE = transposed(X, BACK, 14, 6, (2, 1), (0, 0))  # SAME: (7 - 1) x 2 + 3 - 14 = 1 row and 1 column are added, behind
first, last = [0, 3, 1, 2], [0, 2, 3, 1]
x, w, y = tf.constant(X), tf.Variable(W), tf.constant(X.transpose(first))
back = lambda t: tf.transpose(t, last)
WINDOWS = {
    "input and filters": (lambda x, y: tf.nn.conv2d(input=x, filters=w, strides=[1, 2, 1, 1], padding="SAME"),
                          convolved((2, 1), SAME)),
    "by place": (lambda x, y: back(tf.nn.conv2d(y, w, [1, 1, 2, 1], "SAME", "NCHW")), convolved((2, 1), SAME)),
    "channels first": (lambda x, y: back(tf.nn.conv2d(input=y, filters=w, strides=[1, 2], padding="VALID", data_format="NCHW")),
                       convolved((1, 2), ((0, 0), (0, 0)))),
    "paddings": (lambda x, y: tf.nn.conv2d(x, w, 1, [[0, 0], [2, 0], [1, 3], [0, 0]]), convolved((1, 1), ((2, 0), (1, 3)))),
    "version 1": (lambda x, y: v1.nn.conv2d(x, W, [1, 2, 1, 1], "SAME", True, "NHWC"), convolved((2, 1), SAME)),
    "filter": (lambda x, y: back(v1.nn.conv2d(input=y, filter=W, strides=[1, 1, 2, 1], padding="SAME", data_format="NCHW")),
               convolved((2, 1), SAME)),
    "depthwise": (lambda x, y: tf.nn.depthwise_conv2d(x, OWN, [1, 2, 2, 1], "SAME"), DEPTH),
    "separable": (lambda x, y: back(tf.nn.separable_conv2d(y, OWN, MIX, [1, 1, 2, 2], "SAME", "NCHW")), DEPTH @ MIX[0, 0]),
    "along": (lambda x, y: tf.nn.conv1d(x[:, 0], LINE, 2, "SAME"), ALONG),
    "along first": (lambda x, y: tf.transpose(v1.nn.conv1d(value=y[:, :, 0], filters=LINE, stride=2, padding="SAME",
                                                           data_format="NCW"), [0, 2, 1]), ALONG),
    "transposed": (lambda x, y: tf.nn.conv2d_transpose(x, BACK, [2, 14, 6, 4], [1, 2, 1, 1]), LARGE),
    "transposed first": (lambda x, y: back(v1.nn.conv2d_transpose(y, BACK, [2, 4, 14, 6], [1, 1, 2, 1], data_format="NCHW")), LARGE),
    "largest": (lambda x, y: tf.nn.max_pool(input=x, ksize=2, strides=2, padding="SAME"), LARGEST),
    "largest first": (lambda x, y: back(tf.nn.max_pool2d(y, 2, [1, 1, 2, 2], "SAME", "NCHW")), LARGEST),
    "largest of 1": (lambda x, y: v1.nn.max_pool(value=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"), LARGEST),
    "means": (lambda x, y: tf.nn.avg_pool(x, [3, 2], 2, "VALID"), MEANS),
    "means first": (lambda x, y: back(tf.nn.avg_pool2d(input=y, ksize=[3, 2], strides=[2], padding="VALID", data_format="NCHW")),
                    MEANS)}
for name, (function, expected) in WINDOWS.items():
    check(name, function(x, y), expected)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
made = strategy.run(tf.function(lambda x, y: [function(x, y) for function, _ in WINDOWS.values()]), [x, y])
for (name, (_, expected)), found in zip(WINDOWS.items(), made):
    check(name + " on the device", found, expected)

# Arguments by place, in the orders of both versions.
scores = np.float32([[1, 5, 2], [3, 0, np.inf], [np.inf, 1, 2], [4, 4, 0]])
check("in_top_k", tf.math.in_top_k([2, 0, 0, 1], scores, 1), [False, False, False, True])
check("in_top_k of 2", tf.nn.in_top_k([2, 0, 1, 1], scores, 2), [True, True, False, True])
check("in_top_k of version 1", v1.nn.in_top_k(scores, [2, 0, 1, 1], 2), [True, True, False, True])
M = np.arange(12.0).reshape(3, 4)
check("boolean_mask", tf.boolean_mask(M, [True, False, True, True], 1), M[:, [0, 2, 3]])
check("boolean_mask from behind", tf.boolean_mask(M, [True, False, True, True], axis=-1), M[:, [0, 2, 3]])
check("boolean_mask without axis", tf.boolean_mask(M, [False, True, True], axis=None), M[1:])
check("boolean_mask of version 1", v1.boolean_mask(M, [True, False, True, True], "kept", 1), M[:, [0, 2, 3]])
check("linspace", tf.linspace(1.0, 3.0, 5), [1, 1.5, 2, 2.5, 3], np.float32)
check("linspace of rows", tf.linspace(np.float64([0, 10]), np.float64([1, 20]), 3, axis=-1), [[0, 0.5, 1], [10, 15, 20]],
      np.float64)
check("diag", tf.linalg.diag([1.0, 2.0]), np.diag([1, 2]))
check("diag_part", tf.linalg.diag_part(tf.constant(M)), np.diag(M))
normal, mean, variance = v1.nn.fused_batch_norm(tf.constant(X), [1.0, 2.0, 3.0], [0.5, 0.0, -1.0])
check("fused_batch_norm", normal, (X - X.mean((0, 1, 2))) / np.sqrt(X.var((0, 1, 2)) + 0.001) * [1, 2, 3] + [0.5, 0, -1])
check("mean and variance", tf.stack([mean, variance]), [X.mean((0, 1, 2)), X.var((0, 1, 2), ddof=1)])
check("normalised by others", v1.nn.fused_batch_norm(X, [1.0] * 3, [0.0] * 3, [1.0] * 3, [4.0] * 3, 0.0, is_training=False)[0],
      (X - 1) / 2)
check("euclidean", tf.math.reduce_euclidean_norm(tf.constant(M), 1), np.sqrt((M * M).sum(1)))
check("cross entropy by place", tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[0.0, 0.0]]), [np.log(2)])
with tf.Graph().as_default(), v1.Session() as session:
    rows = v1.get_variable("rows", initializer=tf.ones([3, 2]))
    added = v1.scatter_add(rows, [2, 0, 2], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    _, updated = v1.metrics.mean_absolute_error([1.0, 2.0], [2.0, 4.0])
    session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
    check("scatter_add", session.run(added), [[4, 5], [1, 1], [7, 9]])
    check("scatter_update", session.run(v1.scatter_update(rows, [1], [[8.0, 9.0]])), [[4, 5], [8, 9], [7, 9]])
    check("mean_absolute_error", session.run(updated), 1.5)
check("py_func", v1.py_func(np.cumsum, [tf.constant([1.0, 2.0])], tf.float32), [1, 3])
print(len(WINDOWS), "windows")
