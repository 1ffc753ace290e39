# SPDX-License-Identifier: GPL-3.0-or-later
# What scripts of TensorFlow 1 have always done: rates and modes that a session feeds, states in tuples, monitored sessions, names of
# constants, the reader of MNIST; against NumPy.
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.examples.tutorials.mnist import input_data

tf.disable_v2_behavior()
x, keep, training = tf.placeholder(tf.float32, [None, 50]), tf.placeholder(tf.float32), tf.placeholder(tf.bool)
dropped = tf.nn.dropout(x, keep)
through = tf.layers.dropout(x, 0.5, training=training)
normal = tf.layers.batch_normalization(x, training=training, momentum=0.9, epsilon=1e-3)
logits = tf.layers.dense(tf.nn.dropout(tf.layers.dense(x, 8, tf.nn.relu), keep_prob=keep), 2)
cost = tf.reduce_mean(logits**2)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    step = tf.train.GradientDescentOptimizer(0.001).minimize(cost)
print(dropped.shape, normal.shape, logits.shape)
ones = np.ones((200, 50), np.float32)
values = np.random.default_rng(0).normal(3.0, 2.0, (64, 50)).astype(np.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    first, again = (session.run(dropped, {x: ones, keep: 0.75}) for _ in range(2))
    print(abs((first > 0).mean() - 0.75) < 0.02, np.isclose(first.max(), 1 / 0.75), not np.array_equal(first, again),
          np.array_equal(session.run(dropped, {x: ones, keep: 1.0}), ones))
    print(np.array_equal(session.run(through, {x: ones, training: False}), ones), abs(session.run(through, {x: ones, training: True}).mean() - 1) < 0.05)
    batch = (values - values.mean(0)) / np.sqrt(values.var(0) + 1e-3)
    print(np.allclose(session.run(normal, {x: values, training: True}), batch, atol=1e-4),
          np.allclose(session.run(normal, {x: values, training: False}), values / np.sqrt(1.001), atol=1e-4))
    costs = [session.run([step, cost], {x: values, keep: 1.0, training: True})[1] for _ in range(5)]
    mean = [v for v in tf.global_variables() if "moving_mean" in v.name][0]
    print(costs[-1] < costs[0], np.allclose(session.run(mean), values.mean(0) * (1 - 0.9**5), atol=1e-3))

cell = tf.nn.rnn_cell.BasicLSTMCell(3)
row = tf.placeholder(tf.float32, [2, 4])
state = cell.zero_state(2, tf.float32)
_, after = cell(row, state)
named = tf.constant([[1.0, 2.0]], name="one")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    kept = session.run(after, {row: np.ones((2, 4)), state: session.run(state)})
    twice = session.run(after, {row: np.ones((2, 4)), state: kept})
    apart = session.run(after, {row: np.ones((2, 4)), state.c: kept.c, state.h: kept.h})
    print(np.array_equal(twice.c, apart.c), not np.array_equal(twice.c, kept.c), named.name, session.run("one:0").tolist(),
          session.make_callable(named * 2.0)().tolist())

graph = tf.Graph()
with graph.as_default():
    w = tf.get_variable("w", initializer=4.0)
    loss = (w - 1.0) ** 2
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=tf.train.get_or_create_global_step())

    class Seen(tf.train.SessionRunHook):
        losses = []

        def before_run(self, run_context):
            return tf.train.SessionRunArgs({"loss": loss})

        def after_run(self, run_context, run_values):
            self.losses.append(float(run_values.results["loss"]))

    for last in (3, 5):
        with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=last), Seen()], checkpoint_dir="monitored") as session:
            while not session.should_stop():
                session.run(train)
    print(len(Seen.losses), all(a > b for a, b in zip(Seen.losses, Seen.losses[1:])), tf.train.latest_checkpoint("monitored"))
digits = input_data.read_data_sets("MNIST_data", one_hot=True)
images, labels = digits.train.next_batch(100)
print(images.shape, images.max() <= 1, labels.sum(), digits.train.num_examples, digits.validation.images.shape[0], digits.test.labels.shape[1])
