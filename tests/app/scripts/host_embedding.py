# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the host, against NumPy: rows that are looked up in a loop, and updates by their gradients."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
embedding_ops = ipu.embedding_ops
random = np.random.default_rng(3)
ids = random.integers(0, 5, (6, 4)).astype(np.int32)
ids[0] = [2, 2, 4, 6]  # twice the same row, and one beyond the last of the first table, which is clipped to it
wanted = random.normal(size=(6, 4)).astype(np.float32)
first = random.normal(size=(5, 3)).astype(np.float32)
fixed = random.normal(size=(7, 3)).astype(np.float32)
weights = random.normal(size=(3,)).astype(np.float32)

trained = embedding_ops.create_host_embedding("trained", [5, 3], tf.float32, optimizer_spec=embedding_ops.HostEmbeddingOptimizerSpec(0.1),
                                              initializer=tf.constant_initializer(first))
constant = embedding_ops.create_host_embedding("constant", [7, 3], tf.float32, initializer=tf.constant_initializer(fixed))
queue = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices((ids, wanted)))
losses = ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def step(numbers, labels):
    w = tf.get_variable("w", initializer=tf.constant(weights))
    rows = trained.lookup(numbers) + constant.lookup(numbers, clip_indices=False)
    loss = tf.reduce_sum(tf.square(tf.reduce_sum(rows * w, -1) - labels))
    return losses.enqueue(loss), tf.train.GradientDescentOptimizer(0.05).minimize(loss)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    loop = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(3, step, infeed_queue=queue))
dequeued = losses.dequeue()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()

def by_hand():
    table, w, values = first.astype(np.float64), weights.astype(np.float64), []
    for numbers, labels in zip(ids, wanted):
        own = np.minimum(numbers, 4)
        rows = table[own] + fixed[numbers]
        error = rows @ w - labels
        values.append((error ** 2).sum())
        of_rows, of_w = 2 * error[:, None] * w, 2 * error @ rows
        table = table.copy()
        np.add.at(table, own, -0.1 * of_rows)
        w = w - 0.05 * of_w
    return table, values


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(queue.initializer)
    with trained.register(session), constant.register(session):
        found = []
        for _ in range(2):
            session.run(loop)
            found += session.run(dequeued).tolist()
    table, values = by_hand()
    print("losses", np.allclose(found, values, rtol=1e-4), len(found))
    print("table", np.allclose(session.run(trained.get_embedding_tensor()), table, rtol=1e-4, atol=1e-4),
          np.array_equal(session.run(constant.get_embedding_tensor()), fixed), not np.allclose(table, first, atol=0.1))
try:
    embedding_ops.HostEmbedding("x", trained.get_embedding_tensor(), partition_strategy="ROW")
except ValueError as error:
    print(error)
