# SPDX-License-Identifier: GPL-3.0-or-later
"""What connectionist temporal classification reads out of the shares of classes, at hand on the host: each step's best class, or
a search over labellings."""
import heapq
import math

import numpy as np

from . import math_by_formula, sparse
from .. import errors
from ..tensors import graph

_NONE = -math.inf  # the logarithm of no probability


def _both(a, b):
    """The logarithm of a sum of two probabilities."""
    high, low = (a, b) if a > b else (b, a)
    return high if low == _NONE else high + math.log1p(math.exp(low - high))


class _Labelling:
    """The beginning of a sequence of labels. Logarithms of its probability after the steps so far: in all, and of what ends in a
    blank or in its last label; and of the same before the last step."""

    __slots__ = ("parent", "label", "longer", "total", "blank", "labelled", "total_before", "blank_before")

    def __init__(self, parent, label):
        self.parent, self.label, self.longer = parent, label, {}
        self.total_before = self.blank_before = _NONE
        self.leave()

    def leave(self):
        """It is not kept any more."""
        self.total = self.blank = self.labelled = _NONE

    def with_label(self, label):
        if label not in self.longer:
            self.longer[label] = _Labelling(self, label)
        return self.longer[label]

    def probability_before(self, label):
        """That from which it goes on to a label: one that is its last follows a blank alone."""
        return self.blank_before if label == self.label else self.total_before

    def take_step(self, logarithms):
        """What it is after one more step if it does not get longer."""
        if self.parent is not None:
            if self.parent.total != _NONE:
                self.labelled = _both(self.labelled, self.parent.probability_before(self.label))
            self.labelled += logarithms[self.label]
        self.blank = self.total_before + logarithms[-1]
        self.total = _both(self.blank, self.labelled)

    def labels(self, merge_repeated):
        found, here = [], self
        while here.parent is not None:
            found.append(here.label)
            here = here.parent
        found.reverse()
        return [each for at, each in enumerate(found) if not (merge_repeated and at + 1 < len(found) and found[at + 1] == each)]


class _Beam:
    """The best labellings so far, no more than `width`."""

    def __init__(self, width):
        self.width, self.kept, self.made = width, [], 0

    def may_take(self, total):
        return total > _NONE and (len(self.kept) < self.width or total > self.kept[0][0])

    def take(self, labelling):
        self.made += 1
        entry = (labelling.total, -self.made, labelling)
        if len(self.kept) < self.width:
            heapq.heappush(self.kept, entry)
        else:
            heapq.heappushpop(self.kept, entry)[2].leave()

    def best(self):
        return [entry[2] for entry in sorted(self.kept, key=lambda entry: (-entry[0], -entry[1]))]


def _searched(rows, width, paths):
    """[(labels, logarithm of the probability)] of the best labellings of rows [steps, classes] of logits, the last of which is the
    blank: prefix beam search as TensorFlow's (core/util/ctc/ctc_beam_search.h; Graves, 2012, section 7.5.3)."""
    beam = _Beam(width)
    first = _Labelling(None, -1)
    first.total = first.blank = 0.0
    beam.take(first)
    for row in rows:
        highest = row.max()
        logarithms = (row - (highest + np.log(np.exp(row - highest).sum()))).tolist()
        known, beam = beam.best(), _Beam(width)
        for each in known:
            each.total_before, each.blank_before = each.total, each.blank
        for each in known:
            each.take_step(logarithms)
            beam.take(each)
        for each in known:
            if not beam.may_take(each.total_before):
                continue
            for label, logarithm in enumerate(logarithms[:-1]):
                longer = each.with_label(label)
                if longer.total != _NONE:
                    continue
                total = logarithm + each.probability_before(label)
                if beam.may_take(total):
                    longer.total = longer.labelled = total
                    beam.take(longer)
                else:
                    longer.total_before = longer.blank_before = _NONE
    if paths > width:
        raise errors.InvalidArgumentError(message="requested more paths than the beam width.")
    if paths > len(beam.kept):
        raise errors.InvalidArgumentError(message="Less leaves in the beam search than requested.")
    return beam.best()[:paths]


