# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that scripts of TensorFlow 2 commonly have, against NumPy and by hand."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

x = np.random.default_rng(1).normal(size=(3, 5)).astype(np.float32)
same = lambda a, b: np.allclose(a, b, atol=1e-5)
print(same(tf.tan(x), np.tan(x)), same(tf.sinh(x), np.sinh(x)), same(tf.cosh(x), np.cosh(x)))
print([same(tf.math.cumprod(x, axis), np.cumprod(x, axis)) for axis in (0, 1, -1)], tf.math.cumprod([2, 3, 4, 5, 6]).numpy().tolist(),
      tf.math.cumprod([2.0, 3, 4], exclusive=True).numpy().tolist(), tf.math.cumprod([2.0, 3, 4], reverse=True).numpy().tolist(),
      tf.math.cumprod([2.0, 3, 4], exclusive=True, reverse=True).numpy().tolist())
print([same(tf.linalg.band_part(x, low, up), np.triu(np.tril(x, up if up >= 0 else 9), -low if low >= 0 else -9))
       for low, up in ((0, 0), (1, 0), (-1, 0), (0, -1), (1, 2))])
counted = tf.math.count_nonzero([[0, 1, 2], [0, 0, 3]], axis=0)
print(counted.numpy().tolist(), counted.dtype.name)
with tf.GradientTape() as tape:
    v = tf.Variable([2.0, 3.0, 4.0])
    product = tf.reduce_sum(tf.math.cumprod(v))
print(tape.gradient(product, v).numpy().tolist())
print(tf.config.list_physical_devices("GPU"), tf.config.list_physical_devices())


class Inner(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.ones((3, 2)), name="w")
        self.b = tf.Variable([0.5, -0.5], trainable=False, name="b")

    @tf.Module.with_name_scope
    def __call__(self, x):
        return x @ self.w + self.b


class Outer(tf.Module):
    def __init__(self):
        super().__init__(name="whole")
        self.parts, self.last = [Inner(), Inner()], Inner()


outer = Outer()
print(outer.name, outer.last.name, len(outer.variables), len(outer.trainable_variables), [each.name for each in Inner().variables],
      len(outer.submodules), outer.last(tf.ones((1, 3))).numpy().tolist())


class Batches(keras.utils.Sequence):
    ended = 0

    def __init__(self, size=4):
        self.size = size
        self.x = np.arange(24, dtype=np.float64).reshape(12, 2) / 24
        self.y = self.x.sum(1, keepdims=True)

    def __len__(self):
        return -(-12 // self.size)

    def __getitem__(self, index):
        chosen = slice(index * self.size, (index + 1) * self.size)
        return self.x[chosen], self.y[chosen]

    def on_epoch_end(self):
        self.ended += 1


def trained(batches, *rest, **more):
    model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(2,))])
    model.compile(keras.optimizers.SGD(0.5), "mse")
    return model.fit(batches, *rest, epochs=3, verbose=0, shuffle=False, **more).history["loss"], model


def by_hand(x, y, size):
    """The losses of three epochs of SGD with a rate of 0.5."""
    w, b, losses = np.zeros((2, 1)), 0.0, []
    for _ in range(3):
        total = 0.0
        for first in range(0, 12, size):
            part, apart = x[first:first + size], x[first:first + size] @ w + b - y[first:first + size]
            total += (apart ** 2).sum()
            w, b = w - 0.5 * 2 * part.T @ apart / len(part), b - 0.5 * 2 * apart.mean()
        losses.append(total / 12)
    return losses


batches = Batches()
print(np.allclose(trained(batches)[0], by_hand(batches.x, batches.y, 4)), batches.ended)
partial = Batches(5)
print([np.allclose(each, by_hand(partial.x, partial.y, 5)) for each in (trained(partial)[0], trained(partial.x, partial.y, batch_size=5)[0])],
      trained(partial)[1].predict(partial).shape)
config = ipu.config.IPUConfig()
config.auto_select_ipus = [1, 1]
config.configure_ipu_system()
print([each.name for each in tf.config.list_logical_devices("IPU")])
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    on_ipu = Batches()
    losses, model = trained(on_ipu)
    print(np.allclose(losses, by_hand(on_ipu.x, on_ipu.y, 4)), on_ipu.ended, model.predict(on_ipu).shape)
    for wrong in (lambda: trained(partial), lambda: trained(on_ipu, on_ipu.y)):
        try:
            wrong()
        except (ValueError, TypeError) as error:
            print(error)
    queue = ipu.ipu_outfeed_queue.ScopedIPUOutfeedQueue(outfeed_mode=ipu.ipu_outfeed_queue.IPUOutfeedMode.LAST)
    print(queue.mode.name)
