# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops over tf.range in functions under IPUStrategy.run: what a step hands on to the next one is as in Python."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
X = np.random.RandomState(0).rand(40, 3).astype(np.float32)
Y = X.sum(1, keepdims=True)
strategy = ipu.ipu_strategy.IPUStrategy()


def run(function, *values):
    return strategy.run(tf.function(function, jit_compile=True), args=[tf.constant(each) for each in values])


def apply_gradients(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(keras.losses.mean_squared_error(y, model(x, training=True)))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


@tf.function(jit_compile=True)
def train(iterator, steps):
    total, least = 0.0, tf.constant(1e9)
    for i in tf.range(steps):
        x, y = next(iterator)
        loss = apply_gradients(x, y)
        total += loss
        least = tf.minimum(least, loss)
        count.assign_add(tf.cast(i, tf.float32))
    return total / tf.cast(steps, tf.float32), least, loss


with strategy.scope():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4, drop_remainder=True).repeat()
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,), kernel_initializer="zeros")])
    optimizer, count, iterator = keras.optimizers.SGD(0.1, momentum=0.9), tf.Variable(0.0), iter(data)
    found = [[float(each) for each in strategy.run(train, args=(iterator, 5))] for _ in range(2)]
    optimizer.learning_rate = 0.01
    found.append([float(each) for each in strategy.run(train, args=(iterator, 5))])
w, velocity, losses = np.zeros(4), np.zeros(4), []
for step in range(15):
    a, y = np.concatenate([X, np.ones((40, 1))], 1)[step % 10 * 4:][:4], Y[step % 10 * 4:][:4, 0]
    error = a @ w - y
    losses.append((error ** 2).mean())
    velocity = 0.9 * velocity - (0.1 if step < 10 else 0.01) * 2 * a.T @ error / 4
    w = w + velocity
wanted = [[np.mean(losses[at:at + 5]), min(losses[at:at + 5]), losses[at + 4]] for at in (0, 5, 10)]
print("trained", np.allclose(found, wanted, rtol=1e-4), np.allclose(np.ravel(model.get_weights()[0]), w[:3], rtol=1e-4), float(count))


def doubled(x):
    for _ in tf.range(3):
        x = x * 2.0
        other.assign(x)
        x = x + other
    return x


def backwards(x):
    i = 5.0
    for i in tf.range(10, 0, -3):
        x = x * 10.0 + tf.cast(i, tf.float32)
    return x, i


def within(x):
    for _ in tf.range(2):
        for j in tf.range(1, 7, 2):
            x = x * 2.0 + tf.cast(j, tf.float32)
    return x, [tf.cast(k, tf.float32) for k in tf.range(3)]


def nested(x):
    s = {"a": x, "b": (x, x * 2.0)}
    for _ in tf.range(3):
        s = {"a": s["a"] + s["b"][0], "b": (s["b"][1], s["a"])}
    return s


def places(x, rows):
    total = tf.zeros([2])
    for i in tf.range(tf.shape(rows)[0]):
        total += rows[i] * tf.cast(i, tf.float32) + x[i % 2] + rows[..., i % 2][i]
    return total


def short(x):
    for _ in tf.range(1):
        x = x * 10.0
    for _ in tf.range(0):
        x = x * 0.0
    return x


x, other = np.array([1, 2], np.float32), tf.Variable([0.0, 0.0])
print(run(doubled, x).numpy(), other.numpy(), [np.asarray(each).tolist() for each in run(backwards, x)])
print([np.asarray(each).tolist() for each in tf.nest.flatten(run(within, x))], [each.numpy().tolist() for each in tf.nest.flatten(run(nested, x))])
rows = np.arange(6, dtype=np.float32).reshape(3, 2)
print(run(places, x, rows).numpy(), sum(rows[i] * i + x[i % 2] + rows[:, i % 2][i] for i in range(3)), run(short, x).numpy())


def listed(x):
    made = []
    for _ in tf.range(4):
        made.append(x * 2.0)
    return made[-1]


def reshaped(x):
    for _ in tf.range(4):
        x = tf.reduce_sum(x)
    return x


def beside(x):
    for _ in tf.range(4):
        x = x + 1.0
    other.assign(x)
    return x


for wrong in (listed, reshaped):
    try:
        run(wrong, x)
    except Exception as error:
        print(type(error).__name__, error)
print(run(beside, x).numpy(), other.numpy())
print(run(lambda x: ipu.loops.repeat(3, lambda v: v + other.assign_add([1.0, 1.0]), [x]), x).numpy(), other.numpy())
