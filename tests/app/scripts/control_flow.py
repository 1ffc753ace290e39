# SPDX-License-Identifier: GPL-3.0-or-later
"""Branches, loops and gradients that stop; pipelines that add up what they enqueue; weighted losses; each against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
X = np.array([1.0, -2.0, 3.0], np.float32)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()


def on_ipu(function, *arrays):
    """What a function of placeholders gives when it is compiled."""
    with tf.Graph().as_default(), tf.Session() as session:
        given = [tf.placeholder(each.dtype, each.shape) for each in arrays]
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(function, given)
        session.run(tf.global_variables_initializer())
        return session.run(made, dict(zip(given, arrays)))


def branches(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: (x * 2, tf.reduce_max(x)), lambda: (-x, tf.reduce_min(x)))


for sign in (1, -1):
    scaled, extreme = on_ipu(branches, X * sign)
    print("branch", np.array_equal(scaled, X * sign * 2 if sign > 0 else -X * sign), extreme == (3 if sign > 0 else -3))


# Variables that branches assign to have the value of the branch that is taken.
with tf.Graph().as_default(), tf.Session() as session, ipu.scopes.ipu_scope("/device:IPU:0"):
    p, w = tf.placeholder(tf.float32, []), tf.get_variable("w", initializer=5.0)
    chosen = tf.cond(p > 0, lambda: w.assign(w + p), lambda: w.assign(w * 10.0))
    operation = tf.cond(p > 0, lambda: w.assign_add(1.0).op, tf.no_op)
    session.run(tf.global_variables_initializer())
    print("assigned", [session.run(each, {p: value}) and float(session.run(w)) for each, value in
                       ((chosen, 1.0), (chosen, -1.0))], session.run(operation, {p: 1.0}), session.run(operation, {p: -1.0}), session.run(w))



def powers(x):
    return tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * x), [tf.constant(0), tf.ones_like(x)])[1]


print("loop", np.array_equal(on_ipu(powers, X)[0], X ** 5))
print("loop", on_ipu(lambda x: ipu.loops.while_loop(lambda y: True, lambda y: y + x, [x * 0], maximum_iterations=3), X)[0])


def straight_through(x):
    rounded = x + tf.stop_gradient(tf.round(x) - x)
    return [rounded, tf.gradients(tf.reduce_sum(tf.square(rounded)), [x])[0]]


values, slope = on_ipu(straight_through, X * 1.3)
print("stopped", np.array_equal(values, np.round(X * 1.3)), np.allclose(slope, 2 * np.round(X * 1.3)))

# A pipeline of two stages: what is enqueued, whole and added up.
ROWS = np.arange(8, dtype=np.float32).reshape(8, 1)


def piped(**settings):
    with tf.Graph().as_default(), tf.Session() as session:
        infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(ROWS).repeat().batch(1, drop_remainder=True))
        outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

        def first(x):
            return x * tf.get_variable("w", initializer=tf.constant([[0.0]]))

        def second(x):
            return tf.reduce_sum(x + 1.0), x

        def update(loss, x):
            return ipu.pipelining_ops.OptimizerFunctionOutput(tf.train.GradientDescentOptimizer(0.0), loss)

        def network():
            return ipu.pipelining_ops.pipeline([first, second], 4, repeat_count=2, inputs=[], infeed_queue=infeed,
                                               outfeed_queue=outfeed, optimizer_function=update, **settings)

        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(network)
        results = outfeed.dequeue()
        session.run([tf.global_variables_initializer(), infeed.initializer])
        session.run(run)
        return session.run(results)


print("piped", [each.shape for each in piped()])
print("masked", piped(outfeed_mask=[False, True])[0].tolist())
print("summed", piped(accumulate_outfeed=True, outfeed_loss=True).tolist())

# Losses, against their formulas.
LABELS, SCORES = np.array([[0.0, 1.0], [1.0, 0.0]], np.float32), np.array([[0.5, 2.0], [-1.0, 0.25]], np.float32)
WEIGHTS = np.array([[2.0], [0.0]], np.float32)


def losses(labels, scores, weights):
    keys = tf.losses.Reduction
    return [tf.losses.mean_squared_error(labels, scores, weights), tf.losses.mean_squared_error(labels, scores, weights, reduction=keys.MEAN),
            tf.losses.mean_squared_error(labels, scores, 3.0, reduction=keys.SUM),
            tf.losses.sigmoid_cross_entropy(labels, scores, reduction=keys.NONE), tf.losses.huber_loss(labels, scores, delta=0.5),
            tf.losses.hinge_loss(labels, scores), tf.losses.log_loss(labels, tf.sigmoid(scores)),
            tf.losses.softmax_cross_entropy(labels, scores, label_smoothing=0.1)]


square, apart, sigmoid = (SCORES - LABELS) ** 2, abs(SCORES - LABELS), 1 / (1 + np.exp(-SCORES))
crossed = -LABELS * np.log(sigmoid) - (1 - LABELS) * np.log(1 - sigmoid)
log_softmax = SCORES - np.log(np.exp(SCORES).sum(1, keepdims=True))
wanted = [(square[0] * 2).sum() / 2, square[0].mean(), square.sum() * 3, crossed,
          np.where(apart <= 0.5, apart ** 2 / 2, 0.5 * apart - 0.125).mean(), np.maximum(0, 1 - (2 * LABELS - 1) * SCORES).mean(),
          crossed.mean(), -((LABELS * 0.9 + 0.05) * log_softmax).sum(1).mean()]
print("losses", [bool(np.allclose(a, b, atol=1e-5)) for a, b in zip(on_ipu(losses, LABELS, SCORES, WEIGHTS), wanted)])
