# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers, recurrent networks in both directions, metrics, rates, templates and checkpoints of TensorFlow 1, against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(9)
series = draw.randn(2, 7, 3).astype("f")
image = draw.randn(2, 5, 5, 3).astype("f")
volume = draw.randn(2, 4, 4, 4, 2).astype("f")


def on_ipu(function, *given):
    """What a function gives as one program, with the variables that it has trained: names and values."""
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(tf.float32, each.shape) for each in given]
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(function, fed)
        session.run(tf.global_variables_initializer())
        return session.run(made, dict(zip(fed, given))), {each.name: session.run(each) for each in tf.trainable_variables()}


def close(a, b):
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-4, atol=1e-5)


def layers(x, y, z):
    return (tf.layers.conv1d(x, 4, 3, strides=2, activation=tf.nn.relu), tf.layers.max_pooling1d(x, 2, 2), tf.layers.average_pooling1d(x, 3, 2),
            tf.layers.separable_conv2d(y, 4, 3, depth_multiplier=2), tf.layers.conv3d(z, 3, (2, 1, 2)), tf.layers.max_pooling3d(z, 2, 2),
            tf.layers.Conv1D(2, 1, name="own")(x))


found, weights = on_ipu(layers, series, image, volume)
print(sorted(weights))
kernel, bias = weights["conv1d/kernel:0"], weights["conv1d/bias:0"]
conv1d = np.stack([np.tensordot(series[:, t:t + 3], kernel, 2) for t in (0, 2, 4)], 1)
means = np.stack([series[:, t:t + 3].mean(1) for t in (0, 2, 4)], 1)
depthwise, pointwise = weights["separable_conv2d/depthwise_kernel:0"], weights["separable_conv2d/pointwise_kernel:0"]
separable = np.zeros((2, 3, 3, 6))
for r, c in np.ndindex(3, 3):
    separable[:, r, c] = np.einsum("brch,rchm->bhm", image[:, r:r + 3, c:c + 3], depthwise).reshape(2, -1)
conv3d = np.zeros((2, 3, 4, 3, 3))
for place in np.ndindex(3, 4, 3):
    d, r, c = place
    conv3d[(slice(None), *place)] = np.tensordot(volume[:, d:d + 2, r:r + 1, c:c + 2], weights["conv3d/kernel:0"], 4)
print([close(*pair) for pair in zip(found, (
    np.maximum(conv1d + bias, 0), series[:, :6].reshape(2, 3, 2, 3).max(2), means, separable @ pointwise[0, 0], conv3d,
    volume.reshape(2, 2, 2, 2, 2, 2, 2, 2).max((2, 4, 6)), series @ weights["own/kernel:0"][0]))])


def both_ways(x):
    (forwards, back), states = tf.nn.bidirectional_dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(4), tf.nn.rnn_cell.BasicRNNCell(2), x, [7, 4], dtype=tf.float32)
    return forwards, back, *states


def recurrent(x, kernel, bias):
    h, outputs = np.zeros((1, len(bias))), []
    for t in range(x.shape[1]):
        h = np.tanh(np.concatenate([x[:, t], h], 1) @ kernel + bias)
        outputs.append(h)
    return np.stack(outputs, 1), h


found, weights = on_ipu(both_ways, series)
print(sorted(weights))
wanted = [np.zeros((2, 7, 4)), np.zeros((2, 7, 2)), np.zeros((2, 4)), np.zeros((2, 2))]
for i, length in enumerate((7, 4)):
    row = series[i:i + 1, :length]
    wanted[0][i, :length], wanted[2][i] = recurrent(row, *(weights[f"bidirectional_rnn/fw/basic_rnn_cell/{each}:0"] for each in ("kernel", "bias")))
    back, wanted[3][i] = recurrent(row[:, ::-1], *(weights[f"bidirectional_rnn/bw/basic_rnn_cell/{each}:0"] for each in ("kernel", "bias")))
    wanted[1][i, :length] = back[0, ::-1]
print([close(*pair) for pair in zip(found, wanted)])

