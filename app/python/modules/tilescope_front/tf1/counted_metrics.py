# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.metrics of TensorFlow 1 that count over all steps: (the value so far, what adds this step and gives the new value)."""
import numpy as np

from . import saving as saving_1
from .. import names
from ..operations import array as array_operations, elementary as operations
from ..tensors import graph
from ..operations.elementary import add, cast, constant, divide, expand_dims, multiply, reduce_mean, reduce_sum, subtract

MATH = operations.MATH


def _kept(name, shape=()):
    return saving_1.local(name, shape)


def _share(part, whole):
    """part / whole, and 0 where that is 0."""
    return operations.divide_no_nan(part, whole)


def _weighed(holds, weights):
    holds = cast(holds, "float32")
    return holds if weights is None else multiply(holds, operations.broadcast_together(cast(weights, "float32"), holds)[0])


_OF = {"true_positives": (True, True), "false_positives": (False, True), "false_negatives": (True, False), "true_negatives": (False, False)}


def _both(labels, predictions, kind):
    yes = [MATH["not_equal"](cast(each, "float32"), 0.0) for each in (labels, predictions)]
    held = [each if wanted else MATH["logical_not"](each) for each, wanted in zip(yes, _OF[kind])]
    return operations.logical_and(*held)


def _counting(kind):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        count = _kept(f"{name or kind}/count")
        return operations.identity(count), count.assign_add(reduce_sum(_weighed(_both(labels, predictions, kind), weights)))
    metric.__name__ = kind
    return metric


def _ratio(kind, other):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        found = [_counting(each)(labels, predictions, weights, name=f"{name or kind}/{each}") for each in ("true_positives", other)]
        (good, more_good), (bad, more_bad) = found
        return _share(good, add(good, bad)), _share(more_good, add(more_good, more_bad))
    metric.__name__ = kind
    return metric


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None, curve="ROC", name=None,
        summation_method="trapezoidal", thresholds=None):
    """The area under the curve through points at thresholds between 0 and 1, by trapezoids."""
    if summation_method != "trapezoidal" or curve not in ("ROC", "PR"):
        from .. import failures
        raise failures.refused(f"tf.metrics.auc(curve={curve!r}, summation_method={summation_method!r})", "take the curve 'ROC' or 'PR' by trapezoids")
    between = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)] if thresholds is None else sorted(thresholds)
    limits = constant(np.float32([-1e-7, *between, 1 + 1e-7])[:, None])
    above = MATH["greater"](expand_dims(operations.reshape(cast(predictions, "float32"), [-1]), 0), limits)
    yes = expand_dims(MATH["not_equal"](cast(operations.reshape(labels, [-1]), "float32"), 0.0), 0)
    of_samples = None if weights is None else expand_dims(operations.reshape(operations.broadcast_together(
        cast(weights, "float32"), cast(labels, "float32"))[0], [-1]), 0)

    def area(tp, fp, fn, tn):
        if curve == "ROC":
            x, y = divide(fp, add(add(fp, tn), 1e-6)), divide(add(tp, 1e-6), add(add(tp, fn), 1e-6))
        else:
            x, y = divide(add(tp, 1e-6), add(add(tp, fn), 1e-6)), divide(add(tp, 1e-6), add(add(tp, fp), 1e-6))
        return reduce_sum(multiply(subtract(x[:-1], x[1:]), multiply(add(y[:-1], y[1:]), 0.5)))
    before, after = [], []
    for kind in ("true_positives", "false_positives", "false_negatives", "true_negatives"):
        label, prediction = _OF[kind]
        holds = operations.logical_and(*operations.broadcast_together(yes if label else MATH["logical_not"](yes),
                                                                      above if prediction else MATH["logical_not"](above)))
        kept = _kept(f"{name or 'auc'}/{kind}", (len(between) + 2,))
        before.append(operations.identity(kept))
        after.append(kept.assign_add(reduce_sum(_weighed(holds, of_samples), -1)))
    return area(*before), area(*after)


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    found = saving_1.mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    return tuple(MATH["sqrt"](each) for each in found)


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of how far predictions are off, over a normalizer; 0 where that is 0."""
    return saving_1.mean(_share(MATH["abs"](subtract(cast(labels, "float32"), predictions)), operations.broadcast_to(
        cast(normalizer, "float32"), list(graph.convert(predictions).dims))), weights, name=name or "mean_relative_error")


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return saving_1.mean(cast(MATH["less"](values, float(threshold)), "float32"), weights, name=name or "percentage_below_threshold")


def _classes(labels, num_classes):
    """[classes, samples]: whether each sample is of each class."""
    return MATH["equal"](expand_dims(operations.reshape(cast(labels, "int32"), [-1]), 0), constant(np.arange(num_classes, dtype=np.int32)[:, None]))


def mean_per_class_accuracy(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """(the mean of the shares of each class that are right, the shares with this step)."""
    prefix = name or "mean_accuracy"
    total, right = _kept(f"{prefix}/total", (num_classes,)), _kept(f"{prefix}/count", (num_classes,))
    of_class = _classes(labels, num_classes)
    hits = MATH["equal"](operations.reshape(cast(labels, "int32"), [-1]), operations.reshape(cast(predictions, "int32"), [-1]))
    weights = None if weights is None else operations.reshape(weights, [-1])
    all_of = total.assign_add(reduce_sum(_weighed(of_class, weights), 1))
    good = right.assign_add(reduce_sum(multiply(_weighed(of_class, weights), cast(hits, "float32")), 1))
    return reduce_mean(_share(operations.identity(right), operations.identity(total))), _share(good, all_of)


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """(the mean over classes that are there of both over either, the matrix of labels by predictions with this step)."""
    matrix = _kept(f"{name or 'mean_iou'}/total_confusion_matrix", (num_classes, num_classes))
    of_label = _weighed(_classes(labels, num_classes), None if weights is None else operations.reshape(weights, [-1]))
    of_prediction = cast(_classes(predictions, num_classes), "float32")
    update = matrix.assign_add(operations.matmul(of_label, operations.transpose(of_prediction, [1, 0])))
    now = operations.identity(matrix)
    both = array_operations.diag_part(now)
    either = subtract(add(reduce_sum(now, 0), reduce_sum(now, 1)), both)
    there = reduce_sum(cast(MATH["not_equal"](either, 0.0), "float32"))
    return _share(reduce_sum(_share(both, either)), there), update


METRICS = {each.__name__: each for each in (
    *map(_counting, _OF), _ratio("precision", "false_positives"), _ratio("recall", "false_negatives"), auc, root_mean_squared_error,
    mean_relative_error, percentage_below, mean_per_class_accuracy, mean_iou)}


def add_names():
    names.module("tensorflow.compat.v1.metrics", METRICS)
