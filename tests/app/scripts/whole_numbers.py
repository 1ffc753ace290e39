# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole numbers of 64 bits: IPUs have them in 32, and scripts get them back as what they are."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with tf.device("cpu"):
    x, f = tf.placeholder(tf.int64, [3]), tf.placeholder(tf.float32, [2, 3])
of_host = x + 1


def net(x, f):
    return {"argmax": tf.argmax(f, axis=1), "argmax32": tf.argmax(f, 1, output_type=tf.int32), "cast": tf.cast(f, tf.int64),
            "chosen": tf.where(x > 2, x, x * 2), "gathered": tf.gather(x, tf.constant([0, 1])), "narrower": tf.cast(x, tf.int32),
            "places": tf.nn.top_k(x, 2)[1], "shape": tf.shape(f), "sum": tf.reduce_sum(x)}


queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.range(10).repeat())
with ipu.scopes.ipu_scope("/device:IPU:0"):
    compiled = ipu.ipu_compiler.compile(net, inputs=[x, f])
    cluster = x * 3
    variable = tf.get_variable("v", [2], tf.int64, initializer=tf.ones_initializer())
    assigned = variable.assign_add([1, 2])
    loop = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(
        4, lambda total, each: (total + each, queue.enqueue(each)), [tf.constant(0, tf.int64)], infeed))
dequeued = queue.dequeue()
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), infeed.initializer])
    fed = {x: [1, 2, 3], f: [[1, 5, 2], [3, 1, 0]]}
    found = session.run({**compiled, "cluster": cluster, "of_host": of_host, "assigned": assigned, "variable": variable}, fed)
    found["loop"] = session.run(loop)[0]
    found["dequeued"] = session.run(dequeued)
    for name, value in found.items():
        print(name, value.dtype, np.asarray(value).tolist())
with tf.Session() as session:  # beyond what float32 has
    given = tf.placeholder(tf.int32, [5])
    large = np.int32([2**24 + 1, 3, -7, 2**25 + 5, 1])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        sums = ipu.ipu_compiler.compile(lambda x: [tf.cumsum(x, exclusive=back, reverse=back) for back in (False, True)], [given])
        rows = ipu.ipu_compiler.compile(lambda x: tf.cumsum(tf.stack([x, x * 2], 1), 0), [given])
    found = session.run(sums + rows, {given: large})
    wanted = [large.cumsum(), large[::-1].cumsum()[::-1] - large, np.stack([large, large * 2], 1).cumsum(0)]
    print("sums", [np.array_equal(*each) for each in zip(found, wanted)])
