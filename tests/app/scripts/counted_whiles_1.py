# SPDX-License-Identifier: GPL-3.0-or-later
"""While loops of TensorFlow 1 whose steps follow from what a function is given, against Python's."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()


def run(net, *counts):
    """What it gives for each count, of an x of 1 and 2."""
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.device("cpu"):
            n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [2])
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(net, [n, x])
        session.run(tf.global_variables_initializer())
        return [[np.asarray(each).tolist() for each in session.run(made, {n: count, x: [1.0, 2.0]})] for count in counts]


def python(goes_on, start, by, count):
    i, x = start(count), np.array([1.0, 2.0])
    while goes_on(i, count):
        i, x = i + by, x + x[::-1]
    return [i, x.tolist()]


def crossed(x):
    return x + tf.reverse(x, [0])


for name, goes_on, start, by in (
        ("less", lambda i, n: i < n, lambda n: 0, 1), ("up to", lambda i, n: i <= n * 2, lambda n: 1, 3), ("greater", lambda i, n: i > 0, lambda n: n * 3, -2),
        ("down to", lambda i, n: i >= 1, lambda n: n, -1), ("turned", lambda i, n: n > i, lambda n: 0, 2)):
    found = run(lambda n, x: tf.while_loop(lambda i, x: goes_on(i, n), lambda i, x: (i + by, crossed(x)), [start(n), x]), 3, 4, 0)
    print(name, found == [python(goes_on, start, by, count) for count in (3, 4, 0)])


def kept(n, x):
    """The values in a structure, a variable that the body reads, and a tensor that it takes from around it."""
    scale, doubled = tf.get_variable("scale", initializer=np.float32(0.5)), x * 2.0
    made = ipu.loops.while_loop(lambda values: tf.less(values["i"], n), lambda values: {"i": values["i"] + 1, "x": values["x"] * scale + doubled},
                                [{"i": tf.constant(0), "x": x}])
    return made["x"]


print("kept", run(kept, 2, 0))
for net in (lambda n, x: tf.while_loop(lambda x: tf.reduce_sum(x) < 100.0, crossed, [x]),  # ends otherwise than at a bound of a counter
            lambda n, x: tf.while_loop(lambda i, x: i < n, lambda i, x: (i * 2, x), [tf.constant(1), x])):
    print(run(net, 3))
