# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients of micro-batches and replicas are clipped once they are together, in Keras and in steps of one's own, against NumPy."""
import numpy as np
import tensorflow as tf
from clipping_by_hand import clipped
from tensorflow import keras
from tensorflow.python import ipu

X = np.random.default_rng(0).normal(size=(64, 3)).astype(np.float32)
Y = X @ np.ones((3, 2), np.float32) * 5
RATE, BATCH = 0.1, 4
FIRST = np.random.default_rng(1).normal(size=(3, 3)).astype(np.float32)
LAST = np.random.default_rng(2).normal(size=(3, 2)).astype(np.float32)


def by_hand(together, mean=1, **clipping):
    """Updates of so many batches each; `mean`: over how many of them the gradients' mean is taken."""
    a, b = FIRST.astype(np.float64), LAST.astype(np.float64)
    for begin in range(0, len(X), together * BATCH):
        x, y = (each[begin:begin + together * BATCH] for each in (X, Y))
        error = 2 * (x @ a @ b - y) / (BATCH * 2)
        gradients = [x.T @ error @ b.T / mean, (x @ a).T @ error / mean]
        gradients = clipped(gradients, **clipping)
        a, b = (value - RATE * gradient for value, gradient in zip((a, b), gradients))
    return a, b


def configure(ipus):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def model():
    return keras.Sequential([
        keras.layers.Dense(3, use_bias=False, kernel_initializer=lambda shape, dtype=None: tf.constant(FIRST), input_shape=(3,)),
        keras.layers.Dense(2, use_bias=False, kernel_initializer=lambda shape, dtype=None: tf.constant(LAST))])


def fitted(ipus, settings, prepare):
    configure(ipus)
    with ipu.ipu_strategy.IPUStrategy().scope():
        made = model()
        prepare(made)
        made.compile(keras.optimizers.SGD(RATE, **settings), "mse", steps_per_execution=4)
        made.fit(X, Y, batch_size=BATCH, shuffle=False, verbose=0)
    return made.get_weights()


def same(found, wanted):
    return all(np.allclose(each, value, rtol=1e-4, atol=1e-5) for each, value in zip(found, wanted))


def accumulated(method):
    return lambda made: made.set_gradient_accumulation_options(4, gradient_accumulation_reduction_method=method)


def piped(made):
    made.set_pipeline_stage_assignment([0, 1])
    made.set_pipelining_options(gradient_accumulation_steps_per_replica=4)


def stepped(settings):
    """A loop of the script's own on two replicas."""
    configure(2)
    with ipu.ipu_strategy.IPUStrategy().scope():
        made, optimizer = model(), keras.optimizers.SGD(RATE, **settings)

        @tf.function
        def train(iterator):
            for _ in tf.range(8):
                x, y = next(iterator)
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(made(x) - y))
                optimizer.apply_gradients(zip(tape.gradient(loss, made.trainable_variables), made.trainable_variables))

        data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH, drop_remainder=True)
        ipu.ipu_strategy.IPUStrategy().run(train, args=[iter(data)])
    return made.get_weights()


for settings in ({"clipvalue": 0.5}, {"clipnorm": 0.7}, {"global_clipnorm": 0.9}, {"clipvalue": 2.0, "clipnorm": 3.0}):
    print(*settings, same(fitted(1, settings, accumulated("sum")), by_hand(4, **settings)),
          same(fitted(1, settings, accumulated("mean")), by_hand(4, 4, **settings)),
          same(fitted(2, settings, lambda made: None), by_hand(2, **settings)),
          same(fitted(2, settings, accumulated("sum")), by_hand(8, **settings)),
          same(fitted(2, settings, piped), by_hand(4, **settings)), same(stepped(settings), by_hand(2, **settings)))
