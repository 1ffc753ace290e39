# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums of three vectors: op by op on the IPU, as one program, and over four shards."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 4
config.configure_ipu_system()

with tf.device("cpu"):
    a, b, c = (tf.placeholder(np.float32, [2], name=name) for name in "abc")


def sums(a, b, c):
    with ipu.scopes.ipu_shard(0):
        first = a + b
    with ipu.scopes.ipu_shard(3):
        return first + c * 2.0, first - c


with ipu.scopes.ipu_scope("/device:IPU:0"):
    op_by_op = a + b * c
    compiled = ipu.ipu_compiler.compile(sums, [a, b, c])
    counted = ipu.ipu_compiler.compile(
        lambda x: ipu.loops.repeat(5, lambda value: value + 1.5, [x]), [a])
    weight = tf.get_variable("weight", initializer=tf.constant([1.0, 2.0]))
    updated = ipu.ipu_compiler.compile(lambda x: weight.assign_add(x), [a])

feeds = {a: [1, 2], b: [3, 4], c: [5, 6]}
with tf.Session() as session:
    print(session.run(op_by_op, feeds))
    print(session.run(compiled, feeds))
    print(session.run(counted, feeds))
    session.run(tf.global_variables_initializer())
    session.run(updated, feeds)
    print(session.run([updated, weight], feeds))