def _given(inputs, sequence_length, name):
    """(inputs [steps, batch, classes], steps of each sample), at hand. Errors: TensorFlow's, where they do not fit."""
    values, steps = (math_by_formula.of_host(each, name) for each in (inputs, sequence_length))
    if values.ndim != 3:
        raise errors.InvalidArgumentError(message="inputs is not a 3-Tensor")
    if steps.ndim != 1:
        raise errors.InvalidArgumentError(message="sequence_length is not a vector")
    if len(steps) != values.shape[1]:
        raise errors.FailedPreconditionError(message=f"len(sequence_length) != batch_size.  len(sequence_length):  {len(steps)} batch_size: "
                                             f"{values.shape[1]}")
    for sample, count in enumerate(steps):
        if count > values.shape[0]:
            raise errors.FailedPreconditionError(message=f"sequence_length({sample}) <= {values.shape[0]}")
    return values, steps.astype(int)


def best(inputs, sequence_length, blank_index, merge_repeated):
    """([labels of each sample], [batch, 1] sums of the greatest inputs)."""
    values, steps = _given(inputs, sequence_length, "tf.nn.ctc_greedy_decoder")
    blank = (values.shape[2] - 1 if blank_index is None else blank_index) % values.shape[2]
    labels, sums = [], []
    for sample, count in enumerate(steps):
        best = values[:count, sample].argmax(-1)
        kept = best != blank
        if merge_repeated:
            kept[1:] &= best[1:] != best[:-1]
        labels.append(best[kept])
        sums.append(values[:count, sample].max(-1).sum())
    return labels, np.asarray(sums, values.dtype)[:, None]


def beams(inputs, sequence_length, beam_width, top_paths, merge_repeated):
    """([labels of each sample, best first], [batch, paths] logarithms of their probabilities)."""
    values, steps = _given(inputs, sequence_length, "tf.nn.ctc_beam_search_decoder")
    found = [_searched(values[:count, sample].astype(np.float64), int(beam_width), int(top_paths)) for sample, count in enumerate(steps)]
    labels = [[np.asarray(row[path].labels(merge_repeated), np.int64) for row in found] for path in range(int(top_paths))]
    return labels, np.array([[each.total for each in row] for row in found], values.dtype).reshape(len(steps), int(top_paths))


def _sparse(labels):
    places = np.array([(row, at) for row, each in enumerate(labels) for at in range(len(each))], np.int64).reshape(-1, 2)
    shape = np.array([len(labels), max(map(len, labels), default=0)], np.int64)
    return sparse.SparseTensor(*map(graph.EagerTensor, (places, np.concatenate([*labels, []]).astype(np.int64), shape)))


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    labels, sums = best(inputs, sequence_length, blank_index, merge_repeated)
    return [_sparse(labels)], graph.EagerTensor(-sums)


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """tf.nn's of TensorFlow 2."""
    return ctc_beam_search_decoder_1(inputs, sequence_length, beam_width, top_paths, False)


def ctc_beam_search_decoder_1(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    """That of TensorFlow 1, which gives labels in a row that are the same once, also where blanks are between them."""
    labels, logarithms = beams(inputs, sequence_length, beam_width, top_paths, merge_repeated)
    return [_sparse(each) for each in labels], graph.EagerTensor(logarithms)


def add_names():
    from .. import names
    for below in ("nn_ops", "ops.nn_ops"):
        for each in ("ctc_beam_search_decoder", "ctc_beam_search_decoder_with_log_probs"):
            names.refuse(f"tensorflow.python.ipu.{below}.{each}", "the engine has no search for it; let the program give the logits, and take "
                         "tf.nn.ctc_beam_search_decoder of them on the host")
    names.module("tensorflow.nn", ctc_greedy_decoder=ctc_greedy_decoder, ctc_beam_search_decoder=ctc_beam_search_decoder)
    of_1 = {"ctc_greedy_decoder": ctc_greedy_decoder, "ctc_beam_search_decoder": ctc_beam_search_decoder_1,
            "ctc_beam_search_decoder_v2": ctc_beam_search_decoder}
    names.module("tensorflow.compat.v1.nn", of_1)
    names.module("tensorflow.python.ops.ctc_ops", of_1)
