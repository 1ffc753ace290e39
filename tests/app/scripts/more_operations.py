# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of tf, tf.math, tf.nn and tf.linalg that are made of others: at once, in a program of the device, and by gradients, against
NumPy."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(11)
a, b = draw.randn(3, 4).astype("f"), draw.randn(3, 4).astype("f")
zeroed = np.where(np.abs(a) < 0.5, 0, a).astype("f")
volume = draw.randn(2, 5, 6, 5, 3).astype("f")
filters = draw.randn(3, 2, 3, 3, 4).astype("f")
images = draw.randn(2, 4, 6, 3).astype("f")
ids = np.int32([0, 2, 0])
whole, by = np.int32([7, -7, 7, -7]), np.int32([2, 2, -2, -2])


def windows(x, size, step, same, filled):
    """(the number under each place of a window, for each place that is made) of volumes, padded where `same`."""
    if same:
        around = []
        for extent, width, stride in zip(x.shape[1:4], size, step):
            total = max((-(-extent // stride) - 1) * stride + width - extent, 0)
            around.append((total // 2, total - total // 2))
        x = np.pad(x, [(0, 0), *around, (0, 0)], constant_values=filled)
    made = [(extent - width) // stride + 1 for extent, width, stride in zip(x.shape[1:4], size, step)]
    y = np.zeros((len(x), *made, *size, x.shape[4]))
    for place in np.ndindex(*made):
        begin = [p * s for p, s in zip(place, step)]
        y[(slice(None), *place)] = x[(slice(None), *(slice(p, p + n) for p, n in zip(begin, size)))]
    return y


def convolved(x, step, same):
    return np.tensordot(windows(x, filters.shape[:3], step, same, 0), filters, 4)


def means(x, size, step, same):
    total = windows(x, size, step, same, 0).sum((4, 5, 6))
    return total / windows(np.ones_like(x), size, step, same, 0).sum((4, 5, 6))


def blocks(x):
    """space_to_batch_nd of blocks of 2 by 3, after a row is padded above and below."""
    x = np.pad(x, ((0, 0), (1, 1), (0, 0), (0, 0)))
    return np.concatenate([x[:, i::2, j::3] for i in range(2) for j in range(3)])


weights = np.abs(b)
mean = (weights * a).sum(0) / weights.sum(0)
checks = {
    "reciprocal_no_nan": (lambda: tf.math.reciprocal_no_nan(zeroed), np.divide(1, zeroed, out=np.zeros_like(a), where=zeroed != 0)),
    "xdivy": (lambda: tf.math.xdivy(zeroed, zeroed * 2), np.where(zeroed == 0, 0, 0.5)),
    "polyval": (lambda: tf.math.polyval([2.0, a, 3.0], b), (2 * b + a) * b + 3),
    "segments": (lambda: tf.math.unsorted_segment_sqrt_n(a, ids, 3), np.stack([(a[0] + a[2]) / np.sqrt(2), 0 * a[0], a[1]])),
    "rint": (lambda: tf.math.rint(np.float32([0.5, 1.5, -2.5, 2.4])), [0, 2, -2, 2]),
    "searchsorted": (lambda: tf.searchsorted(np.float32([[1, 3, 3, 5]]), np.float32([[0, 3, 4, 9]])), [[0, 1, 3, 4]]),
    "right": (lambda: tf.searchsorted(np.float32([[1, 3, 3, 5]]), np.float32([[0, 3, 4, 9]]), side="right"), [[0, 3, 3, 4]]),
    "unravel_index": (lambda: tf.unravel_index(np.int32([5, 22]), [2, 3, 4]), np.stack(np.unravel_index([5, 22], (2, 3, 4)))),
    "histogram": (lambda: tf.histogram_fixed_width(a, [-1.0, 1.0], 4), np.histogram(np.clip(a, -0.99, 0.99), 4, (-1, 1))[0]),
    "stitch": (lambda: tf.dynamic_stitch([np.int32([2, 0]), np.int32([1, 2])], [a[:2], b[:2]]), np.stack([a[1], b[0], b[1]])),
    "scatter": (lambda: tf.tensor_scatter_nd_sub(a, np.int32([[1]]), b[:1]), np.stack([a[0], a[1] - b[0], a[2]])),
    "space_to_batch": (lambda: tf.space_to_batch_nd(images, [2, 3], [[1, 1], [0, 0]]), blocks(images)),
    "batch_to_space": (lambda: tf.batch_to_space(blocks(images), [2, 3], [[1, 1], [0, 0]]), images),
    "cross": (lambda: tf.linalg.cross(a[:, :3], b[:, :3]), np.cross(a[:, :3], b[:, :3])),
    "set_diag": (lambda: tf.linalg.set_diag(a, b[0, :3]), np.where(np.eye(3, 4, dtype=bool), b[0, :3, None], a)),
    "tensor_diag": (lambda: tf.linalg.tensor_diag_part(tf.linalg.tensor_diag(a)), a),
    "normalize": (lambda: tf.linalg.normalize(a, axis=1)[0], a / np.linalg.norm(a, axis=1, keepdims=True)),
    "poisson": (lambda: tf.nn.log_poisson_loss(np.abs(a), b), np.exp(b) - np.abs(a) * b),
    "weighted_moments": (lambda: tf.stack(tf.nn.weighted_moments(a, [0], weights)), np.stack([mean, (weights * (a - mean)**2).sum(0) / weights.sum(0)])),
    "statistics": (lambda: tf.stack(tf.nn.normalize_moments(*tf.nn.sufficient_statistics(a, [0]))), np.stack([a.mean(0), a.var(0)])),
    "conv3d": (lambda: tf.nn.conv3d(volume, filters, [1, 1, 1, 1, 1], "VALID"), convolved(volume, (1, 1, 1), False)),
    "conv3d of strides": (lambda: tf.nn.conv3d(volume, filters, [1, 2, 1, 2, 1], "SAME"), convolved(volume, (2, 1, 2), True)),
    "channels first": (lambda: tf.nn.convolution(volume.transpose(0, 4, 1, 2, 3), filters, data_format="NCDHW"),
                       convolved(volume, (1, 1, 1), False).transpose(0, 4, 1, 2, 3)),
    "max_pool3d": (lambda: tf.nn.max_pool3d(volume, 3, 2, "SAME"), windows(volume, (3, 3, 3), (2, 2, 2), True, -np.inf).max((4, 5, 6))),
    "avg_pool3d": (lambda: tf.nn.avg_pool3d(volume, [1, 3, 2, 3, 1], [1, 2, 1, 2, 1], "SAME"), means(volume, (3, 2, 3), (2, 1, 2), True)),
    "truncated": (lambda: tf.stack([tf.truncatediv(whole, by), tf.truncatemod(whole, by)]), [[3, -3, -3, 3], [1, -1, 1, -1]])}


@tf.function(experimental_compile=True)
def program():
    return [tf.cast(function(), tf.float32) for function, _ in checks.values()]


strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    on_device = strategy.run(program)
for (name, (function, wanted)), found in zip(checks.items(), on_device):
    good = [np.shape(each) == np.shape(wanted) and np.allclose(each, wanted, rtol=1e-4, atol=1e-5) for each in (np.asarray(function()), found.numpy())]
    if not all(good):
        print(name, good)
print(len(checks), "checked")
for function, x in ((lambda x: tf.nn.conv3d(x, filters, [1, 2, 1, 1, 1], "SAME"), volume), (lambda x: tf.nn.avg_pool3d(x, 2, 1, "SAME"), volume),
                    (lambda x: tf.batch_to_space(tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]), [2, 2], [[0, 0], [0, 1]]), images),
                    (lambda x: tf.linalg.normalize(x, axis=1)[0], a), (lambda x: tf.linalg.cross(x[:, 1:], b[:, :3]), a)):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        loss = tf.reduce_sum(tf.square(y))
    found, along = tape.gradient(loss, x).numpy(), draw.randn(*x.shape).astype("f")
    sides = [float(np.sum(np.float64(function(x + h * along).numpy())**2)) for h in (-1e-2, 1e-2)]
    print("gradient", np.isclose((found * along).sum(), (sides[1] - sides[0]) / 2e-2, rtol=2e-3, atol=2e-3))
values, places, counts = tf.unique_with_counts([3, 1, 3, 2, 1])
print(values.numpy().tolist(), places.numpy().tolist(), counts.numpy().tolist(), [each.numpy().tolist() for each in tf1.setdiff1d([1, 2, 3, 4], [2, 4])])
print(bool(tf.math.is_strictly_increasing([1, 2, 2])), bool(tf.math.is_non_decreasing([1, 2, 2])), tf.math.invert_permutation([2, 0, 1]).numpy().tolist(),
      tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([4])), tf.half.name, float(tf.nn.scale_regularization_loss(2.0)))
try:
    with strategy.scope():
        strategy.run(tf.function(lambda x: tf.unique(x)[0]), [tf.constant([1.0])])
except AttributeError as error:
    print(str(error).split(";")[0])
layer = tf.keras.layers.Conv3D(4, (3, 2, 3), strides=(2, 1, 2), padding="same", dilation_rate=1, use_bias=False)
of_layer = layer(tf.constant(volume)).numpy()
of_function = tf.nn.conv3d(volume, layer.get_weights()[0], [1, 2, 1, 2, 1], "SAME").numpy()
print("Conv3D", np.array_equal(of_layer, of_function))
try:
    tf.nn.conv3d(volume[:, :2], filters, 1, "VALID")
except ValueError as error:
    print(error)
