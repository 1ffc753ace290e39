# SPDX-License-Identifier: GPL-3.0-or-later
"""What metrics of Keras keep, as variables, in checkpoints and by set_weights()."""
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras

labels, predicted, weights = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.7, 0.4, 0.6, 0.9], "f"), np.array([1, 2, 1, 1, 3], "f")


class Flipped(keras.metrics.Metric):
    """One of the script's own."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seen = self.add_weight("seen", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.seen.assign_add(tf.reduce_sum(1 - tf.cast(y_true, tf.float32)))

    def result(self):
        return self.seen


def made():
    of = keras.metrics
    return {"auc": of.AUC(num_thresholds=4), "precision": of.Precision(thresholds=[0.3, 0.65]), "recall": of.Recall(), "tp": of.TruePositives(),
            "fn": of.FalseNegatives(thresholds=[0.5, 0.8]), "rms": of.RootMeanSquaredError(), "iou": of.MeanIoU(2),
            "rate": of.SensitivityAtSpecificity(0.5, num_thresholds=3), "mean": of.Mean(), "sum": of.Sum(), "hits": of.BinaryAccuracy(), "own": Flipped()}


def update(metrics, weighted):
    for name, metric in metrics.items():
        if name in ("mean", "sum"):
            metric.update_state(predicted, sample_weight=weights if weighted else None)
        else:
            metric.update_state(labels, np.round(predicted) if name == "iou" else predicted, sample_weight=weights if weighted else None)


def results(metrics):
    return {name: np.asarray(metric.result()) for name, metric in metrics.items()}


def different(a, b):
    return [name for name in a if not np.array_equal(a[name], b[name])]


first = made()
update(first, True)
print({name: [each.name for each in metric.variables] for name, metric in first.items()})
above = predicted > np.array([[-1e-7], [1 / 3], [2 / 3], [1 + 1e-7]])
by_hand = [(above == hit) @ (weights * (labels == true)) for true, hit in ((1, True), (0, False), (0, True), (1, False))]
print([np.array_equal(kept, hand) for kept, hand in zip(first["auc"].get_weights(), by_hand)], first["iou"].get_weights()[0].tolist())
with tempfile.TemporaryDirectory() as folder:
    path = tf.train.Checkpoint(**first).save(os.path.join(folder, "metrics"))
    print([name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in tf.train.list_variables(path)])
    second = made()
    update(second, False)
    tf.train.Checkpoint(**second).restore(path).assert_consumed()
print(different(results(first), results(second)))
third = made()
for name, metric in third.items():
    metric.set_weights(first[name].get_weights())
print(different(results(first), results(third)))
for each in (first, second, third):
    update(each, False)
print(different(results(first), results(second)), different(results(first), results(third)), len(different(results(first), results(made()))) > 8)
