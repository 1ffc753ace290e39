# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimisers of the script's own that say what an update does: of TensorFlow 1 and of Keras, by assignments, by TensorFlow's own update
operations, and by handing other gradients on. Against NumPy."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.training import training_ops

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(3)
x, y = draw.randn(12, 4).astype("f"), draw.randn(12, 2).astype("f")
first = draw.randn(4, 2).astype("f")


def gradient_of(w, a=x, b=y):
    return 2 * a.T @ (a @ w - b) / b.size


class Signs(tf1.train.GradientDescentOptimizer):
    """Goes a step of one length."""

    def _resource_apply_dense(self, grad, var):
        return var.assign_sub(self._learning_rate_tensor * tf.sign(grad))


class Heavy(tf1.train.MomentumOptimizer):
    """Momentum by hand, in the slot of its base."""

    def _resource_apply_dense(self, grad, var):
        moved = self.get_slot(var, "momentum").assign(self._momentum_tensor * self.get_slot(var, "momentum") + grad)
        return var.assign(var - self._learning_rate_tensor * moved)


class Layerwise(tf1.train.Optimizer):
    """Rates by the norms of a variable and its gradient."""

    def __init__(self, rate, momentum):
        super().__init__(False, "Layerwise")
        self.rate, self.momentum = rate, momentum

    def _create_slots(self, var_list):
        for each in var_list:
            self._zeros_slot(each, "momentum", self._name)

    def _resource_apply_dense(self, grad, var):
        ratio = tf.norm(var) / (tf.norm(grad) + 1e-6)
        return training_ops.resource_apply_momentum(var.handle, self.get_slot(var, "momentum").handle, tf.cast(1.0, var.dtype.base_dtype),
                                                    grad * ratio * self.rate, self.momentum, use_nesterov=False)


def trained(optimizer, steps=3):
    """A kernel after some steps of a loop in TensorFlow 1."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        def body(loss):
            with tf1.variable_scope("", reuse=tf1.AUTO_REUSE, use_resource=True):
                w = tf1.get_variable("w", [4, 2], initializer=tf1.constant_initializer(first))
            loss = tf.reduce_mean(tf.square(tf.matmul(tf.constant(x), w) - y))
            return loss, optimizer.minimize(loss)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(steps, body, [tf.constant(0.0)]))
        session.run(tf1.global_variables_initializer())
        session.run(run)
        return session.run(tf1.global_variables()[0])


def by_numpy(step, steps=3):
    w, state = first.copy(), np.zeros_like(first)
    for _ in range(steps):
        w, state = step(w, gradient_of(w), state)
    return w


def momentum(rate, weight=lambda w, g: 1.0):
    def step(w, g, m):
        m = 0.9 * m + g * weight(w, g)
        return w - rate * m, m
    return step


graph = tf.Graph()
found = [trained(Signs(0.1)), trained(Heavy(0.05, 0.9)), trained(Layerwise(0.05, 0.9))]
wanted = [by_numpy(lambda w, g, m: (w - 0.1 * np.sign(g), m)), by_numpy(momentum(0.05)),
          by_numpy(momentum(1.0, lambda w, g: 0.05 * np.linalg.norm(w) / (np.linalg.norm(g) + 1e-6)))]
print("TensorFlow 1", [bool(np.allclose(a, b, rtol=1e-4, atol=1e-5)) for a, b in zip(found, wanted)])


class Decayed(keras.optimizers.SGD):
    """The base's update by a gradient with a part of the weights."""

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(grad + 0.1 * var, var, apply_state)


class Adaptive(keras.optimizers.Optimizer):
    """Adam by hand, with what Keras keeps for it."""

    def __init__(self, learning_rate=0.01, name="Adaptive", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("beta", tf.convert_to_tensor(0.9))

    def _create_slots(self, var_list):
        for each in var_list:
            self.add_slot(each, "mean")
            self.add_slot(each, "square", initializer="zeros")

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[(var_device, var_dtype)]["beta"] = tf.cast(self._get_hyper("beta"), var_dtype)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        state = (apply_state or {}).get((var.device, var.dtype.base_dtype)) or self._fallback_apply_state(var.device, var.dtype.base_dtype)
        step = tf.cast(self.iterations + 1, var.dtype)
        m = self.get_slot(var, "mean")
        v = self.get_slot(var, "square")
        m_now = m.assign(state["beta"] * m + (1.0 - state["beta"]) * grad)
        v_now = v.assign(0.99 * v + 0.01 * tf.square(grad))
        along = (m_now / (1.0 - tf.pow(0.9, step))) / (tf.sqrt(v_now / (1.0 - tf.pow(0.99, step))) + 1e-7)
        return var.assign_sub(state["lr_t"] * along)


def adaptive(steps=3):
    w, m, v = first.copy(), 0.0, 0.0
    for t in range(1, steps + 1):
        g = gradient_of(w)
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        w = w - 0.01 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.99 ** t)) + 1e-7)
    return w


def model(optimizer):
    made = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(4,))])
    made.set_weights([first])
    made.compile(optimizer, "mse")
    return made


