# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts of TensorFlow 1.15 take from tf.contrib, and from the operations that IPU TensorFlow makes for Python."""
import numpy as np
import tensorflow.compat.v1 as tf
import tensorflow.contrib as contrib
from tensorflow.contrib.data import map_and_batch, parallel_interleave
from tensorflow.compiler.plugin.poplar.ops import gen_popops_ops, gen_poputil_ops
from tensorflow.python import ipu

kernel = tf.get_variable("kernel", initializer=tf.constant([1.0, 2.0]), regularizer=contrib.layers.l2_regularizer(0.5))
tf.get_variable("bias", initializer=tf.constant([-1.0, 2.0]), regularizer=contrib.layers.l1_regularizer(0.25))
print(issubclass(contrib.rnn.LSTMCell, tf.nn.rnn_cell.RNNCell))
files = tf.data.Dataset.from_tensor_slices(np.arange(2) * 10)
rows = files.apply(parallel_interleave(lambda first: tf.data.Dataset.range(3).map(lambda each: each + first), cycle_length=2))
batches = rows.apply(map_and_batch(lambda each: each + 1, 3)).make_one_shot_iterator().get_next()

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
fed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(np.float32([3, 5])))


def step(x):
    total = gen_popops_ops.ipu_cross_replica_sum(x)
    return queue.enqueue((total, gen_poputil_ops.ipu_replication_normalise(total), gen_poputil_ops.replication_index()))


with ipu.scopes.ipu_scope("/device:IPU:0"):
    run = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(1, step, [], fed))
dequeued = queue.dequeue()
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), fed.initializer])
    print(session.run(tf.losses.get_regularization_losses()))  # 0.5 (1 + 4) / 2, and 0.25 (1 + 2)
    print([session.run(batches).tolist() for _ in range(2)])
    session.run(run)
    print([each[0].tolist() for each in session.run(dequeued)])
