# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of Keras whose value is made of counts over all batches: how many predictions of each kind of label are above
thresholds. The device counts, batch by batch; what they are made into follows Keras 2.6."""
import numpy as np

from .. import errors, failures
from ..operations import elementary as operations
from ..tensors import graph
from .layers import unique_name
from .parts import Metric, in_one_rank, metric_values, sums_of


_BELOW = -1e10  # all thresholds


def _named(*parts):
    return {each: each for each in parts}


class CountedMetric(Metric):
    """A metric of counts. They are weights of samples (float32, of a batch exact below 2^24), rows: of all predictions, and of
    those above each threshold; columns: of samples whose label is not 0, and of the others."""

    kept = _named("true_positives", "true_negatives", "false_positives", "false_negatives")  # by Keras' names

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._name = self.settings["name"] or unique_name(self.workload_name())
        for name in ("multi_label", "num_labels", "label_weights"):
            if self.settings.get(name) not in (None, False):
                raise failures.refused(f"{type(self).__name__}({name}=…)", "give it one class of predictions and labels")

    name = property(lambda self: self._name)

    def thresholds(self):
        given = self.settings["thresholds"]
        return list(np.ravel(given)) if given is not None else [0.5 if self.settings.get("top_k") is None else _BELOW]

    def counts(self, y_true, y_pred, sample_weight=None):
        """Of one batch, as a tensor [1 + thresholds, 2]."""
        predicted, labels = operations.cast(y_pred, "float32"), graph.convert(y_true)
        if np.prod(predicted.dims) != np.prod(labels.dims):
            raise ValueError(f"Shapes {predicted.shape} and {labels.shape} are incompatible")
        if self.settings.get("from_logits"):
            predicted = operations.sigmoid(predicted)
        if self.settings.get("top_k") is not None:  # of each sample the others are below all thresholds
            kept = operations.one_hot(operations.MATH["top_k"](predicted, self.settings["top_k"])[1], predicted.dims[-1])
            predicted = operations.where(operations.reduce_sum(kept, -2) > 0, predicted, _BELOW * operations.ones_like(predicted))
        if self.settings.get("class_id") is not None:
            predicted, labels = (each[..., self.settings["class_id"]] for each in (predicted, labels))
        true = operations.cast(operations.not_equal(labels, operations.zeros_like(labels)), "float32")
        kinds = operations.stack([operations.reshape(each, [-1]) for each in (true, operations.subtract(1.0, true))], 1)
        if sample_weight is not None:
            weights = operations.cast(sample_weight, "float32")
            weights = operations.reshape(weights, list(weights.dims) + [1] * (len(predicted.dims) - len(weights.dims)))
            weights = operations.broadcast_to(weights, predicted.dims)
            kinds = operations.multiply(kinds, operations.reshape(weights, [-1, 1]))
        limits = operations.constant(np.array([-np.inf, *self.thresholds()], np.float32)[:, None])
        above = operations.cast(operations.greater(operations.reshape(predicted, [1, -1]), limits), "float32")
        return operations.matmul(above, kinds)

    def reset_state(self):
        self.total = 0.0

    reset_states = reset_state

    def update_state(self, y_true, y_pred, sample_weight=None):
        from . import step as keras_step
        found = self.counts(y_true, y_pred, sample_weight)
        return self.add(found.value) if graph.values_at_hand() else keras_step.observe(self, found)

    def add(self, found):
        found = np.asarray(found, np.float64)
        if np.ndim(self.total) and len(self.total) > len(found):  # as keep_value() leaves them
            found = np.concatenate([np.repeat(found[:1], len(found) - 1, 0), found[1:]])
        self.total = self.total + found

    def made(self):
        return self.of_counts(self._all())

    def _all(self):
        return self.total if np.ndim(self.total) else np.zeros((1 + len(self.thresholds()), 2))

    def split(self, counts):
        """Of all predictions how many labels are positive, and negative; and of those above each threshold."""
        count = len(self.thresholds())
        return *counts[:-count].T, *counts[-count:].T

    def kept_names(self):
        return tuple(self.kept)

    def kept_value(self, name):
        return self._parts()[self.kept[name]]

    def _parts(self):
        positives, negatives, true, false = self.split(self._all())
        return {"true_positives": true, "false_positives": false, "false_negatives": positives - true, "true_negatives": negatives - false}

    def keep_value(self, name, value):
        """Sets counts of one kind; the others stay, so that each threshold may have predictions of its own."""
        parts = {**self._parts(), self.kept[name]: value}
        true, false = parts["true_positives"], parts["false_positives"]
        of_all = np.stack([true + parts["false_negatives"], false + parts["true_negatives"]], 1)
        self.total = np.concatenate([of_all, np.stack([true, false], 1)]).astype(np.float64)

    def of_counts(self, counts):
        """The value, of counts added up: a number, or one for each threshold."""
        positives, negatives, true, false = self.split(counts)
        made = self._of(true, false, positives - true, negatives - false)
        return float(made[0]) if len(made) == 1 else made


class WeightedMetric:
    """A metric of compile(weighted_metrics=…) where samples have weights: the sum of its weighted values over that of the
    weights, over all batches; one that is made of counts counts weights."""

    def __init__(self, given):
        self.given = given

    def counts(self, y_true, y_pred, sample_weight):
        if isinstance(self.given, CountedMetric):
            return self.given.counts(y_true, y_pred, sample_weight)
        return sums_of(metric_values(self.given, y_true, y_pred), sample_weight)

    def of_counts(self, counts):
        return self.given.of_counts(counts) if isinstance(self.given, CountedMetric) else float(_share(*counts))


def _share(part, of):
    return np.divide(part, of, out=np.zeros(np.broadcast(part, of).shape), where=np.asarray(of) != 0)


def _counted(name, parameters, kept, of, doc):
    return type(name, (CountedMetric,), {"parameters": parameters + "name=None, dtype=None", "kept": kept, "_of": staticmethod(of),
                                         "__doc__": f"keras.metrics.{name}: {doc}"})


class _AtRate(CountedMetric):
    """The greatest of one rate over the thresholds, where another one is at least so much; 0 where it never is."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if not 0 <= self.settings[self.rate] <= 1:
            raise ValueError(f"`{self.rate}` must be in the range [0, 1].")
        if self.settings["num_thresholds"] <= 0:
            raise ValueError("`num_thresholds` must be > 0.")

    def thresholds(self):
        count = self.settings["num_thresholds"]
        return [0.5] if count == 1 else [0.0, *((i + 1) / (count - 1) for i in range(count - 2)), 1.0]

    def of_counts(self, counts):
        positives, negatives, true, false = self.split(counts)
        rates = {"recall": _share(true, positives), "precision": _share(true, true + false), "specificity": _share(negatives - false, negatives)}
        held = rates[_OF_RATES.get(self.rate, self.rate)] >= self.settings[self.rate]
        return float(rates[_OF_RATES.get(self.wanted, self.wanted)][held].max(initial=0.0))


