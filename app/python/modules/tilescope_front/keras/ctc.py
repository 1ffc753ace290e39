# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.backend's functions of connectionist temporal classification: of shares of classes, the last of which is the blank."""
import numpy as np

from .backend import EPSILON
from ..operations import ctc, ctc_decoders, elementary as operations
from ..tensors import graph


def ctc_batch_cost(y_true, y_pred, input_length, label_length):
    """keras.backend's: of shares [batch, steps, classes], the last of which is the blank; [batch, 1]."""
    logarithms = operations.MATH["log"](operations.add(operations.transpose(y_pred, [1, 0, 2]), EPSILON))
    lengths = [operations.reshape(each, [-1]) for each in (label_length, input_length)]
    return operations.expand_dims(ctc.losses(logarithms, y_true, *lengths, -1), 1)


def ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1):
    """keras.backend's: ([labels [batch, steps], -1 after them], [batch, paths]); of the best classes the negative sums of the
    logarithms of their shares, of a search the logarithms of probabilities."""
    logarithms = operations.MATH["log"](operations.add(operations.transpose(y_pred, [1, 0, 2]), EPSILON))
    if greedy:
        labels, sums = ctc_decoders.best(logarithms, graph.convert(input_length), None, True)
        labels, sums = [labels], -sums
    else:
        labels, sums = ctc_decoders.beams(logarithms, graph.convert(input_length), beam_width, top_paths, True)
    made = np.full((len(labels), len(sums), logarithms.dims[0]), -1, np.int64)
    for path, of_path in enumerate(labels):
        for row, each in enumerate(of_path):
            made[path, row, :len(each)] = each
    return [graph.EagerTensor(each) for each in made], graph.EagerTensor(sums)


def add_names():
    from .. import names
    names.module("tensorflow.keras.backend", ctc_batch_cost=operations.lifted(ctc_batch_cost), ctc_decode=ctc_decode)
