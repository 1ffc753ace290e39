# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses over classes that are drawn, against NumPy; and how often classes are drawn."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

CLASSES, WIDTH, BATCH, DRAWN = 20, 4, 6, 5
numbers = np.random.RandomState(0)
weights, biases, inputs = (numbers.rand(*shape).astype("f") for shape in ((CLASSES, WIDTH), (CLASSES,), (BATCH, WIDTH)))
labels = numbers.randint(0, CLASSES, (BATCH, 2))


def logits_of(candidates, true_count, count, without_hits, num_true):
    of_labels = labels[:, :num_true]
    true = np.einsum("bd,btd->bt", inputs, weights[of_labels]) + biases[of_labels] - np.log(true_count)
    sampled = inputs @ weights[candidates].T + biases[candidates] - np.log(count)
    hit = (of_labels[:, :, None] == candidates).any(1)
    made = np.concatenate([true, np.where(hit & without_hits, -1e30, sampled)], 1)
    return made, np.concatenate([np.full(true.shape, 1 / num_true), np.zeros(sampled.shape)], 1)


def same(a, b):
    return bool(np.abs(np.asarray(a) - b).max() < 1e-5)


for num_true in (1, 2):
    given = tf.random.log_uniform_candidate_sampler(labels[:, :num_true], num_true, DRAWN, True, CLASSES)
    values = [each.numpy() for each in given]
    logits, shares = logits_of(*values, True, num_true)
    softmax = np.log(np.exp(logits).sum(1)) - (shares * logits).sum(1)
    logits, shares = logits_of(*values, False, num_true)
    nce = (np.maximum(logits, 0) - logits * shares + np.log1p(np.exp(-np.abs(logits)))).sum(1)
    arguments = (weights, biases, labels[:, :num_true], inputs, DRAWN, CLASSES, num_true)
    print([each.dtype.name for each in given], len(set(values[0])) == DRAWN, same(tf.nn.sampled_softmax_loss(*arguments, sampled_values=given), softmax),
          same(tf.nn.nce_loss(*arguments, sampled_values=given), nce), same(tf1.nn.nce_loss(*arguments, given, partition_strategy="div"), nce))

likely = np.diff(np.log(np.arange(1, CLASSES + 2))) / np.log(CLASSES + 1)
drawn, first, expected = np.zeros(CLASSES), np.zeros(CLASSES), np.zeros(CLASSES)
with tf.Graph().as_default():
    candidates, count, _ = tf1.random.log_uniform_candidate_sampler(np.arange(CLASSES)[:, None], 1, DRAWN, True, CLASSES)
    with tf1.Session() as session:
        for _ in range(400):
            found, counts = session.run([candidates, count])
            drawn[found] += 1 / 400
            first[found[0]] += 1 / 400
            expected += counts[:, 0] / 400
print(bool(np.abs(drawn - expected).max() < 0.06), bool(np.abs(first - likely).max() < 0.06), round(drawn.sum(), 3))
_, true_count, count = tf.random.uniform_candidate_sampler(labels[:, :1], 1, 30, False, CLASSES)
print(set(np.ravel(true_count.numpy())), count.shape)
every = tf.random.fixed_unigram_candidate_sampler(labels[:, :1] % 3, 1, 3, True, 3, unigrams=[1, 2, 3])
print(sorted(every[0].numpy().tolist()), every[2].numpy().max() <= 1)
variables = tf.Variable(weights), tf.Variable(biases)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.nn.sampled_softmax_loss(*variables, labels[:, :1], inputs, DRAWN, CLASSES, sampled_values=(values[0], values[1][:, :1], values[2])))
of_weights, of_biases = tape.gradient(loss, variables)
logits, shares = logits_of(values[0], values[1][:, :1], values[2], True, 1)
error = np.exp(logits) / np.exp(logits).sum(1, keepdims=True) - shares
by_hand = np.zeros_like(biases)
np.add.at(by_hand, labels[:, 0], error[:, 0])
np.add.at(by_hand, values[0], error[:, 1:].sum(0))
print(same(tf.convert_to_tensor(of_biases), by_hand), of_weights.shape)
