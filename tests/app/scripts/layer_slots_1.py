# SPDX-License-Identifier: GPL-3.0-or-later
"""What an optimiser of tf.train keeps of the weights of Keras' layers, in a graph of TensorFlow 1, against NumPy; and in its checkpoints."""
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = tf.placeholder(tf.float32, [3, 4])
optimizer = tf.train.AdamOptimizer(0.1)


def step(given):
    loss = tf.reduce_sum(tf.keras.layers.Dense(2, use_bias=False, name="d")(given) * tf.constant([1.0, 2.0]))
    return loss, optimizer.minimize(loss)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    train = ipu.ipu_compiler.compile(step, [x])
ipu.utils.move_variable_initialization_to_cpu()
listed = tf.global_variables()
print([each.name for each in listed], [each.name for each in optimizer.variables()])
kernel, = tf.trainable_variables()
m, v = optimizer.get_slot(kernel, "m"), optimizer.get_slot(kernel, "v")
values = np.random.default_rng(3).random((3, 4), "f")
gradient = values.sum(0)[:, None] * np.array([1.0, 2.0])


def near(a, b):
    return bool(np.abs(a - b).max() < 1e-5)


with tempfile.TemporaryDirectory() as folder:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, {x: values})
        print(near(session.run(m), 0.1 * gradient), near(session.run(v), 0.001 * gradient**2))
        session.run(m.assign(np.zeros((4, 2))))
        session.run(train, {x: values})
        print(near(session.run(m), 0.1 * gradient), near(session.run(v), 0.001999 * gradient**2))
        path = tf.train.Saver().save(session, os.path.join(folder, "kept"))
        print([name for name, _ in tf.train.list_variables(path)])
        session.run(train, {x: values})
        after = session.run(listed)
    with tf.Session() as session:
        tf.train.Saver().restore(session, path)
        session.run(train, {x: values})
        print([np.array_equal(one, other) for one, other in zip(after, session.run(listed))])
