# SPDX-License-Identifier: GPL-3.0-or-later
"""Data sets over tensors of a graph: what is drawn or computed as an iterator begins."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()

drawn = tf.data.Dataset.from_tensor_slices((tf.random.uniform([4, 3], 2.0, 3.0), tf.random.uniform([4], maxval=10, dtype=tf.int32)))
iterator = tf.data.make_initializable_iterator(drawn.batch(4, drop_remainder=True).repeat(2))
element = iterator.get_next()
fed = tf.placeholder(tf.float32, [2])
doubled = tf.data.make_initializable_iterator(tf.data.Dataset.from_tensors(fed * 2))
next_doubled = doubled.get_next()
once = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensors(tf.random_normal([5]))).get_next()
queue = ipu.ipu_infeed_queue.IPUInfeedQueue(drawn.batch(2, drop_remainder=True).repeat())
outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
with ipu.scopes.ipu_scope("/device:IPU:0"):
    loop = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(4, lambda x, y: outfeed.enqueue(x), [], queue))
received = outfeed.dequeue()

with tf.Session() as session:
    session.run(iterator.initializer)
    (x, y), again = session.run(element), session.run(element)
    print("drawn", bool((x >= 2).all() and (x < 3).all()), len(set(x.ravel().tolist())) == 12, bool((y >= 0).all() and (y < 10).all()),
          np.array_equal(x, again[0]), np.array_equal(y, again[1]))
    session.run(iterator.initializer)
    print("anew", not np.array_equal(x, session.run(element)[0]))
    session.run(doubled.initializer, {fed: [1.0, 4.0]})
    print("computed", session.run(next_doubled).tolist())
    print("once", len(set(session.run(once).tolist())))
    session.run(queue.initializer)
    session.run(loop)
    steps = session.run(received)
    print("on the device", steps.shape, bool((steps >= 2).all() and (steps < 3).all()), np.array_equal(steps[:2], steps[2:]),
          not np.array_equal(steps[0], steps[1]))
    try:
        session.run(doubled.initializer)
        session.run(next_doubled)
    except tf.errors.InvalidArgumentError as error:
        print(error)
