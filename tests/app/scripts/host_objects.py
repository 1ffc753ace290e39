# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine keeps of an optimiser, sparse tensors, messages, coordinators and other objects of the host, by hand."""
import threading
import time
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    d = keras.layers.Dense(1, use_bias=False, input_shape=(1,))
    m, o = keras.Sequential([d]), keras.optimizers.Adam(0.1)
    m.compile(loss="mse", optimizer=o)
    m.fit(np.ones((4, 1), np.float32), np.full((4, 1), 3, np.float32), batch_size=1, verbose=0, shuffle=False)
    print(np.allclose(o.get_slot(d.kernel, "m").numpy(), o.get_weights()[1]), o.get_slot(d.kernel, "nothing"))
s = tf.sparse.SparseTensor([[1, 0], [0, 0], [1, 0]], [1., 2., 3.], [2, 2])
print(tf.sparse.reorder(s).values.numpy(), type(tf.sparse.reduce_sum(tf.sparse.from_dense([[1., 0.], [2., 0.]]), 0, output_is_sparse=True)).__name__)
for f in (lambda: tf.sparse.map_values(tf.add, tf.sparse.from_dense([1., 0.]), tf.sparse.from_dense([0., 1.])), lambda: tf.sparse.map_values(tf.add, 1., 2.),
          lambda: tf.image.crop_and_resize(np.ones((1, 2, 2, 1), np.float32), [[0., 0., 1., 1.]], [0])):
    try:
        print(f())
    except ValueError as error:
        print(error)
v = tf.compat.v1.Summary.Value(tag="a")
print(v.HasField("image"), v.HasField("tag"))
a, b = tf.compat.v1.Summary(value=[v]), tf.compat.v1.Summary()
b.CopyFrom(a)
b.value.add(tag="x")
print(len(a.value), len(b.value))
a.MergeFrom(b)
print([x.tag for x in a.value])
try:
    v.HasField("nope")
except ValueError as error:
    print(error)
k = tf.train.Coordinator()
k.request_stop(ValueError("lost"))
try:
    k.join()
except ValueError as error:
    print("raised", error)
k = tf.train.Coordinator((KeyError,))
with k.stop_on_exception():
    raise KeyError("clean")
x = keras.Input((4,))
for _ in range(40):
    x = keras.layers.Add()([x, x])  # 2^40 paths
print(len(keras.utils.get_source_inputs(x)))
print(tf.distribute.get_replica_context().num_replicas_in_sync)
print(len(tf.image.sample_distorted_bounding_box([8, 8, 3], np.zeros((1, 0, 4), np.float32), 1, 0.1, use_image_if_no_bounding_boxes=True)))
k.join()
print(k.should_stop())
k = tf.train.Coordinator()
never = threading.Event()
stuck = [threading.Thread(target=never.wait, name=name, daemon=True) for name in ("reader", "writer")]
for thread in stuck:
    thread.start()
k.request_stop()
began = time.monotonic()
try:
    k.join(stuck, stop_grace_period_secs=1.5)
except RuntimeError as error:
    print(error)
k.join(stuck, stop_grace_period_secs=0.1, ignore_live_threads=True)
print(1.5 <= time.monotonic() - began < 3)  # of both together
never.set()
k.clear_stop()
k.join(stuck)
print(any(thread.is_alive() for thread in stuck))