with ipu.ipu_strategy.IPUStrategy().scope():
    kept = [by_numpy(lambda w, g, m: (w - 0.05 * (g + 0.1 * w), m)), adaptive()]
    made = [model(Decayed(0.05)), model(Adaptive())]
    for each in made:
        each.fit(x, y, batch_size=12, epochs=3, verbose=0)
    print("Keras", [bool(np.allclose(each.get_weights()[0], b, rtol=1e-3, atol=1e-5)) for each, b in zip(made, kept)],
          [int(each.optimizer.iterations.numpy()) for each in made], [len(each.weights) for each in made])
    strategy = tf.distribute.get_strategy()
    for optimizer, b in ((Decayed(0.05), kept[0]), (Adaptive(), kept[1])):
        net = model("sgd")

        @tf.function(experimental_compile=True)
        def step(a, labels):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(net(a, training=True) - labels))
            optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
            return loss
        for _ in range(3):
            strategy.run(step, args=[tf.constant(x), tf.constant(y)])
        print("own loop", np.allclose(net.get_weights()[0], b, rtol=1e-3, atol=1e-5), int(optimizer.iterations.numpy()))
    plain = model("sgd")

    @tf.function(experimental_compile=True)
    def by_hand(a, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(plain(a) - labels))
        for gradient, variable in zip(tape.gradient(loss, plain.trainable_variables), plain.trainable_variables):
            variable.assign_sub(0.05 * gradient)
        return loss
    losses = [float(strategy.run(by_hand, args=[tf.constant(x), tf.constant(y)])) for _ in range(3)]
    print("by hand", np.allclose(plain.get_weights()[0], by_numpy(lambda w, g, m: (w - 0.05 * g, m)), rtol=1e-4), losses[2] < losses[0])
    accumulating = model(Decayed(0.05))
    accumulating.compile(accumulating.optimizer, "mse", steps_per_execution=2)
    accumulating.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=2)
    accumulating.fit(x, y, batch_size=6, verbose=0)  # the sum of the gradients of two halves
    print("accumulated", np.allclose(accumulating.get_weights()[0], by_numpy(lambda w, g, m: (w - 0.05 * (2 * g + 0.1 * w), m), 1), rtol=1e-4))
w = tf.Variable(first)
host = Decayed(0.05)
for _ in range(3):
    host.apply_gradients([(tf.constant(gradient_of(w.numpy())), w)])
print("host", np.allclose(w.numpy(), kept[0], rtol=1e-4))
scaled = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.05), dynamic=False, initial_scale=128)
with ipu.ipu_strategy.IPUStrategy().scope():
    made = model(scaled)
    made.fit(x, y, batch_size=12, epochs=3, verbose=0)
    print("scaled", np.allclose(made.get_weights()[0], by_numpy(lambda w, g, m: (w - 0.05 * g, m)), rtol=1e-4), scaled.loss_scale,
          float(scaled.get_scaled_loss(tf.constant(2.0))), [float(each) for each in scaled.get_unscaled_gradients([tf.constant(256.0)])])


class Grouped(keras.optimizers.Optimizer):
    """An update whose operations are handed back as one."""

    def __init__(self):
        super().__init__("Grouped")
        self._set_hyper("learning_rate", 0.05)

    def _create_slots(self, var_list):
        for each in var_list:
            self.add_slot(each, "last")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return tf.group(self.get_slot(var, "last").assign(grad), var.assign_sub(0.05 * grad))


class Counting(keras.optimizers.SGD):
    """Says how many times gradients are made for an update."""

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        update = super().minimize(loss, var_list, grad_loss, name, tape)
        print("made", sum(op.type == "gradients" for op in tf1.get_default_graph().get_operations()))
        return update


with ipu.ipu_strategy.IPUStrategy().scope():
    for optimizer in (Grouped(), Counting(0.05)):
        made = model(optimizer)
        made.fit(x, y, batch_size=12, epochs=3, verbose=0)
        print(type(optimizer).__name__, np.allclose(made.get_weights()[0], by_numpy(lambda w, g, m: (w - 0.05 * g, m)), rtol=1e-4),
              int(optimizer.iterations.numpy()))
with tf.Graph().as_default() as around:
    w = tf1.get_variable("w", initializer=tf.constant(first))
    Signs(0.1).minimize(tf.reduce_sum(w * w))
    print("made", sum(op.type == "gradients" for op in around.get_operations()))
odd = type("Odd", (keras.optimizers.SGD,), {"_compute_gradients": lambda self, *args: None})
try:
    model(odd(0.1)).fit(x, y, batch_size=12, verbose=0)
except Exception as error:
    print(str(error).split(";")[0])


class Later(keras.optimizers.schedules.LearningRateSchedule):
    """A rate by whole numbers of updates."""

    def __call__(self, step):
        return 0.01 * tf.cast(step + 1, tf.float32)


with ipu.ipu_strategy.IPUStrategy().scope():
    made = model(keras.optimizers.SGD(Later()))
    made.fit(x, y, batch_size=12, epochs=2, verbose=0)
    w = first - 0.01 * gradient_of(first)
    print("schedule", np.allclose(made.get_weights()[0], w - 0.02 * gradient_of(w), rtol=1e-4))
