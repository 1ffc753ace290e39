# SPDX-License-Identifier: GPL-3.0-or-later
# What four shards of one replica have in common, against NumPy.
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 4
config.configure_ipu_system()
given = [np.arange(2.0 + (i > 0)) + i for i in range(4)]


def net(*parts):
    here = []
    for shard, part in enumerate(parts):
        with ipu.scopes.ipu_shard(shard):
            here.append(part * 1.0)
    gathered = ipu.within_replica_ops.all_gather(here)
    matrices = ipu.ops.within_replica_ops.all_gather([tf.reshape(each, [1, 3]) for each in here[1:]])
    return (gathered, ipu.within_replica_ops.all_reduce(here, "COLLECTIVE_OP_ADD"),
            ipu.within_replica_ops.all_reduce(here, "COLLECTIVE_OP_MAX"), matrices)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    places = [tf.placeholder(tf.float32, [len(each)]) for each in given]
    compiled = ipu.ipu_compiler.compile(net, places)
padded = np.stack([np.pad(each, [0, 3 - len(each)]) for each in given])
with tf.Session() as session:
    found = session.run(compiled, dict(zip(places, given)))
wanted = [np.concatenate(given)] * 4 + [padded.sum(0)] * 4 + [padded.max(0)] * 4 + [np.stack(given[1:])] * 3
print(len(found), all(np.array_equal(a, b) for a, b in zip(found, wanted)))
for wrong in (lambda: ipu.within_replica_ops.all_gather([places[0]] * 2), lambda: ipu.within_replica_ops.all_reduce(places, "COLLECTIVE_OP_LOCAL"),
              lambda: ipu.within_replica_ops.all_gather([tf.constant([1.0]), tf.constant([1])])):
    try:
        wrong()
    except (AttributeError, ValueError) as error:
        print(error)
