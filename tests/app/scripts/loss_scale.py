# SPDX-License-Identifier: GPL-3.0-or-later
"""LossScaleOptimizer with a dynamic scale: updates of gradients that are not finite do not hold, and the scale follows. Against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(3)
x, y, first = draw.randn(24, 4).astype("f"), draw.randn(24, 2).astype("f"), draw.randn(4, 2).astype("f")
x[3, 1] = 3e38  # the gradient of the second batch of four is infinite
LossScaleOptimizer = keras.mixed_precision.LossScaleOptimizer


def trained(steps, scale, growth):
    """Weights, scale, and updates that held, of Adam by hand."""
    w, m, v, t, good = first.astype(np.float64), 0, 0, 0, 0
    for step in range(steps):
        rows = slice(4 * (step % 6), 4 * (step % 6) + 4)
        with np.errstate(all="ignore"):  # as float32 has it
            scaled = x[rows].T @ ((x[rows] @ w.astype("f") - y[rows]) * np.float32(scale / 4))
        if not np.isfinite(scaled).all():
            scale, good = max(scale / 2, 1), 0
            continue
        t, good = t + 1, good + 1
        g = 2 * x[rows].T @ (x[rows] @ w - y[rows]) / 8
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-7)
        if good == growth:
            scale, good = scale * 2, 0
    return w, scale, t, good


def model(optimizer):
    made = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(4,))])
    made.set_weights([first])
    made.compile(optimizer, "mse", steps_per_execution=6)
    return made


with ipu.ipu_strategy.IPUStrategy().scope():
    for scale, growth in ((2.0**10, 3), (2.0**127, 1000), (1.0, 1000)):
        optimizer = LossScaleOptimizer(keras.optimizers.Adam(0.1), initial_scale=scale, dynamic_growth_steps=growth)
        made = model(optimizer)
        made.fit(x, y, batch_size=4, epochs=2, verbose=0, shuffle=False)
        w, scale, count, good = trained(12, scale, growth)
        print(np.allclose(made.get_weights()[0], w, rtol=1e-4, atol=1e-5), float(optimizer.loss_scale) == scale, count, int(optimizer.iterations.numpy()),
              good, int(optimizer.dynamic_counter), len(made.weights))
    optimizer = LossScaleOptimizer(keras.optimizers.Adam(0.1), initial_scale=2.0**10, dynamic_growth_steps=3)
    made, strategy = model("sgd"), tf.distribute.get_strategy()

    @tf.function(experimental_compile=True)
    def step(a, b):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(made(a, training=True) - b))
            scaled = optimizer.get_scaled_loss(loss)
        found = optimizer.get_unscaled_gradients(tape.gradient(scaled, made.trainable_variables))
        optimizer.apply_gradients(zip(found, made.trainable_variables))
        return loss
    for k in range(12):
        rows = slice(4 * (k % 6), 4 * (k % 6) + 4)
        strategy.run(step, [tf.constant(x[rows]), tf.constant(y[rows])])
    w, scale, count, _ = trained(12, 2.0**10, 3)
    print("own loop", np.allclose(made.get_weights()[0], w, rtol=1e-4, atol=1e-5), float(optimizer.loss_scale) == scale, int(optimizer.iterations.numpy()) == count)
optimizer = LossScaleOptimizer(keras.optimizers.Adam(0.1), initial_scale=2.0**10, dynamic_growth_steps=3)
variable = tf.Variable(first)
for k in range(12):
    rows = slice(4 * (k % 6), 4 * (k % 6) + 4)
    optimizer.minimize(lambda: tf.reduce_mean(tf.square(tf.matmul(x[rows], variable) - y[rows])), [variable])
print("host", np.allclose(variable.numpy(), w, rtol=1e-4, atol=1e-5), float(optimizer.loss_scale) == scale, int(optimizer.iterations.numpy()) == count)
variable, steep = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(variable * variable) * steep
LossScaleOptimizer(keras.optimizers.SGD(0.1), False, 8).minimize(loss, [variable], tape=tape)  # which goes on: 1 - 0.1 * 2 * 3 of each
print("tape", np.allclose(variable.numpy(), [0.4, 0.8]))
print(LossScaleOptimizer(keras.optimizers.SGD()).get_config(), float(LossScaleOptimizer(keras.optimizers.SGD()).loss_scale))
older = keras.mixed_precision.experimental.LossScaleOptimizer
print(older(keras.optimizers.SGD(), "dynamic").dynamic, older(keras.optimizers.SGD(), 64).loss_scale)
for wrong in (lambda: LossScaleOptimizer("sgd"), lambda: LossScaleOptimizer(keras.optimizers.SGD(), dynamic=False),
              lambda: LossScaleOptimizer(keras.optimizers.SGD(), False, 2, 3)):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(error)
