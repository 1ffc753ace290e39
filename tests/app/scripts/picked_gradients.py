# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients of what is sorted, picked and put at places, on the device and at once: by hand. An Embedding that says how long its
sequences are is a model's input."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
X, PUT = np.float32([[3, 1, 2], [4, 6, 5]]), np.float32([[10, 20, 30]])
CASES = {
    # 2 v for the largest two of each row, and 1, 2, 3 for what is at those places in order
    "top": (lambda x, put: tf.reduce_sum(tf.nn.top_k(x, 2)[0] ** 2), [[6, 0, 4], [0, 12, 10]], [[0, 0, 0]]),
    "sorted": (lambda x, put: tf.reduce_sum(tf.sort(x, 1) * [1.0, 2.0, 3.0]), [[3, 1, 2], [1, 3, 2]], [[0, 0, 0]]),
    "replaced": (lambda x, put: tf.reduce_sum(tf.tensor_scatter_nd_update(x, [[1]], put) ** 2), [[6, 2, 4], [0, 0, 0]], [[20, 40, 60]]),
    "added": (lambda x, put: tf.reduce_sum(tf.tensor_scatter_nd_add(x, [[0]], put) ** 2), [[26, 42, 64], [8, 12, 10]], [[26, 42, 64]]),
    "put": (lambda x, put: tf.reduce_sum(tf.scatter_nd([[1], [1]], x, [3, 3]) ** 2), [[14, 14, 14], [14, 14, 14]], [[0, 0, 0]]),
}
for name, (function, of_x, of_put) in CASES.items():
    def slopes(x, put):
        with tf.GradientTape() as tape:
            tape.watch([x, put])
            loss = function(x, put) + tf.reduce_sum(put) * 0.0
        return tape.gradient(loss, [x, put])
    for found in (strategy.run(tf.function(slopes), [X, PUT]), slopes(tf.constant(X), tf.constant(PUT))):
        print(name, np.array_equal(found[0].numpy(), of_x), np.array_equal(found[1].numpy(), of_put), end=" ")
print()
model = keras.Sequential([keras.layers.Embedding(5, 2, input_length=3), keras.layers.Flatten(), keras.layers.Dense(1)])
print(model.output_shape, [weight.shape for weight in model.get_weights()])
