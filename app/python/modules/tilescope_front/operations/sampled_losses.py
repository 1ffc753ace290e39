# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses over some of the classes: candidates that are drawn, how often each class is expected among them, and tf.nn.sampled_softmax_loss
and nce_loss."""
import numpy as np

from . import array as array_operations, control_flow, elementary as operations, nn as nn_operations
from .random import categorical, share_of_one, uniform
from .. import failures
from ..tensors import graph

MATH = operations.MATH


def _inside(values):
    """Between 0 and 1, and neither."""
    return operations.clip_by_value(values, float(np.finfo(np.float32).tiny), float(np.nextafter(np.float32(1), np.float32(0))))


def _share(shape):
    return _inside(uniform(shape) if graph.executing_eagerly() else share_of_one(shape))


def _one_less_exp(x):
    """1 - exp(-x), also of what is near 0."""
    return operations.multiply(operations.tanh(operations.multiply(x, 0.5)), operations.add(MATH["exp"](operations.negative(x)), 1.0))


def _drawn(likely, true_classes, num_sampled, unique):
    """(the candidates, how often the true classes are expected among them, how often those are), where class k is as likely as likely[k].

    Candidates that all differ are the first that come, of classes drawn one after another: those of the largest log(likely) - log(-log(u)),
    in that order. How many were drawn until then, with those that came again, is a sum of geometric numbers, one for each candidate: each
    time what came before has the share of those before it."""
    count, likely = operations.whole(num_sampled), np.asarray(likely, np.float64) / np.sum(likely)
    if unique and count > len(likely):
        raise ValueError(f"num_sampled {count} is more than the {len(likely)} classes, of which all candidates differ")
    classes = operations.constant(likely.astype(np.float32))
    if not unique:
        candidates = operations.reshape(categorical(np.log(likely).astype(np.float32)[None], count), [count])
        expected = lambda ids: operations.multiply(operations.gather(classes, ids), float(count))
    else:
        scores = operations.subtract(np.log(likely).astype(np.float32), MATH["log"](operations.negative(MATH["log"](_share([len(likely)])))))
        candidates = nn_operations.top_k(scores, count)[1]
        before = array_operations.cumsum(operations.gather(classes, candidates), exclusive=True)
        again = MATH["floor"](operations.divide(MATH["log"](_share([count])), MATH["log"](_inside(before))))
        tries = operations.add(operations.reduce_sum(again), float(count))
        missed = operations.constant(-np.log1p(-np.minimum(likely, 1 - 1e-7)).astype(np.float32))
        expected = lambda ids: _one_less_exp(operations.multiply(operations.gather(missed, ids), tries))
    return [operations.cast(candidates, "int64"), expected(operations.cast(true_classes, "int32")), expected(candidates)]


def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """tf.random.log_uniform_candidate_sampler: class k as likely as log(k + 2) - log(k + 1)."""
    return _drawn(np.diff(np.log(np.arange(1, operations.whole(range_max) + 2))), true_classes, num_sampled, unique)


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    return _drawn(np.ones(operations.whole(range_max)), true_classes, num_sampled, unique)


def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file="", distortion=1.0, num_reserved_ids=0,
                                    num_shards=1, shard=0, unigrams=(), seed=None, name=None):
    """tf.random.fixed_unigram_candidate_sampler: class k as likely as unigrams[k] ** distortion."""
    if vocab_file or num_shards != 1 or num_reserved_ids:
        raise failures.refused("fixed_unigram_candidate_sampler(vocab_file=…, num_reserved_ids=…, num_shards=…)", "give it unigrams, one for each class")
    if len(unigrams) != operations.whole(range_max):
        raise ValueError(f"{len(unigrams)} unigrams were given for {range_max} classes")
    return _drawn(np.asarray(unigrams, np.float64) ** distortion, true_classes, num_sampled, unique)


def _logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, seed, partition_strategy):
    """(the logits of the true classes and of the candidates of each sample, what their labels are), less the logarithms of how often
    they are expected among the candidates."""
    weights, biases = (_whole(each, partition_strategy) for each in (weights, biases))
    labels, inputs = operations.cast(labels, "int32"), graph.convert(inputs)
    if len(labels.dims) == 1:
        labels = operations.expand_dims(labels, 1)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    candidates, true_count, count = (control_flow.stop_gradient(each) for each in sampled_values)
    candidates = operations.cast(candidates, "int32")
    of_true = operations.reshape(operations.gather(weights, operations.reshape(labels, [-1])), [-1, num_true, inputs.dims[-1]])
    true = operations.reduce_sum(operations.multiply(operations.expand_dims(inputs, 1), of_true), -1)
    true = operations.add(true, operations.reshape(operations.gather(biases, operations.reshape(labels, [-1])), [-1, num_true]))
    sampled = operations.matmul(inputs, operations.gather(weights, candidates), transpose_b=True)
    sampled = operations.add(sampled, operations.gather(biases, candidates))
    if remove_accidental_hits:
        same = operations.equal(operations.expand_dims(labels, 2), operations.reshape(candidates, [1, 1, -1]))
        hits = operations.reduce_max(operations.cast(same, sampled.dtype), 1)
        sampled = operations.subtract(sampled, operations.multiply(hits, float(np.finfo(sampled.dtype.as_numpy_dtype).max)))
    true = operations.subtract(true, operations.cast(MATH["log"](true_count), true.dtype))
    sampled = operations.subtract(sampled, operations.cast(MATH["log"](count), sampled.dtype))
    shares = operations.multiply(operations.ones_like(true), 1.0 / num_true)
    return operations.concat([true, sampled], 1), operations.concat([shares, operations.zeros_like(sampled)], 1)


def _whole(given, partition_strategy):
    """Weights as one tensor, of a list of one."""
    parts = list(given) if isinstance(given, (list, tuple)) else [given]
    if len(parts) == 1:
        return graph.convert(parts[0])
    if partition_strategy == "mod":  # row i is in part i % parts
        raise failures.refused('tf.nn.nce_loss and sampled_softmax_loss(partition_strategy="mod") of weights in several parts', "give one tensor, or "
                               'partition_strategy="div"')
    return operations.concat(parts, 0)


def _loss(name, hits, of_logits):
    def version_2(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=hits, seed=None,
                  name=name):
        return version_1(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, "div", name, seed)

    def version_1(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=hits,
                  partition_strategy="mod", name=name, seed=None):
        return of_logits(*_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, seed,
                                  partition_strategy))
    version_1.__name__ = version_2.__name__ = name
    return version_1, version_2


LOSSES = {
    "nce_loss": _loss("nce_loss", False, lambda logits, labels: operations.reduce_sum(
        nn_operations.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), 1)),
    "sampled_softmax_loss": _loss("sampled_softmax_loss", True, lambda logits, labels: nn_operations.softmax_cross_entropy_with_logits(
        labels=control_flow.stop_gradient(labels), logits=logits))}
SAMPLERS = {each.__name__: each for each in (log_uniform_candidate_sampler, uniform_candidate_sampler, fixed_unigram_candidate_sampler)}


def add_names():
    from .. import names
    for module, version in (("tensorflow", 1), ("tensorflow.compat.v1", 0)):
        names.module(module + ".nn", SAMPLERS, {name: each[version] for name, each in LOSSES.items()})
        names.module(module + ".random", SAMPLERS)
    for module in ("nn_ops", "ops.nn_ops"):
        names.module(f"tensorflow.python.ipu.{module}", {name: version_2 for name, (_, version_2) in LOSSES.items()})
