# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients of gradients through losses and what classifiers are made of, against differences of first ones by NumPy, in float64."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
numbers = np.random.default_rng(4)
x, first = numbers.normal(size=(4, 3)).astype("f"), numbers.normal(size=(3, 2)).astype("f")
classes, shares = np.array([0, 1, 1, 0]), np.array([[0.3, 0.7], [1, 0], [0.2, 0.5], [0, 1]], "f")


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def log_softmax(values):
    return values - np.log(np.exp(values).sum(1, keepdims=True))


# (the loss of logits, the same by NumPy)
LOSSES = {
    "sparse": (lambda l: tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=l)),
               lambda l: -log_softmax(l)[np.arange(4), classes].mean()),
    "dense": (lambda l: tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(labels=shares, logits=l)**2),
              lambda l: ((-shares * log_softmax(l)).sum(1)**2).sum()),
    "keras": (lambda l: keras.losses.SparseCategoricalCrossentropy(from_logits=True)(classes, l),
              lambda l: -log_softmax(l)[np.arange(4), classes].mean()),
    "shares": (lambda l: tf.reduce_sum(keras.losses.sparse_categorical_crossentropy(classes, 0.5 * tf.nn.softmax(l))),
               lambda l: -log_softmax(l)[np.arange(4), classes].sum()),  # as Keras divides by their sum
    "softmax": (lambda l: tf.reduce_sum(tf.nn.softmax(l)**2 * [1.0, 3.0]), lambda l: (np.exp(2 * log_softmax(l)) * [1, 3]).sum()),
    "log_softmax": (lambda l: tf.reduce_sum(tf.nn.log_softmax(l)**2 * [1.0, 3.0]), lambda l: (log_softmax(l)**2 * [1, 3]).sum()),
    "binary": (lambda l: tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=shares, logits=l)),
               lambda l: (np.log1p(np.exp(l)) - shares * l).sum()),
    "softplus": (lambda l: tf.reduce_sum(tf.nn.softplus(l)**2), lambda l: (np.log1p(np.exp(l))**2).sum()),
    "log_sigmoid": (lambda l: tf.reduce_sum(tf.math.log_sigmoid(l)**2), lambda l: (np.log1p(np.exp(-l))**2).sum()),
    "swish": (lambda l: tf.reduce_sum(tf.nn.swish(l)**2), lambda l: ((l * sigmoid(l))**2).sum())}


def slope(function, at, step=1e-4):
    made = np.zeros(at.shape)
    for place in np.ndindex(*at.shape):
        moved = np.zeros(at.shape)
        moved[place] = step
        made[place] = (function(at + moved) - function(at - moved)) / (2 * step)
    return made


def adapted(of_logits):
    """The loss after a step of gradient descent, as a learner of learners has it, and its gradient."""
    def run(w):
        with tf.GradientTape() as outer:
            outer.watch(w)
            with tf.GradientTape() as inner:
                inner.watch(w)
                loss = of_logits(tf.matmul(x, w))
            after = of_logits(tf.matmul(x, w - 0.3 * inner.gradient(loss, w)))
        return after, outer.gradient(after, w)
    return run


for name, (of_logits, by_numpy) in LOSSES.items():
    def after(w):
        return by_numpy(x @ (w - 0.3 * slope(lambda each: by_numpy(x @ each), w)))
    expected = after(first.astype(float)), slope(after, first.astype(float))
    with strategy.scope():
        device = strategy.run(tf.function(adapted(of_logits)), [tf.constant(first)])
    host = adapted(of_logits)(tf.constant(first))
    print(name, [bool(np.allclose(made, each, rtol=2e-3, atol=2e-4)) for of in (device, host) for made, each in zip(of, expected)])
