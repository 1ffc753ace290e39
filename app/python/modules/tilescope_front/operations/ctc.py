# SPDX-License-Identifier: GPL-3.0-or-later
"""Connectionist temporal classification: the loss of sequences whose steps are not aligned with their labels."""
import numpy as np

from . import sparse, elementary as operations
from .. import failures, host
from ..tensors import graph
from .elementary import cast, lifted


def _built(build, numbers, of_logarithms, blank):
    shares, labels, label_lengths, steps = numbers
    return build.ctc_loss(shares, of_logarithms, labels, label_lengths, steps, blank)


def lower(lowering, op):
    """The number of the losses in the program that is made."""
    lowering.build.place("", "", op.shard)
    return [_built(lowering.build, [lowering.id_of(each) for each in op.inputs], **op.attributes)]


def _check_labels(labels, lengths, classes):
    """Those that count, where they are at hand: in a program a label that is no class has an infinite loss."""
    most = labels.shape[-1]
    if np.any(lengths > most):
        raise ValueError(f"a sample of a CTC loss has {lengths.max()} labels by label_length, and {most} are given")
    wrong = labels[(np.arange(most) < lengths[:, None]) & ((labels < 0) | (labels >= classes))]
    if wrong.size:
        raise ValueError(f"the label {wrong[0]} of a CTC loss is none of the {classes} classes; give classes from 0 on")


def losses(shares, labels, label_lengths, steps, blank, of_logarithms=False, name=None):
    """[batch] of shares [steps, batch, classes] and labels [batch, most]."""
    tensors = [graph.convert(shares), *(cast(each, "int32") for each in (labels, label_lengths, steps))]
    for each in tensors:
        if each.dims is None or None in each.dims:
            raise ValueError(f"the CTC loss of {each.name}, whose shape is open: shapes are static on the IPU; give the placeholder a shape")
    if blank < 0:
        blank += tensors[0].dims[-1]
    settings = {"of_logarithms": of_logarithms, "blank": int(blank)}
    symbolic = any(graph.is_symbolic(each) for each in tensors) or not graph.executing_eagerly()
    build = host.run().graph("ctc")
    if not symbolic:
        _check_labels(*(np.asarray(each.value) for each in tensors[1:3]), tensors[0].dims[-1])
        numbers = [build.constant("x", graph.for_engine(each.value)) for each in tensors]
        return graph.EagerTensor(build.compute([_built(build, numbers, **settings)])[0])
    tensors = [graph.symbolic(each) for each in tensors]
    kind = build.type(_built(build, [build.feed("x", each.dtype.in_engine, list(each.dims)) for each in tensors], **settings))
    host.tell_once("tilescope: note: the CTC loss is a loop of elementwise operations, whose cycles it has; popnn has vertices of its own for it")
    return graph.current().add("ctc_loss", tensors, settings, [kind], name or "ctc_loss").outputs[0]


def ctc_loss_of_ipu(labels, logits, label_length, logit_length, blank_index, out_dtype=None, name=None):
    """ipu.nn_ops.ctc_loss_v2."""
    return _of_type(logits, out_dtype, losses(logits, labels, label_length, logit_length, blank_index, name=name))


def ctc_loss_with_log_probs(labels, data, label_length, data_length, blank_index, out_dtype=None, name=None):
    """The same of logarithms of shares."""
    return _of_type(data, out_dtype, losses(data, labels, label_length, data_length, blank_index, True, name))


def _of_type(given, wanted, losses):
    given = graph.convert(given).dtype
    wanted = given if wanted is None else graph.as_dtype(wanted)
    if given.name == "float32" and wanted.name == "float16":
        raise ValueError("out_dtype cannot be float16 when dtype of logits is float32.")
    return cast(losses, wanted)


def _dense(labels):
    """(labels, how many each sample has) of a tf.SparseTensor at hand."""
    counts = np.bincount(np.asarray(labels.indices).reshape(-1, 2)[:, 0], minlength=int(np.asarray(labels.dense_shape)[0]))
    dense = sparse.to_dense(labels)
    return (dense if dense.dims[1] else operations.zeros([dense.dims[0], 1], "int32")), counts.astype(np.int32)


def ctc_loss(labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None):
    """tf.nn.ctc_loss of TensorFlow 2."""
    if isinstance(labels, sparse.SparseTensor):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
        labels, label_length = _dense(labels)
    if label_length is None:
        raise ValueError("Argument `label_length` must be provided when labels are dense.")
    logits = graph.convert(logits)
    logits = logits if logits_time_major else operations.transpose(logits, [1, 0, 2])
    if logit_length is None:
        raise ValueError("Argument `logit_length` must be provided: how many steps of `logits` each sample has.")
    return cast(losses(logits, labels, label_length, logit_length, blank_index or 0, name=name), logits.dtype)


def ctc_loss_1(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
               ignore_longer_outputs_than_inputs=False, time_major=True, logits=None):
    """tf.nn.ctc_loss of TensorFlow 1: labels are sparse, and the last class is the blank."""
    if preprocess_collapse_repeated or not ctc_merge_repeated or ignore_longer_outputs_than_inputs:
        raise failures.refused("tf.nn.ctc_loss(preprocess_collapse_repeated=…, ctc_merge_repeated=…, ignore_longer_outputs_than_inputs=…)",
                               "leave them as they are by default")
    if not isinstance(labels, sparse.SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    return ctc_loss(labels, logits if inputs is None else inputs, None, sequence_length, time_major, blank_index=-1)


def add_names():
    from .. import names
    of_ipu = {"ctc_loss_v2": lifted(ctc_loss_of_ipu), "ctc_loss_with_log_probs": lifted(ctc_loss_with_log_probs)}
    for below in ("nn_ops", "ops.nn_ops"):
        names.module(f"tensorflow.python.ipu.{below}", of_ipu)
    names.module("tensorflow.nn", ctc_loss=lifted(ctc_loss))
    for module in ("tensorflow.compat.v1.nn", "tensorflow.python.ops.ctc_ops"):
        names.module(module, ctc_loss=ctc_loss_1, ctc_loss_v2=lifted(ctc_loss))
