# SPDX-License-Identifier: GPL-3.0-or-later
"""The CTC loss by the names that it has, on the host and on the device, against the sum over all alignments; its decoder."""
import itertools

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
STEPS, CLASSES = 4, 3
LABELS, LENGTHS, COUNTS = np.int32([[1, 1], [2, 0], [1, 2]]), np.int32([2, 1, 2]), np.int32([4, 3, 4])
logits = np.random.default_rng(0).normal(size=(STEPS, 3, CLASSES)).astype(np.float32)


def wanted(x, labels, lengths, counts, blank):
    """-log of the sum over every way of giving each step a class, in doubles."""
    shares = np.exp(np.float64(x)) / np.exp(np.float64(x)).sum(-1, keepdims=True)
    losses = []
    for sample, (label, length, count) in enumerate(zip(labels, lengths, counts)):
        total = 0
        for way in itertools.product(range(CLASSES), repeat=int(count)):
            left = [each for each, _ in itertools.groupby(way) if each != blank]
            if left == list(label[:length]):
                total += np.prod([shares[t, sample, each] for t, each in enumerate(way)])
        losses.append(-np.log(total))
    return np.array(losses)


def slopes(x, *args):
    """Of the sum of the losses, by differences."""
    made, h = np.zeros(x.shape), 1e-4
    for at in np.ndindex(*x.shape):
        up, down = np.float64(x), np.float64(x)
        up[at], down[at] = up[at] + h, down[at] - h
        made[at] = (wanted(up, *args).sum() - wanted(down, *args).sum()) / (2 * h)
    return made


known = wanted(logits, LABELS, LENGTHS, COUNTS, 0)
last = wanted(logits, LABELS - 1, LENGTHS, COUNTS, 2)  # the same with the last class as the blank


def same(found, other=known):
    return np.allclose(np.asarray(found).reshape(-1), other, atol=2e-5)


print("host", same(tf.nn.ctc_loss(LABELS, logits, LENGTHS, COUNTS)),
      same(tf.nn.ctc_loss(LABELS, logits.transpose(1, 0, 2), LENGTHS, COUNTS, logits_time_major=False, blank_index=0)),
      same(tf.nn.ctc_loss(LABELS - 1, logits, LENGTHS, COUNTS, blank_index=-1), last))
sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]], np.int32([0, 0, 1, 0, 1]), [3, 2])
print("sparse", same(tf1.nn.ctc_loss(sparse, logits, COUNTS), last), same(tf.nn.ctc_loss(sparse, logits, None, COUNTS, blank_index=2), last))
shares = tf.nn.softmax(logits.transpose(1, 0, 2))
print("keras", same(keras.backend.ctc_batch_cost(LABELS - 1, shares, COUNTS[:, None], LENGTHS[:, None]), last),
      keras.backend.ctc_batch_cost(LABELS - 1, shares, COUNTS[:, None], LENGTHS[:, None]).shape)
with tf.GradientTape() as tape:
    x = tf.Variable(logits)
    loss = tf.reduce_sum(tf.nn.ctc_loss(LABELS, x, LENGTHS, COUNTS))
print("tape", np.allclose(tape.gradient(loss, x), slopes(logits, LABELS, LENGTHS, COUNTS, 0), atol=1e-4))

with tf.Graph().as_default(), tf1.Session() as session:
    x = tf1.placeholder(tf.float32, logits.shape)
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        def net(x):
            losses = ipu.nn_ops.ctc_loss_v2(LABELS, x, LENGTHS, COUNTS, 0)
            of_logs = ipu.nn_ops.ctc_loss_with_log_probs(LABELS, tf.nn.log_softmax(x), LENGTHS, COUNTS, 0)
            return losses, of_logs, tf1.gradients(losses, x)[0]
        made = ipu.ipu_compiler.compile(net, [x])
    losses, of_logs, gradient = session.run(made, {x: logits})
    print("device", same(losses), same(of_logs), np.allclose(gradient, slopes(logits, LABELS, LENGTHS, COUNTS, 0), atol=1e-4))

strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    ends = keras.Input((STEPS, 2), batch_size=3)
    steps = keras.layers.LSTM(8, return_sequences=True)(ends)
    model = keras.Model(ends, keras.layers.Dense(CLASSES)(steps))

    def loss(y_true, y_pred):
        return tf.reduce_mean(ipu.nn_ops.ctc_loss_v2(tf.cast(y_true, tf.int32), tf.transpose(y_pred, [1, 0, 2]), LENGTHS, COUNTS, 0))
    model.compile(keras.optimizers.Adam(0.05), loss, steps_per_execution=10)
    data = tf.data.Dataset.from_tensors((np.random.default_rng(1).normal(size=(3, STEPS, 2)).astype(np.float32), LABELS)).repeat()
    history = model.fit(data, steps_per_epoch=10, epochs=6, verbose=0).history["loss"]
print("trained", history[-1] < 0.2 * history[0])
best = np.full((4, 2, 3), -5.0, np.float32)
for t, (first, second) in enumerate(((0, 1), (0, 1), (2, 2), (0, 1))):
    best[t, 0, first] = best[t, 1, second] = -0.5
(labels,), sums = tf.nn.ctc_greedy_decoder(best, [4, 3])
print("decoded", tf.sparse.to_dense(labels, -1).numpy().tolist(), sums.numpy().ravel().tolist())
print("decoded", keras.backend.ctc_decode(np.exp(best).transpose(1, 0, 2), [4, 3])[0][0].numpy().tolist())
for wrong in (lambda: tf.nn.ctc_loss(LABELS, logits, LENGTHS, COUNTS, blank_index=7),
              lambda: ipu.nn_ops.ctc_loss_v2(LABELS, logits, LENGTHS, COUNTS, 0, out_dtype=tf.float16),
              lambda: ipu.nn_ops.ctc_beam_search_decoder(logits, COUNTS), lambda: tf1.nn.ctc_loss(LABELS, logits, COUNTS),
              lambda: tf.nn.ctc_loss(LABELS, logits, LENGTHS, None)):
    try:
        wrong()
    except Exception as error:  # pylint: disable=broad-except
        print(str(error).split(":", maxsplit=1)[0])
