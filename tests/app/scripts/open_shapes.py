# SPDX-License-Identifier: GPL-3.0-or-later
# The first extent of placeholders is open: what is computed of them has shapes, and runs for each batch that is fed.
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow import keras
from tensorflow.python import ipu

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 8, 4])
y = tf.placeholder(tf.int32, [None])
flat = tf.reshape(x * 2.0, [tf.shape(x)[0], -1])
w = tf.get_variable("w", [32, 3])
logits = flat @ w
one = tf.one_hot(y, 3)
loss = tf.reduce_sum(-one * tf.nn.log_softmax(logits)) / tf.cast(tf.shape(x)[0], tf.float32)
parts = {"last": (x + 1.0)[:, -1, :], "rest": (x + 1.0)[1:], "first": (x + 1.0)[0], "zeros": tf.zeros_like(x * 1.0), "ones": tf.ones_like(x + 0.0),
         "stacked": tf.stack([x, x], axis=1), "joined": tf.concat([x, x], 2), "squeezed": tf.squeeze(tf.expand_dims(x, 1), [1]),
         "mean": tf.reduce_mean(x, [1, 2]), "step": tf.unstack(x * 1.0, axis=1)[2], "positive": tf.where(x > 0.5, x, tf.zeros_like(x)),
         "tiled": tf.tile(x, [1, 2, 1]), "filled": tf.fill([tf.shape(x)[0], 2], 3.0), "back": tf.reshape(logits, tf.shape(one))}
print({name: each.shape.as_list() for name, each in parts.items()})
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for batch in (2, 5):
        a, labels = np.arange(batch * 32.0).reshape(batch, 8, 4) / 100, np.arange(batch) % 3
        found, own, made, kernel = session.run([parts, loss, logits, w], {x: a, y: labels})
        wanted = {"last": (a + 1)[:, -1], "rest": (a + 1)[1:], "first": (a + 1)[0], "zeros": a * 0, "ones": a * 0 + 1, "stacked": np.stack([a, a], 1),
                  "joined": np.concatenate([a, a], 2), "squeezed": a, "mean": a.mean((1, 2)), "step": a[:, 2],
                  "positive": np.where(a > 0.5, a, 0), "tiled": np.tile(a, [1, 2, 1]), "filled": np.full([batch, 2], 3.0), "back": made}
        numbers = 2 * a.reshape(batch, -1) @ kernel
        log = numbers - np.log(np.exp(numbers).sum(-1, keepdims=True))
        print([name for name in wanted if not np.allclose(found[name], wanted[name], atol=1e-6)],
              np.isclose(own, -log[np.arange(batch), labels].mean(), rtol=1e-5))

# tf.layers and Keras' layers of an open batch, which the host trains, and recurrent cells.
pixels, labels = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.int64, [None])
h = tf.layers.conv2d(tf.reshape(pixels, [-1, 8, 8, 1]) / 255.0, 4, 3, activation=tf.nn.relu)
h = tf.layers.flatten(tf.layers.max_pooling2d(h, 2, 2))
h = keras.layers.Dense(8, activation="relu")(h)
logits = tf.layers.dense(h, 4)
cost = tf.losses.sparse_softmax_cross_entropy(labels, logits)
step = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(8), x, dtype=tf.float32)
print(h.shape, logits.shape, outputs.shape)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    given = {pixels: np.random.default_rng(1).random((6, 64)) * 255, labels: np.arange(6) % 4}
    costs = [session.run([step, cost], given)[1] for _ in range(20)]
    print(costs[-1] < costs[0] - 0.05, session.run(logits, {pixels: np.ones((3, 64))}).shape, session.run(outputs, {x: np.ones((2, 8, 4))}).shape)

with ipu.scopes.ipu_scope("/device:IPU:0"):
    with tf.variable_scope("ipu", use_resource=True):
        on_ipu = tf.layers.dense(tf.nn.relu(x[:, 0] * 2.0), 3)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print([session.run(on_ipu, {x: np.ones((batch, 8, 4))}).shape for batch in (3, 5)])
for wrong in (lambda: tf.reshape(tf.placeholder(tf.float32, [None, None]), [tf.shape(x)[0], -1]), lambda: (x * 1.0)[:2]):
    try:
        wrong()
    except ValueError as error:
        print(error)