_OF_RATES = {"sensitivity": "recall"}
AT_RATES = {f"{wanted.capitalize()}At{rate.capitalize()}": type(f"{wanted.capitalize()}At{rate.capitalize()}", (_AtRate,), {
    "parameters": f"{rate}, num_thresholds=200, class_id=None, name=None, dtype=None", "rate": rate, "wanted": wanted,
    "__doc__": f"keras.metrics': the greatest {wanted} with that {rate}"}) for wanted, rate in (
        ("sensitivity", "specificity"), ("specificity", "sensitivity"), ("precision", "recall"), ("recall", "precision"))}


_SELECTED = "thresholds=None, top_k=None, class_id=None, "
_OF_THRESHOLDS = "thresholds=None, "


class AUC(CountedMetric):
    """keras.metrics.AUC: the area under the curve of two rates over the thresholds, between which it is interpolated."""

    parameters = ("num_thresholds=200, curve='ROC', summation_method='interpolation', name=None, dtype=None, thresholds=None, "
                  "multi_label=False, num_labels=None, label_weights=None, from_logits=False")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name, known in (("curve", ("ROC", "PR")), ("summation_method", ("interpolation", "minoring", "majoring"))):
            if self.settings[name] not in known:
                raise ValueError(f'Invalid AUC {name} value "{self.settings[name]}".')
        if self.settings["thresholds"] is None and self.settings["num_thresholds"] <= 1:
            raise ValueError("`num_thresholds` must be > 1.")

    def thresholds(self):
        given, count = self.settings["thresholds"], self.settings["num_thresholds"]
        inner = [(i + 1) / (count - 1) for i in range(count - 2)] if given is None else sorted(given)
        return [-1e-7, *inner, 1 + 1e-7]

    def of_counts(self, counts):
        positives, negatives, true, false = self.split(counts)
        if self.settings["curve"] == "PR" and self.settings["summation_method"] == "interpolation":
            return self._interpolated(true, true + false, positives[0])
        recall = _share(true, positives)
        x, y = (_share(false, negatives), recall) if self.settings["curve"] == "ROC" else (recall, _share(true, true + false))
        between = {"interpolation": lambda a, b: (a + b) / 2, "minoring": np.minimum, "majoring": np.maximum}
        return float(((x[:-1] - x[1:]) * between[self.settings["summation_method"]](y[:-1], y[1:])).sum())

    @staticmethod
    def _interpolated(true, above, positives):
        """Under precision over recall: between two thresholds true positives grow in proportion to all that are above
        (Davis and Goadrich, The relationship between precision-recall and ROC curves, 2006)."""
        more = true[:-1] - true[1:]
        slope = _share(more, above[:-1] - above[1:])
        intercept = true[1:] - slope * above[1:]
        both = (above[:-1] > 0) & (above[1:] > 0)
        ratio = np.where(both, _share(above[:-1], above[1:]), 1.0)
        return float(_share(slope * (more + intercept * np.log(ratio)), np.full(len(more), positives)).sum())


