# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimisers of the script's own that assign to variables in apply_gradients(), with gradients that are accumulated, that replicas exchange,
and in a pipeline. Against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
ipu_optimizers, scopes = ipu.optimizers, ipu.scopes
draw = np.random.RandomState(0)
x, y = draw.randn(32, 3).astype("f"), draw.randn(32, 2).astype("f")
first = {"v": draw.randn(3, 4).astype("f"), "w": draw.randn(4, 2).astype("f")}


class Own(tf.train.Optimizer):
    """Sums up squares, and divides by their root, by a rate that falls with each update."""

    def __init__(self, rate):
        super().__init__(False, "Own")
        self.rate = tf.cast(rate, tf.float32)
        self.step = tf.get_variable("step", initializer=np.int32(1), trainable=False)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        made = []
        for gradient, variable in grads_and_vars:
            squares = tf.get_variable(variable.name.split(":")[0] + "/squares", variable.shape.as_list(), tf.float32, tf.ones_initializer(),
                                      trainable=False)
            total = 0.5 * squares + tf.square(gradient)
            rate = self.rate / tf.cast(self.step, tf.float32)
            made += [variable.assign(variable - rate * gradient / tf.sqrt(total)), squares.assign(total)]
        return tf.group(*made, self.step.assign(self.step + 1), name=name)


def wanted(updates, batches, mean):
    """The weights after updates of so many batches each."""
    kept, at = {name: (value.copy(), np.ones_like(value)) for name, value in first.items()}, 0
    for update in range(updates):
        v, w, gradients = kept["v"][0], kept["w"][0], {"v": 0, "w": 0}
        for _ in range(batches):
            a, b = x[at * 2:at * 2 + 2], y[at * 2:at * 2 + 2]
            at = (at + 1) % 16
            h = a @ v
            dy = 2 * (h @ w - b) / 4
            gradients = {"v": gradients["v"] + a.T @ (dy @ w.T), "w": gradients["w"] + h.T @ dy}
        for name, (value, squares) in kept.items():
            g = gradients[name] / mean
            squares = 0.5 * squares + g * g
            kept[name] = (value - 0.1 / (update + 1) * g / np.sqrt(squares), squares)
    return kept


def trained(wrap, ipus, steps, stages=0, reduction=None):
    """(weights and squares, steps) after a loop of so many steps; with `stages` as a pipeline, which adds up four batches."""
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()
    with tf.Graph().as_default(), tf.Session() as session:
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(2, drop_remainder=True).repeat()
        infeed, outfeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data), ipu.ipu_outfeed_queue.IPUOutfeedQueue()

        def of(name):
            with tf.variable_scope("", use_resource=True, reuse=tf.AUTO_REUSE):
                return tf.get_variable(name, initializer=first[name])

        def below(a, b):
            return tf.matmul(a, of("v")), b

        def above(h, b):
            return tf.reduce_mean(tf.square(tf.matmul(h, of("w")) - b))

        def optimizer():
            with tf.variable_scope("", use_resource=True, reuse=tf.AUTO_REUSE):
                return wrap(Own(0.1))

        def body(a, b):
            loss = above(*below(a, b))
            with tf.variable_scope("", use_resource=True, reuse=tf.AUTO_REUSE):
                return outfeed.enqueue(loss), optimizer().minimize(loss)

        def update(loss):
            return ipu.pipelining_ops.OptimizerFunctionOutput(optimizer(), loss)

        def net():
            if not stages:
                return ipu.loops.repeat(steps, body, infeed_queue=infeed)
            with tf.variable_scope("", use_resource=True, reuse=tf.AUTO_REUSE):
                return ipu.pipelining_ops.pipeline([below, above], 4, steps // 4, infeed_queue=infeed, outfeed_queue=outfeed,
                                                   optimizer_function=update, **({"reduction_method": reduction} if reduction else {}))
        with scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(net)
        variables = {each.name.split(":")[0]: each for each in tf.global_variables()}
        session.run(tf.global_variables_initializer())
        session.run(infeed.initializer)
        session.run(run)
        return session.run(variables)


def compared(name, found, updates, batches, mean=1):
    kept = wanted(updates, batches, mean)
    print(name, [np.allclose(found[key], value, atol=1e-5) and np.allclose(found[key + "/squares"], squares, rtol=1e-4)
                 for key, (value, squares) in kept.items()], int(found["step"]))


cross, accumulated = ipu_optimizers.CrossReplicaOptimizer, ipu_optimizers.GradientAccumulationOptimizerV2
compared("each step", trained(lambda own: own, 1, 8), 8, 1)
compared("accumulated", trained(lambda own: accumulated(own, 4), 1, 8), 2, 4)
mean = ipu_optimizers.GradientAccumulationReductionMethod.MEAN
compared("their mean", trained(lambda own: accumulated(own, 4, reduction_method=mean), 1, 8), 2, 4, 4)
compared("replicas", trained(cross, 2, 4), 4, 2, 2)
compared("both", trained(lambda own: cross(accumulated(own, 4)), 2, 4), 1, 8, 2)
compared("both in one", trained(lambda own: ipu_optimizers.CrossReplicaGradientAccumulationOptimizerV2(own, 2), 2, 4), 2, 4, 2)
compared("pipeline", trained(lambda own: own, 2, 8, stages=2), 2, 4)
compared("pipeline's mean", trained(lambda own: own, 2, 8, stages=2, reduction=mean), 2, 4, 4)
compared("pipelines", trained(cross, 4, 4, stages=2), 1, 8, 2)


class OfLoss(Own):
    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return tf.group(*[variable.assign(variable - self.loss * gradient) for gradient, variable in grads_and_vars])

    def compute_gradients(self, loss, var_list=None, **kwargs):
        self.loss = loss
        return super().compute_gradients(loss, var_list, **kwargs)


try:
    trained(lambda own: accumulated(OfLoss(0.1), 4), 1, 8)
except AttributeError as error:
    print(str(error).split(";")[0])
