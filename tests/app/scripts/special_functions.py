# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse trigonometry, the gamma function and their kin, against Python's own; their slopes against differences."""
import math

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

x = np.float32([-0.95, -0.4, -1e-3, 0.0, 0.3, 0.99])
print([np.allclose(function(x), own(x), rtol=1e-5, atol=1e-6) for function, own in (
    (tf.asin, np.arcsin), (tf.acos, np.arccos), (tf.atan, np.arctan), (tf.asinh, np.arcsinh), (tf.atanh, np.arctanh),
    (lambda x: tf.acosh(x + 2.5), lambda x: np.arccosh(x + 2.5)))])
print(np.allclose(tf.acos([-1.0, 1.0]), [np.pi, 0], atol=1e-6), np.allclose(tf.asin([-1.0, 1.0]), [-np.pi / 2, np.pi / 2], atol=1e-6))
y, z = np.float32([1, -1, 2, 0, 0, -3]), np.float32([1, 1, -1, -2, 2, -4])
print(np.allclose(tf.math.atan2(y, z), np.arctan2(y, z), atol=1e-6), np.allclose(tf.atan2(y[:, None], z), np.arctan2(y[:, None], z), atol=1e-6))
places = np.float32([0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 7.3, 33.3, -0.5, -2.7])
print(np.allclose(tf.math.lgamma(places), [math.lgamma(each) for each in places], rtol=2e-6, atol=2e-6))


def slope(function, at):
    return (function(at + 1e-5) - function(at - 1e-5)) / 2e-5


print(np.allclose(tf.math.digamma(places), [slope(math.lgamma, float(each)) for each in places], rtol=1e-5, atol=1e-5),
      np.isinf(tf.math.lgamma([0.0, -1.0])).all())
print(np.allclose(tf.math.erfc(x), [math.erfc(each) for each in x], atol=1e-6),
      np.allclose(tf.math.lbeta([[2.0, 3.0], [0.5, 0.5]]), [math.log(1 / 12), math.log(math.pi)], atol=1e-5),
      np.allclose(tf.math.cumulative_logsumexp(x), np.log(np.cumsum(np.exp(x))), atol=1e-5),
      np.allclose(tf.math.xlog1py([0.0, 2.0], [-1.0, 3.0]), [0, 2 * math.log(4)], atol=1e-5))
inner = x[[0, 1, 2, 4]]
for function, own, at in ((tf.asin, math.asin, inner), (tf.acos, math.acos, inner), (tf.atan, math.atan, inner), (tf.asinh, math.asinh, x),
                          (tf.atanh, math.atanh, inner), (tf.math.lgamma, math.lgamma, places)):
    with tf.GradientTape() as tape:
        given = tf.Variable(at)
        total = tf.reduce_sum(function(given))
    print(np.allclose(tape.gradient(total, given), [slope(own, float(each)) for each in at], rtol=1e-3, atol=1e-4), end=" ")
print()
with tf.Graph().as_default(), tf1.Session() as session:
    fed = tf1.placeholder(tf.float32, [6])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        made = ipu.ipu_compiler.compile(lambda a: (tf1.atan2(a, a + 1.5), tf1.lgamma(a + 2.0)), [fed])
    angles, logs = session.run(made, {fed: x})
    print(np.allclose(angles, np.arctan2(x, x + 1.5), atol=1e-6), np.allclose(logs, [math.lgamma(each + 2) for each in x], atol=1e-5))
small = np.float32([1e-8, -1e-6, 1e-4, 0.3, 0.9])
of_small = ((tf.math.log1p, np.log1p, small), (tf.math.expm1, np.expm1, np.append(small, [-20, 5])), (tf.sinh, np.sinh, np.append(small, [-20, 5])),
            (tf.asinh, np.arcsinh, np.append(small, [-20, 5])), (tf.atanh, np.arctanh, small),
            (tf.math.erfc, np.vectorize(math.erfc), np.float32([-3, 1e-8, 0.4, 2, 5, 8])))
strategy = ipu.ipu_strategy.IPUStrategy()
print(*([np.allclose(run(function, np.float32(at)), own(np.float64(np.float32(at))), rtol=3e-6, atol=0) for function, own, at in of_small] for run in (
    lambda function, at: function(at), lambda function, at: strategy.run(tf.function(lambda given: function(given)), [tf.constant(at)]))), end=" ")
print([function(np.float64([1e-8])).dtype.name == "float64" and np.allclose(function(np.float64([1e-8])), own(np.float64([1e-8])), rtol=1e-14, atol=0)
       for function, own, _ in of_small])
for wrong in (lambda: tf.atan([1, 2]), lambda: tf.math.polygamma(1.0, 2.0)):
    try:
        wrong()
    except (TypeError, AttributeError) as error:
        print(str(error).split(";")[0])