class RootMeanSquaredError(CountedMetric):
    """keras.metrics.RootMeanSquaredError: the root of the mean of all squares."""

    parameters = "name='root_mean_squared_error', dtype=None"

    def counts(self, y_true, y_pred, sample_weight=None):
        labels, predicted = (operations.cast(each, "float32") for each in in_one_rank(y_true, y_pred))
        return sums_of(operations.MATH["squared_difference"](predicted, labels), sample_weight)

    def _all(self):
        return self.total if np.ndim(self.total) else np.zeros(2)

    kept = {"total": 0, "count": 1}

    def kept_value(self, name):
        return self._all()[self.kept[name]]

    def keep_value(self, name, value):
        self.total = np.array([value if each == name else self.kept_value(each) for each in self.kept], np.float64)

    def of_counts(self, counts):
        return float(np.sqrt(_share(*counts)))


class MeanIoU(CountedMetric):
    """keras.metrics.MeanIoU: of each class how much of what is it, or is taken for it, is both; the mean over the classes. The
    counts have a last row and column for what is none of the classes."""

    parameters = "num_classes, name=None, dtype=None"

    def counts(self, y_true, y_pred, sample_weight=None):
        true, predicted = (self._classes(each) for each in (y_true, y_pred))
        if sample_weight is not None:
            true = operations.multiply(true, operations.reshape(operations.cast(sample_weight, "float32"), [-1, 1]))
        return operations.matmul(true, predicted, transpose_a=True)

    def _classes(self, given):
        """One-hot; the last number of each is of what is no class."""
        found = operations.one_hot(operations.reshape(operations.cast(given, "int32"), [-1]), self.settings["num_classes"])
        return operations.concat([found, operations.subtract(1.0, operations.reduce_sum(found, 1, keepdims=True))], 1)

    def add(self, found):
        self._check(np.asarray(found))
        super().add(found)

    def _check(self, counts):
        for name, outside in (("labels", counts[-1]), ("predictions", counts[:, -1])):
            if outside.any():
                raise errors.InvalidArgumentError(message=f"`{name}` out of bound: {self.name} of {self.settings['num_classes']} classes "
                                                  f"takes 0 to {self.settings['num_classes'] - 1}.")

    def _all(self):
        return self.total if np.ndim(self.total) else np.zeros([self.settings["num_classes"] + 1] * 2)

    kept = {"total_confusion_matrix": "all"}

    def kept_value(self, name):
        return self._all()[:-1, :-1]

    def keep_value(self, name, value):
        self.total = np.pad(np.asarray(value, np.float64), ((0, 1), (0, 1)))

    def of_counts(self, counts):
        self._check(counts)
        both = np.diag(counts)
        either = counts.sum(0) + counts.sum(1) - both
        return float(_share(both, either).sum() / max((either != 0).sum(), 1))


COUNTED = {**AT_RATES, "AUC": AUC, "RootMeanSquaredError": RootMeanSquaredError, "MeanIoU": MeanIoU, **{name: _counted(name, *rest) for name, *rest in (
    ("Precision", _SELECTED, _named("true_positives", "false_positives"), lambda tp, fp, fn, tn: _share(tp, tp + fp),
     "the true ones of those above the threshold"),
    ("Recall", _SELECTED, _named("true_positives", "false_negatives"), lambda tp, fp, fn, tn: _share(tp, tp + fn),
     "those above the threshold of the true ones"),
    ("TruePositives", _OF_THRESHOLDS, {"accumulator": "true_positives"}, lambda tp, fp, fn, tn: tp, "how many true ones are above the threshold"),
    ("FalsePositives", _OF_THRESHOLDS, {"accumulator": "false_positives"}, lambda tp, fp, fn, tn: fp, "how many others are above the threshold"),
    ("FalseNegatives", _OF_THRESHOLDS, {"accumulator": "false_negatives"}, lambda tp, fp, fn, tn: fn,
     "how many true ones are not above the threshold"),
    ("TrueNegatives", _OF_THRESHOLDS, {"accumulator": "true_negatives"}, lambda tp, fp, fn, tn: tn, "how many others are not above the threshold"))}}
