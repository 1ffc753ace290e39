# SPDX-License-Identifier: GPL-3.0-or-later
"""Automatic loss scaling: powers of two change no weight, and the factor follows from the rule in its documentation, by hand."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

from keras.ipu.layers import CaptureActivationGradients, CaptureUpstreamGradients
from keras.ipu.optimizers import ALSGradientAccumulationOptimizer, ALSOptimizer

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
random = np.random.default_rng(1)
x = random.normal(size=(64, 6)).astype(np.float32)
y = random.normal(size=(64, 2)).astype(np.float32)
first = [random.normal(size=(6, 2)).astype(np.float32), np.zeros(2, np.float32)]
strategy = ipu.ipu_strategy.IPUStrategy()


def trained(optimizer, steps, dtype="float32", activation=None, around=lambda layer: layer, **options):
    with strategy.scope():
        given = keras.Input((6,), dtype=dtype)
        model = keras.Model(given, around(keras.layers.Dense(2, dtype=dtype, activation=activation))(given))
        model.set_weights(first)
        if options:
            model.set_gradient_accumulation_options(**options)
        model.compile(optimizer, "mse", steps_per_execution=steps)
        model.fit(x[:8 * steps].astype(dtype), y[:8 * steps].astype(dtype), batch_size=8, verbose=0, shuffle=False)
        return model.get_weights()


def state(optimizer):
    return [float(optimizer.loss_scaling_factor), float(optimizer.previous_loss_scaling_factor), int(optimizer.update_counter)]


def same(a, b):
    return all(np.array_equal(one, other) for one, other in zip(a, b))


# Every third step the factor doubles: the counter goes 0, 1, 2, and is due where it is a multiple of 2 above 0.
als = ALSOptimizer(keras.optimizers.SGD(0.1, momentum=0.5), update_frequency=2)
plain = trained(keras.optimizers.SGD(0.1, momentum=0.5), 7)
print("scaled", same(trained(als, 7), plain), not same(plain, first), state(als), als.decrease_factor)

# It stays below its greatest.
als = ALSOptimizer(keras.optimizers.Adam(0.1), update_frequency=1, max_loss_scaling_factor=8)
print("greatest", same(trained(als, 5), trained(keras.optimizers.Adam(0.1), 5)), state(als))

# Gradients of float16 that are all beyond the edge halve it, down to 1; three steps of 16.
als = ALSOptimizer(keras.optimizers.SGD(0.125), update_frequency=1, initial_loss_scaling_factor=16, histogram_bin_edge=1e-6)
print("beyond", same(trained(als, 3, "float16"), trained(keras.optimizers.SGD(0.125), 3, "float16")), state(als))
trained(als, 4, "float16")
print("least", state(als))

# With statistics over a period all 14 gradients of each of two steps are counted; else those of every third step, which is none.
for over_all in (True, False):
    als = ALSOptimizer(keras.optimizers.SGD(0.125), update_frequency=2, accumulate_statistics_over_update_period=over_all,
                       lpf_alpha=0.0)
    trained(als, 2, "float16")
    print("counted", als.histogram.numpy().tolist(), als.normalized_histogram.numpy().tolist())

# Gradients of activations, of 8 x 2 numbers in each of two steps, are counted where the layer says so.
for around in (CaptureActivationGradients, CaptureUpstreamGradients):
    als = ALSOptimizer(keras.optimizers.SGD(0.125), update_frequency=2, captured_grads_only=True)
    print("captured", same(trained(als, 2, "float16", "tanh", around),
                           trained(keras.optimizers.SGD(0.125), 2, "float16", "tanh")), als.histogram.numpy().tolist())
try:
    CaptureActivationGradients(keras.layers.Dense(2, name="plain"))
except ValueError as error:
    print(error)

# Accumulated gradients, by Keras' options and by an optimiser around it.
als = ALSOptimizer(keras.optimizers.SGD(0.1), update_frequency=2)
print("options", same(trained(als, 6, gradient_accumulation_steps_per_replica=2),
                      trained(keras.optimizers.SGD(0.1), 6, gradient_accumulation_steps_per_replica=2)), state(als))


def looped(optimizer, steps):
    with strategy.scope():
        layer = keras.layers.Dense(2)
        layer.build([None, 6])
        layer.set_weights(first)

        @tf.function(jit_compile=True)
        def step(a, b, _):
            loss = tf.reduce_sum(tf.square(layer(a) - b))
            of_weights = optimizer.get_gradients(loss, layer.trainable_variables)
            optimizer.apply_gradients(zip(of_weights, layer.trainable_variables))
            return a, b, loss

        @tf.function(jit_compile=True)
        def loop(a, b):
            return ipu.loops.repeat(steps, step, inputs=[a, b, 0.0])[2]

        strategy.run(loop, args=[x[:8], y[:8]])
        return layer.get_weights()


def by_hand(steps, count):
    """Sums of squares, descended by 0.01, after each `count` steps."""
    kernel, bias = (each.astype(np.float64) for each in first)
    for _ in range(steps // count):
        error = 2 * (x[:8] @ kernel + bias - y[:8])
        kernel, bias = kernel - 0.01 * count * x[:8].T @ error, bias - 0.01 * count * error.sum(0)
    return kernel, bias


als = ALSOptimizer(keras.optimizers.SGD(0.01), update_frequency=1)
print("loop", all(np.allclose(a, b, atol=1e-5) for a, b in zip(looped(als, 4), by_hand(4, 1))), state(als))
als = ALSOptimizer(keras.optimizers.SGD(0.01), update_frequency=1)
both = ALSGradientAccumulationOptimizer(als, num_mini_batches=2)
print("accumulated", all(np.allclose(a, b, atol=1e-5) for a, b in zip(looped(both, 4), by_hand(4, 2))), state(als),
      float(both.loss_scaling_factor))

for wrong in ({"increase_factor": 3}, {"ratio_threshold": 0}, {"update_frequency": 0}, {"initial_loss_scaling_factor": 2**14}):
    try:
        ALSOptimizer(keras.optimizers.SGD(0.1), **wrong)
    except ValueError as error:
        print(error)
