# SPDX-License-Identifier: GPL-3.0-or-later
"""What optimisers of tf.train keep is among the variables of a graph, and in checkpoints of them, with the count of their updates."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
x = np.float32([[1, 2], [3, 4]])


def step():
    with tf.variable_scope("net", use_resource=True):
        w = tf.get_variable("w", [2, 1])
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
    return loss, tf.train.AdamOptimizer(0.1).minimize(loss)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    update = ipu.ipu_compiler.compile(step)
print([each.name for each in tf.global_variables()])
print([each.name for each in tf.trainable_variables()])
print([each.name for each in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="net/b")])
every, trained, told_nothing = tf.train.Saver(tf.global_variables()), tf.train.Saver(tf.trainable_variables()), tf.train.Saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(update)
    every.save(session, "./every")
    trained.save(session, "./trained")
    told_nothing.save(session, "./all")
    session.run(update)
    wanted = session.run(update)
names = [[name for name, _ in tf.train.list_variables(path)] for path in ("./every", "./all")]
print(names[0], names[0] == names[1])
for saver, path in ((every, "./every"), (trained, "./trained"), (told_nothing, "./all")):
    with tf.Session() as session:
        if saver is trained:
            session.run(tf.global_variables_initializer())
        saver.restore(session, path)
        session.run(update)
        print(path, np.array_equal(session.run(update), wanted))
with tf.Session() as session:  # outside of the graph that it is of
    every.restore(session, "./every")
    with tf.Graph().as_default():
        every.save(session, "./again")
    session.run(tf.variables_initializer([each for each in tf.global_variables() if "Adam" in each.name]))
    print([float(np.abs(each).max()) for each in session.run([each for each in tf.global_variables() if "Adam" in each.name])])
