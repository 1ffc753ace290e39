# SPDX-License-Identifier: GPL-3.0-or-later
"""LossScaleOptimizer with a dynamic scale, of accumulated gradients and of replicas: an update holds where the gradients of all micro-batches
are finite. Against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu


def configure(ipus):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


draw = np.random.RandomState(3)
x, y, first = draw.randn(24, 4).astype("f"), draw.randn(24, 2).astype("f"), draw.randn(4, 2).astype("f")
x[7, 1] = 3e38
LossScaleOptimizer = keras.mixed_precision.LossScaleOptimizer
BATCH = 2


def trained(batches, scale, growth, rate=0.05):
    """Of gradients that are summed over so many batches of two samples; SGD with momentum by hand."""
    w, v, t, good = first.astype(np.float64), 0, 0, 0
    for step in range(24 // BATCH // batches):
        g, finite = 0, True
        for k in range(batches):
            rows = slice(BATCH * (step * batches + k), BATCH * (step * batches + k) + BATCH)
            with np.errstate(all="ignore"):
                scaled = x[rows].T @ ((x[rows] @ w.astype("f") - y[rows]) * np.float32(scale / BATCH))
            finite = finite and np.isfinite(scaled).all()
            g = g + 2 * x[rows].astype(float).T @ (x[rows] @ w - y[rows]) / (2 * BATCH)
        if not finite:
            scale, good = max(scale / 2, 1), 0
            continue
        t, good = t + 1, good + 1
        v = 0.5 * v - rate * g
        w = w + v
        if good == growth:
            scale, good = scale * 2, 0
    return w, scale, t, good


strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    for replicas, accumulation in ((2, 1), (1, 2), (2, 2), (2, 3)):
        configure(replicas)
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.05, momentum=0.5), initial_scale=2.0**10, dynamic_growth_steps=2)
        made = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(4,))])
        made.set_weights([first])
        made.compile(optimizer, "mse", steps_per_execution=12 // replicas)
        if accumulation > 1:
            made.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=accumulation)
        made.fit(x, y, batch_size=BATCH, epochs=1, verbose=0, shuffle=False)
        w, scale, count, good = trained(replicas * accumulation, 2.0**10, 2)
        print(replicas, accumulation, np.allclose(made.get_weights()[0], w, rtol=1e-4, atol=1e-5), float(optimizer.loss_scale) == scale, count,
              int(optimizer.iterations.numpy()), good, int(optimizer.dynamic_counter))
    configure(2)
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.05, momentum=0.5), initial_scale=2.0**10, dynamic_growth_steps=2)
    made = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(4,))])
    made.set_weights([first])
    iterator = iter(tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True))

    @tf.function(experimental_compile=True)
    def steps(iterator):
        for _ in tf.range(6):
            a, b = next(iterator)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(made(a, training=True) - b))
                scaled = optimizer.get_scaled_loss(loss)
            found = optimizer.get_unscaled_gradients(tape.gradient(scaled, made.trainable_variables))
            optimizer.apply_gradients(zip(found, made.trainable_variables))
    strategy.run(steps, [iterator])
    w, scale, count, good = trained(2, 2.0**10, 2)
    print("own loop", np.allclose(made.get_weights()[0], w, rtol=1e-4, atol=1e-5), float(optimizer.loss_scale) == scale, count, int(optimizer.iterations.numpy()))
