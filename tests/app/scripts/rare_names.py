# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that scripts use now and then, against NumPy and worked by hand."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.compiler.plugin.poplar.driver.trace_pb2 import IpuTraceEvent
from tensorflow.python.ops import array_ops, control_flow_ops, math_ops
from tensorflow.python.util import nest

draw = np.random.RandomState(0)
image = draw.rand(2, 5, 7, 3).astype("f")


def resized(image, box, size):
    """One part of an image, point by point."""
    made = np.zeros((*size, image.shape[-1]), "f")
    for i in range(size[0]):
        for j in range(size[1]):
            r, c = (lo * (n - 1) + k * (hi - lo) * (n - 1) / (s - 1) for lo, hi, n, s, k in (
                (box[0], box[2], image.shape[0], size[0], i), (box[1], box[3], image.shape[1], size[1], j)))
            if not (0 <= r <= image.shape[0] - 1 and 0 <= c <= image.shape[1] - 1):
                made[i, j] = 9
                continue
            r0, c0 = int(r), int(c)
            r1, c1 = min(r0 + 1, image.shape[0] - 1), min(c0 + 1, image.shape[1] - 1)
            above = image[r0, c0] + (image[r0, c1] - image[r0, c0]) * (c - c0)
            below = image[r1, c0] + (image[r1, c1] - image[r1, c0]) * (c - c0)
            made[i, j] = above + (below - above) * (r - r0)
    return made


boxes = np.array([[0.1, 0.2, 0.7, 0.9], [0.5, 0.0, 1.2, 0.4]], "f")
found = tf.image.crop_and_resize(image, boxes, [1, 0], [3, 4], extrapolation_value=9.0)
print("parts", np.allclose(found, [resized(image[1], boxes[0], (3, 4)), resized(image[0], boxes[1], (3, 4))], atol=1e-5),
      tf.image.crop_and_resize(image, boxes[:1], [0], [1, 1]).shape)
corners = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3]], "f")
print("kept", tf.image.non_max_suppression(corners, [0.5, 0.9, 0.7], 3).numpy().tolist(),
      tf.image.non_max_suppression(corners, [0.5, 0.9, 0.7], 3, 0.9, 0.6).numpy().tolist())
combined = tf.image.combined_non_max_suppression(corners[None, :, None], np.array([[[0.5, 0.1], [0.9, 0.2], [0.7, 0.95]]], "f"), 2, 3)
print([each.numpy().tolist() for each in combined[1:]])
begin, size, box = tf.image.sample_distorted_bounding_box([40, 60, 3], [[[0.2, 0.2, 0.8, 0.8]]], min_object_covered=0.5, area_range=(0.3, 1.0))
top, left, high, wide = *begin.numpy()[:2], *size.numpy()[:2]
print("drawn", 0.3 * 2400 <= high * wide <= 2400, top + high <= 40 and left + wide <= 60, np.allclose(box[0, 0], [
    top / 40, left / 60, (top + high) / 40, (left + wide) / 60]))

x = np.arange(24, dtype="f").reshape(3, 4, 2)
turned = x.copy()
for i, length in enumerate((2, 4, 0)):
    turned[i, :length] = turned[i, :length][::-1]
print("turned", np.array_equal(tf.reverse_sequence(x, [2, 4, 0], seq_axis=1), turned),
      np.array_equal(array_ops.reverse_sequence(x.transpose(1, 0, 2), [2, 4, 0], 0, 1), turned.transpose(1, 0, 2)))
a, eye = np.array([[0, 2, 0], [3, 0, 4]], "f"), np.eye(2, 3, dtype="f")
sparse = tf.sparse.from_dense(a)
print("sparse", np.array_equal(tf.sparse.to_dense(tf.sparse.add(sparse, tf.sparse.eye(2, 3))), a + eye),
      np.array_equal(tf.sparse.sparse_dense_matmul(sparse, x[0, :3]), a @ x[0, :3]), tf.sparse.reduce_sum(sparse, 1).numpy().tolist(),
      tf.sparse.map_values(tf.square, sparse).values.numpy().tolist())
nest.assert_same_structure((1, {"a": 2}), (3, {"a": 4}))
control_flow_ops.Assert(True, [1])
tf.debugging.assert_non_negative([0, 1])
for wrong in (lambda: nest.assert_same_structure((1, 2), (1, (2,))), lambda: tf.Assert(tf.constant(False), [3]),
              lambda: tf.debugging.assert_positive([0.0], message="none:")):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
summary = tf1.Summary(value=[tf1.Summary.Value(tag="loss", simple_value=0.5)])
summary.value.add(tag="more", simple_value=2.0)
histogram = tf1.HistogramProto(min=1.0)
histogram.bucket.append(3.0)
summary.value.add(tag="spread", histo=histogram)
print("messages", [each.tag for each in summary.value], summary.value[2].histo.bucket, tf1.RunOptions.FULL_TRACE, IpuTraceEvent.EXECUTE,
      tf1.ConfigProto().gpu_options.allow_growth)
tf1.summary.FileWriter("logs").add_summary(summary, 1)
print("threads", not (c := tf1.train.Coordinator()).should_stop(), c.request_stop(), c.should_stop(), tf.compat.as_bytes("a"),
      math_ops.to_int32(2.7).numpy(), tf.distribute.get_replica_context().replica_id_in_sync_group)
print(keras.layers.InputSpec(ndim=4, axes={-1: 3}), [each.name for each in keras.utils.get_source_inputs(
    keras.layers.Dense(2)(keras.layers.Dense(3)(keras.Input((4,), name="given"))))])
caffe = keras.applications.imagenet_utils.preprocess_input(image * 255, mode="tf")
print("pixels", np.allclose(caffe, image * 2 - 1, atol=1e-5), keras.applications.imagenet_utils.preprocess_input is not None)
loss = keras.losses.LossFunctionWrapper(lambda y, p, by: tf.reduce_mean(tf.abs(y - p), -1) * by, by=3.0)
print("wrapped", float(loss(np.zeros((2, 2), "f"), np.ones((2, 2), "f"))))
with tf1.Graph().as_default(), tf1.Session() as session:
    wide = tf1.layers.conv2d_transpose(tf.constant(image), 4, 3, 2, padding="same", kernel_initializer=tf1.ones_initializer())
    session.run(tf1.global_variables_initializer())
    made = session.run(wide)
    print("layers", wide.shape, np.isclose(made[0, 0, 0, 0], image[0, 0, 0].sum(), rtol=1e-5), [v.name for v in tf1.global_variables()])
for name in ("graph_util.convert_variables_to_constants", "GraphDef", "profiler.profile", "bfloat16", "strings.to_hash_bucket_fast"):
    try:
        part = tf1
        for each in name.split("."):
            part = getattr(part, each)
    except AttributeError as error:
        print(str(error).split(";")[0])
