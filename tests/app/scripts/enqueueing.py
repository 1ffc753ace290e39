# SPDX-License-Identifier: GPL-3.0-or-later
"""What functions take from around them, what layers enqueue, and the states of recurrent layers."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()


class Enqueue(keras.layers.Layer):
    def call(self, inputs):
        if not tf.compat.v1.get_default_graph().name.endswith("_scratch_graph"):
            queue.enqueue({"seen": inputs})
        return inputs


x = np.arange(12, dtype=np.float32).reshape(6, 2)
with ipu.ipu_strategy.IPUStrategy().scope():
    ends = keras.Input((2,))
    doubled = keras.layers.Dense(2, use_bias=False, kernel_initializer=keras.initializers.Identity(2.0), trainable=False)(ends)
    model = keras.Model(ends, keras.layers.Dense(1)(Enqueue()(doubled)))
    model.compile("sgd", "mse", steps_per_execution=3)
    model.fit(x, np.zeros((6, 1), np.float32), batch_size=2, shuffle=False, verbose=0)
seen = queue.dequeue()["seen"].numpy()
print(seen.shape, np.array_equal(seen.reshape(6, 2), 2 * x))

with tf.Graph().as_default():
    data = tf.data.Dataset.from_tensor_slices(np.arange(4, dtype=np.float32)).repeat().batch(2, drop_remainder=True)
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data)
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    with tf.device("cpu"):
        factor = tf.compat.v1.placeholder(np.float32, [])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        loop = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(2, lambda v: outfeed.enqueue(v * factor), [], infeed))

    def states_of(s):
        outputs, state = ipu.rnn_ops.PopnnLSTM(5)(s)
        return outputs[-1], state.h, state.c

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        compiled = ipu.ipu_compiler.compile(states_of, [tf.constant(np.ones((3, 2, 4), np.float32))])
    dequeued = outfeed.dequeue()
    with tf.compat.v1.Session() as session:
        session.run([infeed.initializer, tf.compat.v1.global_variables_initializer()])
        session.run(loop, {factor: 3.0})
        print(session.run(dequeued).ravel().tolist())
        last, h, c = session.run(compiled)
        print(np.allclose(last, h), h.shape, bool(np.any(h != c)))


class Ramp(keras.initializers.Initializer):
    """Counts up; it calls no __init__ of Keras'."""

    def __init__(self, step):
        self.step = step

    def __call__(self, shape, dtype=None, **unused):
        return tf.constant(self.step * np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


# First values by a class and a function of the script's own, in a model, and in a graph after one step of training.
model = keras.Sequential([keras.layers.Dense(2, kernel_initializer=Ramp(0.5), input_shape=(2,), bias_initializer=lambda shape,
                                             dtype=None: np.full(shape, 7.0, np.float32))])
print([w.tolist() for w in model.get_weights()], model.predict(np.float32([[1, 1]])).tolist())
with tf.Graph().as_default():
    def trained(s):
        loss = tf.reduce_sum(keras.layers.Dense(1, use_bias=False, kernel_initializer=Ramp(2.0), name="ramp")(s))
        return loss, tf.compat.v1.train.GradientDescentOptimizer(1.0).minimize(loss)

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        compiled = ipu.ipu_compiler.compile(trained, [tf.constant(np.float32([[1, 1]]))])
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        print([float(session.run(compiled)[0]) for _ in range(2)])  # (0 + 2), then each weight less by 1


class Doubling(tf.compat.v1.train.Optimizer):
    """Updates by twice the gradients of the optimiser that it wraps."""

    def __init__(self, inner):
        super().__init__(False, "Doubling")
        self.inner = inner

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return [(2.0 * gradient, variable) for gradient, variable in self.inner.compute_gradients(loss, var_list, **kwargs)]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return self.inner.apply_gradients(grads_and_vars, global_step, name)


# Optimisers of the script's own in Keras' compile(): (x w)^2 by w is 2 x (x w), 6 and 12 for x = (1, 2).
moved, plain = [], tf.compat.v1.train.GradientDescentOptimizer(0.01)
with ipu.ipu_strategy.IPUStrategy().scope():
    for optimizer in (plain, Doubling(plain), ipu.optimizers.MapGradientOptimizer(plain, lambda gradient, variable: 3.0 * gradient)):
        model = keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", input_shape=(2,))])
        model.compile(optimizer, "mse")
        history = model.fit(np.float32([[1, 2]] * 2), np.zeros((2, 1), np.float32), batch_size=2, verbose=0)
        moved.append([round(float(w), 4) for w in 1 - model.get_weights()[0].ravel()])
print(moved, history.history["loss"])
