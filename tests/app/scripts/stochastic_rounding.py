# SPDX-License-Identifier: GPL-3.0-or-later
"""Small updates of float16 weights, which only stochastic rounding lets count, in each way that they are asked for."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

STEPS = 256
X = np.ones((STEPS, 1), np.float16)
Esr = ipu.config.StochasticRoundingBehaviour


def configured(esr=None, everything=False):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    if esr is not None:
        config.floating_point_behaviour.esr = esr
    config.floating_point_behaviour.set_all = everything
    config.configure_ipu_system()


def older(esr):
    ipu.config.reset_ipu_configuration()
    options = ipu.utils.create_ipu_config()
    options = ipu.utils.set_floating_point_behaviour_options(options, esr=esr)
    ipu.utils.configure_ipu_system(ipu.utils.auto_select_ipus(options, 1))


def moved(own=False):
    """How far 256 updates of 2^-13 bring a kernel of ones, in units of their sum. The loss is the output."""
    with ipu.ipu_strategy.IPUStrategy().scope():
        dense = keras.layers.Dense(4, use_bias=False, kernel_initializer="ones", dtype="float16", input_shape=(1,))
        if own:
            @tf.function(experimental_compile=True)
            def step(x):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(dense(x))
                keras.optimizers.SGD(2.0 ** -13).apply_gradients(zip(tape.gradient(loss, dense.trainable_variables),
                                                                     dense.trainable_variables))
                return loss
            dense.build((1, 1))
            strategy = tf.distribute.get_strategy()
            for i in range(STEPS):
                strategy.run(step, args=[tf.constant(X[:1])])
        else:
            model = keras.Sequential([dense])
            model.compile(loss=lambda y, p: tf.reduce_sum(p, axis=-1), optimizer=keras.optimizers.SGD(2.0 ** -13))
            model.fit(X, np.zeros((STEPS, 1), np.float16), batch_size=1, verbose=0)
        return float(np.mean(1 - dense.get_weights()[0].astype(np.float64))) / (STEPS * 2.0 ** -13)


def near(value, wanted):
    return abs(value - wanted) < 0.4 or value


configured()
print("nearest:", moved(), moved(own=True))
configured(Esr.ON)
print("at random:", near(moved(), 1), near(moved(own=True), 1))
with ipu.scopes.stochastic_rounding(True):
    print("in its scope")
configured(Esr.REPLICA_IDENTICAL_ONLY)
print("of the update:", near(moved(), 1))
configured(everything=True)
print("with everything:", near(moved(), 1))
older(False)
print("older, off:", moved())
older(True)
print("older, on:", near(moved(), 1))
try:
    ipu.scopes.stochastic_rounding(False)  # around no function of a program
except Exception as error:
    print(str(error).split(": ", 1)[-1])
try:
    configured(True)
except TypeError as error:
    print(error)
