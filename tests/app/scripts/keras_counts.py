# SPDX-License-Identifier: GPL-3.0-or-later
"""Areas under curves, precision and recall: by hand, and of all batches of an epoch beside Keras' rule in NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

metrics = keras.metrics
LABELS, GIVEN = [0, 0, 1, 1], [0, 0.5, 0.3, 0.9]
# Three thresholds, -e, 0.5 and 1 + e: true positives 2, 1, 0 of 2, false ones 2, 0, 0 of 2: (1 - 0) (1 + 0.5) / 2 = 0.75.
area = metrics.AUC(num_thresholds=3)
area.update_state(LABELS, GIVEN)
print(area.result().numpy(), area.name, metrics.AUC().name)
area.reset_state()
area.update_state(LABELS, GIVEN, sample_weight=[1, 0, 0, 1])  # false positives 1, 0, 0 of 1, true ones 1, 1, 0 of 1
print(area.result().numpy())
area.reset_state()
area.update_state(LABELS[:2], GIVEN[:2])
area.update_state(LABELS[2:], GIVEN[2:])
print(area.result().numpy())
# Above 0.4 are 0.5, which is false, and 0.9, which is true.
print(*[made(thresholds=0.4)(LABELS, GIVEN).numpy() for made in (
    metrics.Precision, metrics.Recall, metrics.TruePositives, metrics.FalsePositives, metrics.FalseNegatives, metrics.TrueNegatives)])
print(metrics.Precision(thresholds=[0.2, 0.95])(LABELS, GIVEN).numpy().tolist())  # 2 of 3; none is above


def area_of(labels, given, curve="ROC", method="interpolation", weights=1.0, count=200):
    """By Keras' rule, threshold by threshold and interval by interval."""
    labels, given = np.ravel(labels) > 0, np.ravel(given).astype(np.float32)
    weights, total = np.broadcast_to(weights, labels.shape), 0.0
    limits = [-1e-7] + [(i + 1) / (count - 1) for i in range(count - 2)] + [1 + 1e-7]
    rows = []
    for limit in limits:
        above = given > np.float32(limit)
        rows.append([weights[above & labels].sum(), weights[above & ~labels].sum(), weights[labels].sum(), weights[~labels].sum()])
    for (tp, fp, p, n), (tp_next, fp_next, _, _) in zip(rows, rows[1:]):
        if curve == "ROC":
            a, b, width = tp / p, tp_next / p, (fp - fp_next) / n
        elif method != "interpolation":
            a, b = (t / (t + f) if t + f else 0 for t, f in ((tp, fp), (tp_next, fp_next)))
            width = (tp - tp_next) / p
        else:
            more, step = tp - tp_next, tp + fp - tp_next - fp_next
            slope = more / step if step else 0
            rest = tp_next - slope * (tp_next + fp_next)
            ratio = (tp + fp) / (tp_next + fp_next) if tp_next + fp_next else 1
            total += slope * (more + rest * np.log(ratio)) / p
            continue
        total += width * {"interpolation": (a + b) / 2, "minoring": min(a, b), "majoring": max(a, b)}[method]
    return total


random = np.random.default_rng(3)
X = random.normal(size=(48, 4)).astype(np.float32)
W = random.normal(size=(4, 1)).astype(np.float32)
scores = X @ W
T = (scores + random.normal(size=scores.shape) > 0).astype(np.float32)
P = 1 / (1 + np.exp(-scores))
S = random.uniform(0.5, 2, size=48).astype(np.float32)
for curve in ("ROC", "PR"):
    for method in ("interpolation", "minoring", "majoring"):
        found = metrics.AUC(curve=curve, summation_method=method)(T, P, S).numpy()
        np.testing.assert_allclose(found, area_of(T, P, curve, method, S), rtol=1e-5, err_msg=f"{curve} {method}")
