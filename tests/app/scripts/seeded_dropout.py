# SPDX-License-Identifier: GPL-3.0-or-later
"""Dropout with a seed drops the same in each step and wherever it is said; with a shape of its noise, whole rows."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
x = np.random.default_rng(1).normal(2, 1, (4, 64)).astype(np.float32)


def run(body, *given, steps=2):
    """What a compiled function gives in each run of a session."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        feeds = [tf.compat.v1.placeholder(tf.float32, each.shape) for each in given]
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(body, feeds)
        session.run(tf.compat.v1.global_variables_initializer())
        return [session.run(made, dict(zip(feeds, given))) for _ in range(steps)]


def seeded(x):
    return [ipu.rand_ops.dropout(x, rate=0.25, seed=seed) for seed in ([7, 8], np.array([7, 8]), [8, 7], [7, -8], None)]


first, second = run(seeded, x)
print([np.array_equal(a, b) for a, b in zip(first, second)], np.array_equal(first[0], first[1]),
      [np.array_equal(first[0], each) for each in first[2:]])
kept = first[0] != 0
print(np.allclose(first[0][kept], x[kept] / 0.75), 0.65 < kept.mean() < 0.85)


def differentiated(x):
    y = ipu.rand_ops.dropout(x, rate=0.25, seed=tf.constant([7, 8]), ref=False)
    return y, tf.gradients(tf.reduce_sum(y * y), [x])[0]


y, gradient = run(differentiated, x)[0]
print(np.array_equal(y, first[0]), np.allclose(gradient, 2 * y / 0.75))


def shaped(x):
    return (ipu.rand_ops.dropout(x, rate=0.5, noise_shape=[1, 64]), tf.nn.dropout(x, 0.5, noise_shape=[None, 1]),
            ipu.rand_ops.dropout(x, rate=0.5, noise_shape=[4, 1], seed=[1, 2]))


columns, rows, seeded_rows = run(shaped, x)[0]
for made, axis in ((columns, 0), (rows, 1), (seeded_rows, 1)):
    zero = (made == 0).all(axis=axis)
    print(np.array_equal((made == 0).any(axis=axis), zero), np.allclose(made[made != 0], (x * 2)[made != 0]))
print(0 < (columns == 0).all(axis=0).mean() < 1)


def twice(x):
    return tf.nn.dropout(x, 0.5, seed=3), tf.nn.dropout(x, 0.5, seed=3), tf.nn.dropout(x, 0.5, seed=4)


first, second = run(twice, x)
print(np.array_equal(first[0], first[1]), np.array_equal(first[0], first[2]), np.array_equal(first[0], second[0]))


# Each replica and each micro-batch drops the same.
data = tf.compat.v1.data.Dataset.from_tensors(np.ones([64], np.float32)).repeat()
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.compat.v1.data.Dataset.from_tensors(np.ones([64], np.float32)).repeat())
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        def step(ones):
            return outfeed.enqueue(ipu.rand_ops.dropout(ones, rate=0.5, seed=[3, 4]))
        loop = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(3, step, [], infeed))
    taken = outfeed.dequeue()
    session.run(infeed.initializer)
    session.run(loop)
    drawn = session.run(taken)
    print(drawn.shape, bool((drawn == drawn[0, 0]).all()), 0 < drawn.mean() < 2)

for bad in ({"rate": 1.0}, {"seed": [1, 2, 3]}, {"noise_shape": [4]}, {"noise_shape": [2, 64]}):
    try:
        ipu.rand_ops.dropout(tf.constant(x), **bad)
    except ValueError as error:
        print(error)
