# SPDX-License-Identifier: GPL-3.0-or-later
"""The search over labellings of CTC: with room for all of them against the sum over all alignments; with less room by hand."""
import collections
import itertools

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras

STEPS, CLASSES = 4, 3
logits = np.random.default_rng(2).normal(size=(STEPS, 2, CLASSES)).astype(np.float32)


def labellings(x, count):
    """Each labelling and its probability: the sum over every way of giving each step a class; the last class is the blank."""
    shares = np.exp(np.float64(x)) / np.exp(np.float64(x)).sum(-1, keepdims=True)
    found = collections.Counter()
    for way in itertools.product(range(CLASSES), repeat=count):
        label = tuple(each for each, _ in itertools.groupby(way) if each != CLASSES - 1)
        found[label] += np.prod([shares[t, each] for t, each in enumerate(way)])
    return found.most_common()


def rows(sparse):
    """The labels of each sample."""
    made = [[] for _ in range(sparse.dense_shape.numpy()[0])]
    for (sample, _), label in zip(sparse.indices.numpy(), sparse.values.numpy()):
        made[sample].append(int(label))
    return made


paths, found = tf.nn.ctc_beam_search_decoder(logits, [4, 3], beam_width=100, top_paths=5)
known = [labellings(logits[:, sample], count) for sample, count in enumerate((4, 3))]
print("all", all(tuple(rows(path)[sample]) == known[sample][k][0] for k, path in enumerate(paths) for sample in range(2)),
      np.allclose(found, [[np.log(share) for _, share in each[:5]] for each in known], atol=1e-5), found.dtype)

# By hand: "a" has the best step twice (.4 .4), yet "" and others add up. Room for one: at each step the best labelling alone goes on.
shares = np.log(np.array([[[0.4, 0.0001, 0.5999]], [[0.4, 0.0001, 0.5999]]], np.float32))
wide, narrow = (tf.nn.ctc_beam_search_decoder(shares, [2], beam_width=width)[0][0] for width in (10, 1))
likely = tf.nn.ctc_beam_search_decoder(shares, [2], beam_width=10)[1]
print("by hand", rows(wide), rows(narrow), np.allclose(np.exp(likely), 0.4 * 0.4 + 2 * 0.4 * 0.5999, atol=1e-4))

# a, blank, a: two labels, which version 1 gives once unless told otherwise.
apart = np.full((3, 1, 3), -9.0, np.float32)
apart[0, 0, 0] = apart[1, 0, 2] = apart[2, 0, 0] = 0.0
print("merged", [rows(each(apart, [3], **more)[0][0]) for each, more in (
    (tf.nn.ctc_beam_search_decoder, {}), (tf1.nn.ctc_beam_search_decoder, {}), (tf1.nn.ctc_beam_search_decoder, {"merge_repeated": False}),
    (tf1.nn.ctc_beam_search_decoder_v2, {}))])
dense, sums = keras.backend.ctc_decode(np.exp(apart).transpose(1, 0, 2), [3], greedy=False, top_paths=2)
print("keras", [each.numpy().tolist() for each in dense], sums.shape)
for wrong in (lambda: tf.nn.ctc_beam_search_decoder(apart, [3], beam_width=2, top_paths=3),
              lambda: tf.nn.ctc_beam_search_decoder(apart, [0], top_paths=2),
              lambda: tf.nn.ctc_beam_search_decoder(apart, [4]), lambda: tf.nn.ctc_beam_search_decoder(apart, [3, 3])):
    try:
        wrong()
    except tf.errors.OpError as error:
        print(type(error).__name__, error.message if hasattr(error, "message") else error)
