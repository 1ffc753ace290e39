# SPDX-License-Identifier: GPL-3.0-or-later
"""Factors, inverses and determinants of matrices that the device and tapes compute: against NumPy; gradients against differences."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
draw = np.random.default_rng(3)
general, sides = draw.normal(size=(2, 4, 4)).astype("f"), draw.normal(size=(2, 4, 3)).astype("f")
definite = (general @ general.swapaxes(1, 2) + 2 * np.eye(4)).astype("f")
tall, wide, upper = draw.normal(size=(5, 3)).astype("f"), draw.normal(size=(3, 5)).astype("f"), np.float32([[1, 2], [0, -3]])
FUNCTIONS = {
    "cholesky": (tf.linalg.cholesky, np.linalg.cholesky, (definite,)),
    "triangular": (tf.linalg.triangular_solve, lambda a, b: np.linalg.solve(np.tril(a), b), (definite, sides)),
    "upper": (lambda a, b: tf.linalg.triangular_solve(a, b, lower=False), lambda a, b: np.linalg.solve(np.triu(a), b), (definite, sides)),
    "adjoint": (lambda a, b: tf.linalg.triangular_solve(a, b, adjoint=True), lambda a, b: np.linalg.solve(np.tril(a).swapaxes(1, 2), b), (definite, sides)),
    "by_cholesky": (lambda a, b: tf.linalg.cholesky_solve(tf.linalg.cholesky(a), b), np.linalg.solve, (definite, sides)),
    "solve": (tf.linalg.solve, np.linalg.solve, (general, sides)),
    "inv": (lambda a: tf.linalg.inv(a, adjoint=True), lambda a: np.linalg.inv(a).swapaxes(1, 2), (general,)),
    "det": (tf.linalg.det, np.linalg.det, (general,)), "of_upper": (tf.linalg.det, np.linalg.det, (upper,)),
    "slogdet": (tf.linalg.slogdet, np.linalg.slogdet, (general,)), "logdet": (tf.linalg.logdet, lambda a: np.linalg.slogdet(a)[1], (definite,)),
    "tall": (tf.linalg.qr, np.linalg.qr, (tall,)), "wide": (tf.linalg.qr, np.linalg.qr, (wide,)),
    "of_triangle": (tf.linalg.qr, np.linalg.qr, (np.float32([[2, 1, 4], [0, -3, 2], [0, 0, 1]]),)), "of_one": (tf.linalg.inv, np.linalg.inv, (np.eye(3, dtype="f"),)),
    "full": (lambda a: tf.linalg.qr(a, full_matrices=True), lambda a: np.linalg.qr(a, "complete"), (tall,))}


def close(made, expected):
    return all(np.allclose(a, b, rtol=2e-3, atol=2e-4) for a, b in zip(tf.nest.flatten(made), tf.nest.flatten(expected)))


def last(made):
    return tf.nest.flatten(made)[-1]


for name, (function, by_numpy, arguments) in FUNCTIONS.items():
    expected, tensors = by_numpy(*(each.astype(float) for each in arguments)), [tf.constant(each) for each in arguments]
    expected = list(expected) if isinstance(expected, tuple) else expected
    weights = draw.normal(size=np.shape(tf.nest.flatten(expected)[-1])).astype("f")

    def slopes(*given):
        with tf.GradientTape() as tape:
            tape.watch(given)
            made = function(*given)
            total = tf.reduce_sum(last(made) * weights)
        return made, tape.gradient(total, list(given))
    with strategy.scope():
        made, gradients = strategy.run(tf.function(slopes), tensors)
    on_host, of_host = slopes(*tensors)
    directions = [draw.normal(size=each.shape) for each in arguments]
    if name in ("cholesky", "by_cholesky", "logdet"):
        directions[0] = directions[0] + directions[0].swapaxes(1, 2)
    if name == "of_triangle":  # below which LAPACK's signs jump
        directions[0] = np.triu(directions[0])
    ends = [np.sum(last(by_numpy(*(each + sign * 1e-5 * way for each, way in zip(arguments, directions)))) * weights) for sign in (1, -1)]
    slope = (ends[0] - ends[1]) / 2e-5
    along = [sum(np.sum(each.numpy() * way) for each, way in zip(of, directions)) for of in (gradients, of_host)]
    print(name, close(made, expected), close(on_host, expected), [bool(abs(each - slope) < 1e-2 * max(1, abs(slope))) for each in along])
for wrong in (lambda: strategy.run(tf.function(tf.linalg.inv), [tf.zeros((65, 65))]), lambda: strategy.run(tf.function(tf.linalg.det), [tf.zeros((2, 3))]),
              lambda: strategy.run(tf.function(tf.linalg.svd), [tf.zeros((2, 2))])):
    try:
        with strategy.scope():
            print(wrong())
    except Exception as error:  # pylint: disable=broad-except
        print(type(error).__name__, str(error).split(";", maxsplit=1)[0])
