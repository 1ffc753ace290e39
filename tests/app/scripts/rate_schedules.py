# SPDX-License-Identifier: GPL-3.0-or-later
# Rates that programs compute: schedules of the script's own, with accumulated gradients and replicas, and Keras' that begin
# again; optimisers by the greatest moment and by the variance. All by hand.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu


class Warmup(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, step):
        return self.rate * tf.minimum((step + 1.0) / 4.0, 1.0)


x, y = np.ones((16, 1), np.float32), np.zeros((16, 1), np.float32)
schedules = keras.optimizers.schedules
for replicas, accumulation in ((1, 1), (1, 2), (2, 1), (2, 2)):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = replicas
    config.configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        for rate in (Warmup(0.08), schedules.CosineDecayRestarts(0.08, 2, m_mul=0.5, alpha=0.25),
                     schedules.PolynomialDecay(0.08, 2, 0.02, cycle=True)):
            model = keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", input_shape=(1,))])
            model.compile(keras.optimizers.SGD(rate), "mse", steps_per_execution=accumulation)
            model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=accumulation)
            for _ in range(2):  # of four updates each
                model.fit(x[:4 * replicas * accumulation], y[:4 * replicas * accumulation], batch_size=1, verbose=0)
            weight = np.prod([1 - 2 * replicas * accumulation * float(rate(step)) for step in range(8)])
            print(bool(np.isclose(model.get_weights()[0], weight, rtol=1e-4)), model.optimizer.iterations.numpy(),
                  len(model.programs), end=" ")
    print()
print([round(float(schedules.CosineDecayRestarts(1.0, 2, m_mul=0.5)(step)), 6) for step in (0, 1, 2, 4, 6)])


def path(optimizer):
    variable = tf.Variable(1.0)
    for _ in range(6):
        with tf.GradientTape() as tape:
            loss = variable * variable
        optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
    return variable.numpy()


def adam(amsgrad):
    w, m, v, most = 1.0, 0.0, 0.0, 0.0
    for k in range(1, 7):
        m, v = 0.9 * m + 0.1 * 2 * w, 0.5 * v + 0.5 * (2 * w)**2
        most = max(most, v)
        w -= 0.1 * np.sqrt(1 - 0.5**k) / (1 - 0.9**k) * m / (np.sqrt(most if amsgrad else v) + 1e-7)
    return w


def rmsprop(momentum):
    w, s, mean, step = 1.0, 0.0, 0.0, 0.0
    for _ in range(6):
        s, mean = 0.9 * s + 0.1 * (2 * w)**2, 0.9 * mean + 0.1 * 2 * w
        step = momentum * step + 0.01 * 2 * w / (np.sqrt(s - mean**2) + 1e-7)
        w -= step
    return w


for amsgrad in (False, True):
    print(bool(np.isclose(path(keras.optimizers.Adam(0.1, beta_2=0.5, amsgrad=amsgrad)), adam(amsgrad))), end=" ")
for momentum in (0.0, 0.5):
    print(bool(np.isclose(path(keras.optimizers.RMSprop(0.01, momentum=momentum, centered=True)), rmsprop(momentum))), end=" ")
print()