np.testing.assert_allclose(metrics.AUC(from_logits=True)(T, scores).numpy(), area_of(T, P), rtol=1e-5)

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.layers.Dense(1, "sigmoid", use_bias=False, input_shape=(4,))])
    model.compile("sgd", "binary_crossentropy", metrics=["accuracy", keras.metrics.AUC(name="area"), keras.metrics.Recall()])
    model.optimizer.learning_rate = 0.0  # so that all batches have the same weights
    model.set_weights([W])
    history = model.fit(X, T, batch_size=8, epochs=2, shuffle=False, verbose=0,
                        validation_data=(X[:32], T[:32])).history
# Two replicas take the batches in turn; what is shown is of the second.
second = np.concatenate([np.arange(first, first + 8) for first in (8, 24, 40)])
of_validation = np.concatenate([np.arange(first, first + 8) for first in (8, 24)])
print(list(history))
for found in history["area"]:
    np.testing.assert_allclose(found, area_of(T[second], P[second]), rtol=1e-5)
np.testing.assert_allclose(history["val_area"][1], area_of(T[of_validation], P[of_validation]), rtol=1e-5)
recalled = (P[second] > 0.5)[T[second] > 0].mean()
np.testing.assert_allclose(history[list(history)[3]], [recalled] * 2, rtol=1e-5)
plain = keras.Sequential([keras.layers.Dense(1, "sigmoid", use_bias=False, input_shape=(4,))])
plain.compile("sgd", "binary_crossentropy", metrics=["AUC"])
plain.set_weights([W])
np.testing.assert_allclose(plain.evaluate(X, T, batch_size=20, verbose=0)[1], area_of(T, P), rtol=1e-5)  # 20, 20 and 8
print("areas")

def plain(kind):
    """The function of a metric."""
    return {"TopKCategoricalAccuracy": metrics.top_k_categorical_accuracy, "SparseTopKCategoricalAccuracy": metrics.sparse_top_k_categorical_accuracy}[kind]


# Hits among the first k: fewer than k scores are above that of the true class.
classes, kernel = random.integers(0, 6, size=48), random.normal(size=(4, 6)).astype(np.float32)
above = ((X @ kernel) > (X @ kernel)[np.arange(48), classes][:, None]).sum(1)
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    for labels, loss, made in ((np.eye(6, dtype=np.float32)[classes], "mse", metrics.TopKCategoricalAccuracy),
                               (classes.astype(np.int32), "sparse_categorical_crossentropy", metrics.SparseTopKCategoricalAccuracy)):
        model = keras.Sequential([keras.layers.Dense(6, use_bias=False, input_shape=(4,))])
        model.compile("sgd", loss, metrics=[*(made(k=k, name=f"of_{k}") for k in (1, 3)), plain(made.__name__)])
        model.set_weights([kernel])
        found = model.evaluate(X, labels, batch_size=16, verbose=0, return_dict=True)
        np.testing.assert_allclose([found["of_1"], found["of_3"], found[plain(made.__name__).__name__]], [(above < k).mean() for k in (1, 3, 5)],
                                   rtol=1e-6)
print(metrics.TopKCategoricalAccuracy(k=2)([[1, 0, 0], [0, 0, 1]], [[0.1, 0.9, 0.8], [0.1, 0.9, 0.8]]).numpy())

# Labels and predictions of which one has a last extent of 1, in functions too; classes that are none.
column = np.array([[0.2], [0.4], [0.6], [0.8]], np.float32)
print(float(metrics.Accuracy()([1, 2, 3, 4], [[1], [2], [3], [0]])), float(metrics.Accuracy()([[1], [2], [3], [4]], [1, 2, 0, 0])),
      float(metrics.BinaryAccuracy(threshold=0.3)([0, 1, 1, 0], column)), float(metrics.BinaryAccuracy()([0, 1, 1, 0], column)))
print(metrics.binary_accuracy([[0.0], [1.0], [1.0], [0.0]], column, threshold=0.3).numpy().tolist(),
      metrics.binary_accuracy([[0.0], [1.0], [1.0], [0.0]], column).numpy().tolist(),
      metrics.top_k_categorical_accuracy([[1, 0, 0], [0, 0, 1]], [[0.1, 0.9, 0.8], [0.1, 0.9, 0.8]], k=2).numpy().tolist(),
      metrics.sparse_top_k_categorical_accuracy([[[0], [1]]], [[[0.1, 0.9, 0.8], [0.1, 0.9, 0.8]]], k=1).numpy().tolist())
