# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of TensorFlow 2 under IPUStrategy.run: a training loop of one's own, against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.linspace(-1, 1, 40 * 3, dtype=np.float32).reshape(40, 3)
y = x @ np.array([[1], [-2], [3]], np.float32)
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4, drop_remainder=True).repeat()
strategy = ipu.ipu_strategy.IPUStrategy()
outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()


@tf.function(jit_compile=True)
def train(iterator, steps):
    for _ in tf.range(steps):
        a, b = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(a, training=True) - b))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        outfeed.enqueue(loss)


@tf.function
def count(by):
    counter.assign_add(by)
    return counter * 2.0


with strategy.scope():
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(3,))])
    model.set_weights([np.full((3, 1), 0.25, np.float32)])
    optimizer = keras.optimizers.SGD(0.1)
    iterator = iter(data)
    strategy.run(train, args=[iterator, 10])
    strategy.run(train, args=[iterator, 10])
    losses = outfeed.dequeue()
    counter = tf.Variable(1.0)
    print([float(strategy.run(count, [tf.constant(2.0)])) for _ in range(3)], counter.numpy())

weights, wanted = np.full((3, 1), 0.25, np.float32), []
for step in range(20):
    a, b = x[step % 10 * 4:][:4], y[step % 10 * 4:][:4]
    wanted.append(((a @ weights - b) ** 2).mean())
    weights = weights - 0.1 * 2 * a.T @ (a @ weights - b) / 4
print(losses.shape, np.allclose(losses, wanted, rtol=1e-4), np.allclose(model.get_weights()[0], weights, rtol=1e-4))

# On the host, at once.
print(tf.reduce_sum(tf.constant([[1.0, 2.0], [3.0, 4.0]]), axis=1).numpy(), tf.cast([1.7, -1.7], tf.int32).numpy(),
      tf.one_hot([0, 2], 3).numpy().tolist())
print(float(tf.Variable(2.5)), int(tf.Variable(3)), bool(tf.Variable(0.0)), bool(tf.Variable(1)))
