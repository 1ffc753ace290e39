# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.losses of TensorFlow 1."""
import functools
import inspect

import numpy as np

from ..operations import nn as nn_operations, elementary as operations
from ..tensors import graph


class Reduction:
    """tf.losses.Reduction: how the losses of elements become one."""

    NONE, SUM, MEAN = "none", "weighted_sum", "weighted_mean"
    SUM_OVER_BATCH_SIZE, SUM_BY_NONZERO_WEIGHTS = "weighted_sum_over_batch_size", "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        return cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS


def _reduced(losses, weights, collection, reduction):
    """The weighted losses as one; by default the sum over how many weights are not 0."""
    losses, reduction = graph.convert(losses), reduction or Reduction.SUM_BY_NONZERO_WEIGHTS
    if reduction not in Reduction.all():
        raise ValueError(f"Invalid Reduction Key {reduction}.")
    same = isinstance(weights, (int, float))
    if not same:
        weights = operations.cast(weights, losses.dtype)
        shape = list(weights.dims) + [1] * (len(losses.dims) - len(weights.dims))
        weights = operations.broadcast_to(operations.reshape(weights, shape), list(losses.dims))
    loss = losses if same and weights == 1 else operations.multiply(losses, weights)
    if reduction == Reduction.SUM:
        loss = operations.reduce_sum(loss)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE or (same and reduction == Reduction.SUM_BY_NONZERO_WEIGHTS):
        loss = operations.reduce_mean(loss)
    elif reduction == Reduction.MEAN and same:
        loss = operations.reduce_mean(losses if weights else loss)
    elif reduction != Reduction.NONE:
        by = weights if reduction == Reduction.MEAN else operations.cast(operations.not_equal(weights, 0.0), losses.dtype)
        total = operations.reduce_sum(by)
        none = operations.cast(operations.equal(total, 0.0), losses.dtype)  # then the losses sum to 0, too
        loss = operations.divide(operations.reduce_sum(loss), operations.add(total, none))
    if collection:
        graph.current().add_to_collection(collection, loss)
    return loss


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction=None):
    labels, logits = graph.convert(labels), graph.convert(logits)
    if len(logits.dims) == len(labels.dims) + 2 and logits.dims[-1] == 1:  # as TensorFlow takes off what is one too many
        logits = operations.squeeze(logits, [-1])
    elif len(logits.dims) == len(labels.dims) and labels.dims[-1] == 1:
        labels = operations.squeeze(labels, [-1])
    return _reduced(nn_operations.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), weights,
                    loss_collection, reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection="losses", reduction=None):
    if label_smoothing:
        onehot_labels = _smoothed(onehot_labels, label_smoothing, graph.convert(onehot_labels).dims[-1])
    logits = graph.convert(logits)
    return _reduced(nn_operations.softmax_cross_entropy_with_logits_1(operations.cast(onehot_labels, logits.dtype), logits), weights,
                    loss_collection, reduction)


def _smoothed(labels, smoothing, classes):
    return operations.add(operations.multiply(operations.cast(labels, "float32"), 1.0 - smoothing), smoothing / classes)


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection="losses", reduction=None):
    labels, logits = _smoothed(multi_class_labels, label_smoothing, 2) if label_smoothing else multi_class_labels, graph.convert(logits)
    return _reduced(nn_operations.sigmoid_cross_entropy_with_logits(labels=operations.cast(labels, logits.dtype), logits=logits), weights, loss_collection,
                    reduction)


def _floats(*values):
    """What is compared is compared in float32."""
    return [operations.cast(each, "float32") for each in values]


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection="losses", reduction=None):
    """Half of the square up to delta, and as steep as there beyond it."""
    labels, predictions = _floats(labels, predictions)
    apart = operations.abs_(operations.subtract(predictions, labels))
    near = operations.minimum(apart, delta)
    return _reduced(operations.add(operations.multiply(operations.multiply(near, near), 0.5),
                                   operations.multiply(operations.subtract(apart, near), delta)), weights,
                    loss_collection, reduction)


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction=None):
    """max(0, 1 - t x), with t of -1 and 1 from labels of 0 and 1."""
    labels, logits = _floats(labels, logits)
    sides = operations.subtract(operations.multiply(labels, 2.0), 1.0)
    return _reduced(operations.relu(operations.subtract(1.0, operations.multiply(sides, logits))), weights,
                    loss_collection, reduction)


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection="losses", reduction=None):
    labels, predictions = _floats(labels, predictions)
    log = operations.MATH["log"]
    yes = operations.multiply(labels, log(operations.add(predictions, epsilon)))
    no = operations.multiply(operations.subtract(1.0, labels), log(operations.add(operations.subtract(1.0, predictions),
                                                                                 epsilon)))
    return _reduced(operations.negative(operations.add(yes, no)), weights, loss_collection, reduction)


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction=None):
    labels, predictions = _floats(labels, predictions)
    return _reduced(operations.MATH["square"](operations.subtract(predictions, labels)), weights, loss_collection,
                    reduction)


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction=None):
    labels, predictions = _floats(labels, predictions)
    return _reduced(operations.abs_(operations.subtract(predictions, labels)), weights, loss_collection,
                    reduction)


def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection="losses", reduction=None,
                    dim=None):
    """1 - the product of the two, which are of length 1 along the axis."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    product = operations.reduce_sum(operations.multiply(*_floats(labels, predictions)), axis, keepdims=True)
    return _reduced(operations.subtract(1.0, product), weights, loss_collection, reduction)


def _of_both(function):
    """The same function, which says what of labels and outputs is not there, as those of a model function that only predicts."""
    names = list(inspect.signature(function).parameters)[:2]

    @functools.wraps(function)
    def checked(*args, **kwargs):
        for name, value in [*zip(names, args), *((name, kwargs[name]) for name in names if name in kwargs)]:
            if value is None:
                raise ValueError(f"{name} must not be None.")
        return function(*args, **kwargs)
    return checked


LOSSES = {f.__name__: _of_both(f) for f in (cosine_distance, sparse_softmax_cross_entropy, softmax_cross_entropy, sigmoid_cross_entropy, huber_loss,
                                  hinge_loss, log_loss, mean_squared_error, absolute_difference)}
LOSSES["Reduction"] = Reduction
LOSSES["compute_weighted_loss"] = lambda losses, weights=1.0, scope=None, loss_collection="losses", reduction=None: _reduced(
    operations.cast(losses, "float32"), weights, loss_collection, reduction)


def get_regularization_losses(scope=None):
    """What regularisers of variables add to the loss, of those whose names begin with `scope`."""
    return get_losses(scope, "regularization_losses")


def _total(found):
    return operations.add_n(found) if found else operations.constant(np.float32(0))


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    return _total(get_regularization_losses(scope))


def get_losses(scope=None, loss_collection="losses"):
    return graph.current().get_collection(loss_collection, scope)


def add_loss(loss, loss_collection="losses"):
    if loss_collection:
        graph.current().add_to_collection(loss_collection, loss)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    return _total(get_losses(scope) + (get_regularization_losses(scope) if add_regularization_losses else []))


LOSSES.update(get_regularization_losses=get_regularization_losses, get_regularization_loss=get_regularization_loss,
              get_losses=get_losses, add_loss=add_loss, get_total_loss=get_total_loss)