labels, scores = draw.randint(0, 2, (4, 6)), draw.rand(4, 6).astype("f")
classes, guesses = draw.randint(0, 3, (4, 6)), draw.randint(0, 3, (4, 6))
with tf.Graph().as_default(), tf.Session() as session:
    fed = [tf.placeholder(tf.int32, [6]), tf.placeholder(tf.float32, [6]), tf.placeholder(tf.int32, [6]), tf.placeholder(tf.int32, [6])]
    said = tf.cast(fed[1] > 0.5, tf.int32)
    metrics = {"precision": tf.metrics.precision(fed[0], said), "recall": tf.metrics.recall(fed[0], said), "auc": tf.metrics.auc(fed[0], fed[1]),
               "curve": tf.metrics.auc(fed[0], fed[1], curve="PR"), "negatives": tf.metrics.false_negatives(fed[0], said),
               "root": tf.metrics.root_mean_squared_error(tf.cast(fed[0], tf.float32), fed[1]), "below": tf.metrics.percentage_below(fed[1], 0.3),
               "accuracy": tf.metrics.mean_per_class_accuracy(fed[2], fed[3], 3), "iou": tf.metrics.mean_iou(fed[2], fed[3], 3)}
    session.run(tf.local_variables_initializer())
    for rows in zip(labels, scores, classes, guesses):
        updates = session.run({name: each[1] for name, each in metrics.items()}, dict(zip(fed, rows)))
    values = session.run({name: each[0] for name, each in metrics.items()})
truth, said = labels.ravel() == 1, scores.ravel() > 0.5
limits = np.concatenate([[-1e-7], np.arange(1, 199) / 199, [1 + 1e-7]])
hits = np.array([[np.sum(holds & (scores.ravel() > limit)) for holds in (truth, ~truth)] for limit in limits.astype("f")])
rates = hits / [truth.sum(), (~truth).sum()]
right = np.array([[np.sum((classes == i) & (guesses == j)) for j in range(3)] for i in range(3)])
precisions = (hits[:, 0] + 1e-6) / (hits.sum(1) + 1e-6)
wanted = {"precision": np.sum(truth & said) / said.sum(), "recall": np.sum(truth & said) / truth.sum(), "negatives": np.sum(truth & ~said),
          "auc": -np.trapz(rates[:, 0], rates[:, 1]), "curve": -np.trapz(precisions, rates[:, 0]), "root": np.sqrt(np.mean((truth - scores.ravel())**2)),
          "below": np.mean(scores < 0.3), "accuracy": np.mean(np.diag(right) / right.sum(1)),
          "iou": np.mean(np.diag(right) / (right.sum(0) + right.sum(1) - np.diag(right)))}
print([name for name in wanted if not np.isclose(values[name], wanted[name], rtol=1e-4)], len(values), np.array_equal(updates["iou"], right),
      np.allclose(updates["accuracy"], np.diag(right) / right.sum(1)), np.isclose(updates["precision"], wanted["precision"]))

with tf.Graph().as_default(), tf.Session() as session:
    step = tf.placeholder(tf.int64, [])
    rates = [tf.train.natural_exp_decay(0.1, step, 10, 0.5), tf.train.natural_exp_decay(0.1, step, 10, 0.5, True), tf.train.linear_cosine_decay(0.1, step, 100)]
    wave = 0.75 * 0.5 * (1 + np.cos(np.pi * 0.25)) + 0.001
    print(np.allclose(session.run(rates, {step: 25}), [0.1 * np.exp(-1.25), 0.1 * np.exp(-1), 0.1 * wave]))
    shared = tf.make_template("shared", lambda x: x * tf.get_variable("scale", [], initializer=tf.constant_initializer(3.0)))
    total = shared(2.0) + shared(5.0)
    tf.add_to_collections(["one", "other"], total)
    session.run(tf.global_variables_initializer())
    print(session.run(total), [each.name for each in shared.variables], len(tf.get_collection("other")), tf.get_collection_ref("one") == [total])
    session.run(shared.variables[0].assign(4.0))
    tf.train.Saver().save(session, "kept/model.ckpt")
    print(tf.train.checkpoint_exists("kept/model.ckpt"), tf.train.checkpoint_exists("kept/none"))
    dense = tf.sparse_to_dense([[0, 1], [2, 0]], [3, 2], [5.0, 7.0], -1.0)
    print(session.run(dense).tolist(), session.run(tf.arg_max([[1, 3, 2]], 1)).tolist(), session.run(tf.check_numerics(total, "total")))
for assignments in ({"shared/": "other/"}, {"shared/scale": "other/scale"}):
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("other"):
            scale = tf.get_variable("scale", [], initializer=tf.zeros_initializer())
        tf.train.init_from_checkpoint("kept/model.ckpt", assignments)
        session.run(tf.global_variables_initializer())
        print(session.run(scale))
for wrong in (lambda: tf.train.init_from_checkpoint("kept/model.ckpt", {"shared/": "none/"}), lambda: tf.assert_rank_at_least(tf.zeros([2]), 2),
              lambda: tf.assert_rank_in(tf.zeros([2]), [0, 2]), lambda: tf.check_numerics(np.float32([1, np.nan]), "here"),
              lambda: tf.assert_type(tf.zeros([2]), tf.int32)):
    try:
        wrong()
    except (ValueError, TypeError, tf.errors.InvalidArgumentError) as error:
        print(error)