overlap = metrics.MeanIoU(num_classes=2)
print(float(overlap([0, 0, 1, 1], [0, 1, 0, 1])), float(overlap([0], [0], sample_weight=[2.0])))
for labels, given in (([0, 2], [0, 1]), ([0, 1], [-1, 0])):
    try:
        metrics.MeanIoU(num_classes=2).update_state(labels, given)
    except tf.errors.InvalidArgumentError as error:
        print(error.message)
wrong = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(4,))])
wrong.compile("sgd", "mse", metrics=[metrics.MeanIoU(num_classes=3, name="overlap"), metrics.BinaryAccuracy(threshold=0.25)])
wrong.set_weights([np.zeros((4, 1), np.float32)])
print(wrong.evaluate(X, np.zeros(48, np.float32), batch_size=16, verbose=0)[1:])
try:
    wrong.evaluate(X, np.full(48, 3, np.float32), batch_size=16, verbose=0)
except tf.errors.InvalidArgumentError as error:
    print(error.message)
square = metrics.MeanSquaredError()
square.update_state([[0.0], [1.0]], [[0.5], [0.5]], sample_weight=[[1.0], [3.0]])
square.update_state([[2.0], [0.0]], [[0.0], [0.0]], sample_weight=[4.0, 0.0])  # (4 · 0.25 + 4 · 4) / 8
print(float(square.result()), float(keras.losses.mse([0.0, 1.0], [0.3, 0.4])))

# Of one class, of the first k, the best of one rate where another is high enough, and along another axis: in a model on the IPU.
labels = np.eye(6, dtype=np.float32)[classes]
with ipu.ipu_strategy.IPUStrategy().scope():
    axes = [metrics.CosineSimilarity(axis=axis, name=f"along_{axis}") for axis in (0, 1)]
    model = keras.Sequential([keras.layers.Dense(6, "softmax", use_bias=False, input_shape=(4,))])
    model.compile("sgd", keras.losses.CosineSimilarity(axis=0), metrics=[
        metrics.Recall(thresholds=0.2, class_id=3, name="recall"), metrics.Precision(top_k=2, name="precision"),
        metrics.Precision(top_k=2, class_id=1, name="precision_1"), metrics.SensitivityAtSpecificity(0.8, name="sensitivity"),
        metrics.PrecisionAtRecall(0.7, num_thresholds=50, name="at_recall"), metrics.KLDivergence(), *axes])
    model.set_weights([kernel])
    found = model.evaluate(X, labels, batch_size=48, verbose=0, return_dict=True)
shares = np.exp(X @ kernel)
shares = (shares / shares.sum(1, keepdims=True)).astype(np.float32)
first = np.argsort(-shares, 1)[:, :2]
hits = (first == classes[:, None]).sum()
of_one = [(classes[(first == 1).any(1)] == 1).mean()]


def rates(count):
    """(specificity, sensitivity or recall, precision) at each threshold."""
    for limit in np.float32([0, *((i + 1) / (count - 1) for i in range(count - 2)), 1]):
        above = shares > limit
        yield (~above)[labels == 0].mean(), above[labels == 1].mean(), labels[above].mean() if above.any() else 0.0


def cosine(axis):
    a, b = (each / np.sqrt((each ** 2).sum(axis, keepdims=True)) for each in (labels, shares))
    return (a * b).sum(axis).mean()


wanted = {"loss": -cosine(0), "recall": (shares[classes == 3, 3] > 0.2).mean(), "precision": hits / 96, "precision_1": of_one[0],
          "sensitivity": max(true for apart, true, _ in rates(200) if apart >= 0.8), "along_0": cosine(0), "along_1": cosine(1),
          "at_recall": max(exact for _, true, exact in rates(50) if true >= 0.7),
          "kullback_leibler_divergence": -np.log(shares[np.arange(48), classes]).mean()}
print({name: bool(np.isclose(found[name], wanted[name], rtol=1e-4)) for name in found} == dict.fromkeys(wanted, True) or (found, wanted))
