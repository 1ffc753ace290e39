# SPDX-License-Identifier: GPL-3.0-or-later
"""What a function of the script's own makes number by number, as ipu.custom_ops compiles it to a vertex; and IPU TensorFlow's softmax."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
a, b = np.float32([[1, -2, 3], [-4, 5, -6]]), np.float32([[0.5, 0.25, 2], [1, -1, 0]])


def net(x, y):
    made = ipu.custom_ops.codelet_expression_op(lambda v, w: abs(v) * w - -v, x, y)
    return made, tf.gradients(tf.reduce_sum(made * x), [x, y]), ipu.nn_ops.softmax(y, stable=True)


with tf.Session() as session, ipu.scopes.ipu_scope("/device:IPU:0"):
    given = [tf.placeholder(tf.float32, each.shape) for each in (a, b)]
    made, of_x, shares = session.run(ipu.ipu_compiler.compile(lambda x, y: (lambda m, g, s: (m, g[0], s))(*net(x, y)), given), dict(zip(given, (a, b))))
print(np.array_equal(made, abs(a) * b + a), np.array_equal(of_x, made), np.allclose(shares, np.exp(b) / np.exp(b).sum(1, keepdims=True)))
with ipu.scopes.ipu_scope("/device:IPU:0"):
    print(net(*given)[1][1])  # no gradient goes through it
    for wrong in (lambda v: tf.reduce_sum(v), lambda v: tf.cast(v, tf.int32)):
        try:
            ipu.custom_ops.codelet_expression_op(wrong, given[0])
        except ValueError as error:
            print(str(error).split(":", maxsplit=1)[0])
