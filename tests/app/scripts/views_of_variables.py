# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read of a variable, in any shape, is what it was before the step assigned to it; loops hand on whole numbers so."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
views = {"identity": tf.identity, "reshape": lambda x: tf.reshape(x, [4]), "expand_dims": lambda x: tf.expand_dims(x, 0),
         "squeeze": lambda x: tf.squeeze(x[None]), "stop_gradient": tf.stop_gradient, "cast": lambda x: tf.cast(x, x.dtype),
         "tile": lambda x: tf.tile(x, [1, 1]), "transpose": tf.transpose, "slice": lambda x: x[:1], "unstack": lambda x: tf.unstack(x)[0]}


def assigned(dtype, name):
    variable = tf.get_variable(f"{dtype.name}/{name}", [2, 2], dtype, initializer=tf.zeros_initializer())
    before = variable.read_value()
    seen = views[name](before)
    with tf.control_dependencies([seen]):
        return seen, variable.assign(before + 1)


def repeated(steps, body, dtype, *values):
    return ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(steps, body, [tf.constant(each, dtype) for each in values]))


types = (tf.int32, tf.float32)
with ipu.scopes.ipu_scope("/device:IPU:0"):
    made = [[ipu.ipu_compiler.compile(lambda: assigned(dtype, name)) for name in views] for dtype in types]
    fibonacci = [repeated(6, lambda a, b: (b, a + b), dtype, 0, 1) for dtype in types]
    swapped = [repeated(5, lambda a, b: (b, a), dtype, np.array([0, 3]), np.array([1, 5])) for dtype in types]
    shaped = [repeated(3, lambda a: (a + 1, tf.identity(a), tf.reshape(a, [1])), dtype, 1) for dtype in types]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(2):
        print([[np.all(seen == step) and np.all(then == step + 1) for seen, then in each] for each in session.run(made)])
    print([[each.tolist() for each in found] for found in session.run(fibonacci + swapped + shaped)])
