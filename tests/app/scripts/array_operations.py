# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on tensors of the host and of a program, beside NumPy's."""
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend
from tensorflow.python import ipu

R = np.random.RandomState(0).randn(2, 3, 4).astype(np.float32)
E = np.exp(R)
M = R[0]

EXPECTED = {
    "softmax": (lambda r: tf.nn.softmax(r, axis=1), E / E.sum(1, keepdims=True)),
    "log_softmax": (lambda r: tf.nn.log_softmax(r, axis=0), R - np.log(E.sum(0, keepdims=True))),
    "cumsum": (lambda r: tf.cumsum(r, axis=1), R.cumsum(1)),
    "cumsum back": (lambda r: tf.cumsum(r, axis=2, reverse=True, exclusive=True), R[..., ::-1].cumsum(2)[..., ::-1] - R),
    "einsum": (lambda r: tf.einsum("bij,bkj->bik", r, r), np.einsum("bij,bkj->bik", R, R)),
    "einsum ...": (lambda r: tf.einsum("...ij,jk->...ki", r, M.T), np.einsum("...ij,jk->...ki", R, M.T)),
    "einsum of three": (lambda r: tf.einsum("bij,bkj,k->bi", r, r, np.float32([1, -2, 3])), np.einsum("bij,bkj,k->bi", R, R, np.float32([1, -2, 3]))),
    "einsum apart": (lambda r: tf.einsum("bij,kl->lb", r, r[0]), np.einsum("bij,kl->lb", R, M)),
    "einsum sum": (lambda r: tf.einsum("bij->jb", r), np.einsum("bij->jb", R)),
    "tensordot": (lambda r: tf.tensordot(r, r, [[1, 2], [1, 2]]), np.tensordot(R, R, [[1, 2], [1, 2]])),
    "reverse": (lambda r: tf.reverse(r, [0, 2]), R[::-1, :, ::-1]),
    "roll": (lambda r: tf.roll(r, 1, 2), np.roll(R, 1, 2)),
    "repeat": (lambda r: tf.repeat(r, 2, axis=1), np.repeat(R, 2, 1)),
    "steps": (lambda r: r[:, ::2, 3:0:-2], R[:, ::2, 3:0:-2]),
    "sort": (lambda r: tf.sort(r, axis=1, direction="DESCENDING"), -np.sort(-R, 1)),
    "argsort": (lambda r: tf.argsort(r, axis=1), R.argsort(1)),
    "argmin": (lambda r: tf.argmin(r, 1), R.argmin(1)),
    "logsumexp": (lambda r: tf.reduce_logsumexp(r * 100.0, axis=1),
                  np.log(np.exp(R.astype(np.float64) * 100).sum(1))),
    "any": (lambda r: tf.cast(tf.reduce_any(r > 1.0, axis=1), tf.float32), (R > 1).any(1)),
    "gather": (lambda r: tf.gather(r, [[2, 0], [1, 1]], batch_dims=1), np.stack([R[0][[2, 0]], R[1][[1, 1]]])),
    "reflect": (lambda r: tf.pad(r, [[0, 0], [1, 2], [3, 0]], "REFLECT"),
                np.pad(R, [[0, 0], [1, 2], [3, 0]], "reflect")),
    "where": (lambda r: tf.where(r[:, :, :1] > 0.0, r, 0.0), np.where(R[:, :, :1] > 0, R, 0)),
    "segments": (lambda r: tf.math.unsorted_segment_sum(r, [1, 0], 3), np.stack([R[1], R[0], 0 * R[0]])),
    "largest of segments": (lambda r: tf.math.unsorted_segment_max(r, [1, 1], 2)[1], R.max(0)),
    "scatter": (lambda r: tf.scatter_nd([[3], [0], [3]], r[0], [4, 4]),
                np.stack([M[1], 0 * M[0], 0 * M[0], M[0] + M[2]])),
    "map_fn": (lambda r: tf.map_fn(lambda m: m * 2.0, r), R * 2),
    "cross entropy": (lambda r: tf.nn.softmax_cross_entropy_with_logits(labels=np.abs(R), logits=r, axis=1),
                      -(np.abs(R) * (R - np.log(E.sum(1, keepdims=True)))).sum(1)),
    "log1p": (lambda r: tf.math.log1p(r * r), np.log1p(R * R)),
    "sinh": (lambda r: tf.math.sinh(r), np.sinh(R)),
    "one_hot": (lambda r: tf.one_hot(tf.argmax(r, 2), 4, on_value=5.0, off_value=-1.0, axis=1),
                np.moveaxis(np.eye(4)[R.argmax(2)] * 6 - 1, -1, 1)),
    "backend": (lambda r: backend.mean(backend.square(r), axis=-1), (R * R).mean(-1)),
    "dot": (lambda r: backend.dot(r, tf.constant(M.T)), R @ M.T)}


def check(name, found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-5, atol=2e-5, err_msg=name)


for name, (function, expected) in EXPECTED.items():
    check(name, function(tf.constant(R)), expected)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()


@tf.function
def every(r):
    return [function(r) for function, _ in EXPECTED.values()]


for name, found, (_, expected) in zip(EXPECTED, ipu.ipu_strategy.IPUStrategy().run(every, [tf.constant(R)]),
                                      EXPECTED.values()):
    check(name + " on the device", found, expected)

# Bilinear, by hand: 2 pixels become 4, whose centres lie at -0.25, 0.25, 0.75 and 1.25.
row = tf.constant([[[0.0], [8.0]]])
check("resize", tf.image.resize(row, [1, 4])[0, :, 0], [0, 2, 6, 8])
check("resize of version 1", tf.compat.v1.image.resize_images(row, [1, 4])[0, :, 0], [0, 4, 8, 8])
check("nearest", tf.image.resize(row, [1, 4], method="nearest")[0, :, 0], [0, 0, 8, 8])
check("crop or pad", tf.image.resize_with_crop_or_pad(row, 2, 1)[:, :, 0], [[0], [0]])
check("sequence_mask", tf.sequence_mask([1, 3], 4, tf.float32), [[1, 0, 0, 0], [1, 1, 1, 0]])
check("confusion_matrix", tf.math.confusion_matrix([0, 1, 1], [1, 1, 1]), [[0, 1], [0, 2]])
print(len(EXPECTED), tf.size(R).numpy(), tf.rank(R).numpy(), tf.where(tf.constant([0, 1, 1])).numpy().tolist())
# NumPy's types stay as they are on the host; data sets are put together by what Dataset.apply() takes.
whole, double = tf.constant(np.array([1, 2, 3], np.int64)), tf.constant(np.array([1.5, 2.5]))
print([each.dtype.name for each in (whole * 2, tf.reduce_sum(whole), whole > 1, double * 2, tf.cast(whole, tf.float32))])
batches = tf.data.Dataset.range(6).apply(tf.data.experimental.shuffle_and_repeat(1, 2)).apply(
    tf.data.experimental.map_and_batch(lambda x: x * 2, 4, drop_remainder=True))
print([batch.numpy().tolist() for batch in batches])
try:
    tf.debugging.assert_less([1, 5], [2, 3], message="apart")
except tf.errors.InvalidArgumentError as error:
    print(error)
