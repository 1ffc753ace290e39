# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients that an update changes: by gradient_transformers and classes of the script's own with Keras, by MapGradientOptimizer in a pipeline. Each
changes them where IPU TensorFlow calls it: before or after they are accumulated, and before or after replicas add them up. Against NumPy."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

random = np.random.RandomState(0)
X = random.rand(32, 3).astype(np.float32)
Y = X.sum(1, keepdims=True) * 3
FIRST = random.rand(3, 1).astype(np.float32)
SGD = keras.optimizers.SGD


def configure(ipus):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def clipped(pairs):
    return [(tf.clip_by_value(gradient, -0.9, 0.9), variable) for gradient, variable in pairs]


def decayed(pairs):
    return [(gradient + 0.1 * variable, variable) for gradient, variable in pairs]


class Before(SGD):
    """Is called before replicas add gradients up."""

    def apply_gradients(self, grads_and_vars, name=None, **kwargs):
        return super().apply_gradients(decayed(clipped(list(grads_and_vars))), name, **kwargs)


class After(SGD):
    def _transform_gradients(self, grads_and_vars):
        return decayed(clipped(super()._transform_gradients(grads_and_vars)))


class Itself(SGD):
    def _resource_apply_dense(self, grad, var, apply_state=None):
        return var.assign_sub(0.1 * (tf.clip_by_value(grad, -0.9, 0.9) + 0.1 * var))


class HandsOn(SGD):
    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(tf.clip_by_value(grad, -0.9, 0.9) + 0.1 * var, var, apply_state)


class Slower(keras.optimizers.Optimizer):
    """A momentum whose steps are over the number of the update."""

    def __init__(self, rate=0.1, name="Slower", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", rate)

    def _create_slots(self, var_list):
        for each in var_list:
            self.add_slot(each, "m")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        moved = self.get_slot(var, "m")
        moved = moved.assign(0.5 * moved + grad)
        return var.assign_sub(self._decayed_lr(var.dtype) * moved / tf.cast(self.iterations + 1, tf.float32))


def fitted(optimizer, replicas, accumulated):
    configure(replicas)
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, use_bias=False)])
        model.set_weights([FIRST])
        model.compile(optimizer, "mse", steps_per_execution=8 // replicas)
        if accumulated > 1:
            model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=accumulated)
        model.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
    return model.get_weights()[0][:, 0], int(optimizer.iterations)


def wanted(kind, replicas, accumulated):
    w, m, batches = FIRST[:, 0].astype(float), 0, zip(X.reshape(-1, accumulated, replicas, 4, 3), Y.reshape(-1, accumulated, replicas, 4))
    for update, (x, y) in enumerate(batches, 1):
        g = (2 * np.einsum("arbf,arb->arf", x, x @ w - y) / 4).sum(0)  # of each replica
        if kind == "before":
            w = w - 0.1 * (np.clip(g, -0.9, 0.9) + 0.1 * w).sum(0)
        elif kind == "slower":
            m = 0.5 * m + g.sum(0)
            w = w - 0.1 * m / update
        else:
            w = w - 0.1 * (np.clip(g.sum(0), -0.9, 0.9) + 0.1 * w)
    return w


for replicas, accumulated in ((1, 1), (1, 2), (2, 1), (2, 2)):
    print(replicas, accumulated, end=" ")
    for kind, make in (("after", lambda: SGD(0.1, gradient_transformers=[clipped, decayed])),
                       ("after", lambda: SGD(0.1, clipvalue=0.9, gradient_transformers=[decayed])), ("after", lambda: After(0.1)),
                       ("after", lambda: Itself(0.1)), ("after", lambda: HandsOn(0.1)), ("slower", Slower), ("before", lambda: Before(0.1))):
        try:
            found, updates = fitted(make(), replicas, accumulated)
            print(np.allclose(found, wanted(kind, replicas, accumulated), rtol=1e-4), updates, end=" ")
        except AttributeError as error:
            print(str(error).split("; ask")[0], end=" ")
    print()

# At once, on the host; and what is read after an update that follows once for all replicas.
w, optimizer = tf.Variable(FIRST[:, 0]), SGD(0.1, clipvalue=0.9, gradient_transformers=[decayed])
for x, y in zip(X.reshape(8, 4, 3), Y.reshape(8, 4)):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
print("host", np.allclose(w, wanted("after", 1, 1), rtol=1e-4), optimizer.get_config().keys() & {"gradient_transformers"})
configure(2)
with ipu.ipu_strategy.IPUStrategy().scope():
    strategy = tf.distribute.get_strategy()
    for optimizer in (Itself(0.1), SGD(0.1, gradient_transformers=[clipped])):
        @tf.function
        def step(data):
            x, y = next(data)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(x, w) - y[:, 0]) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return tf.reduce_sum(w)
        try:
            strategy.run(step, [iter(tf.data.Dataset.from_tensor_slices((X, Y)).batch(4, drop_remainder=True))])
        except AttributeError as error:
            print(str(error).split("; ask")[0].replace(w.key, "w"))
try:
    SGD(0.1, gradient_aggregator=clipped)
except AttributeError as error:
    print(str(error).split("; ask")[0])

# In a pipeline a mapping is of each micro-batch.
configure(2)
with tf.Graph().as_default(), tf1.Session() as session:
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices((X, Y)).batch(4, drop_remainder=True))
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def below(x, y):
        with tf1.variable_scope("", use_resource=True):
            return tf.matmul(x, tf1.get_variable("w", initializer=FIRST)), y

    def above(h, y):
        return tf.reduce_mean((h - y) ** 2)

    def update(loss):
        mapped = ipu.optimizers.MapGradientOptimizer(tf1.train.GradientDescentOptimizer(0.1), lambda g, v: tf.clip_by_value(g, -0.9, 0.9) + 0.1 * v)
        return ipu.pipelining_ops.OptimizerFunctionOutput(mapped, loss)

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(lambda: ipu.pipelining_ops.pipeline(
            [below, above], 4, 2, infeed_queue=infeed, outfeed_queue=outfeed, optimizer_function=update))
    session.run([tf1.global_variables_initializer(), infeed.initializer])
    session.run(run)
    w = FIRST[:, 0].astype(float)
    for x, y in zip(X.reshape(2, 4, 4, 3), Y.reshape(2, 4, 4)):
        w = w - 0.1 * (np.clip(2 * np.einsum("abf,ab->af", x, x @ w - y) / 4, -0.9, 0.9) + 0.1 * w).sum(0)
    print("pipeline", np.allclose(session.run("w:0")[:, 0], w, rtol=1e-4))
