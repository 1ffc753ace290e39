# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates from losses that no one fetches as they are differentiated: sums of segments have gradients of their own, beside transpositions
that the engine leaves out. Against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
x, of = np.linspace(0.5, 1.2, 8).astype(np.float32), np.array([0, 0, 1, 1, 2, 3, 3, 3], np.int32)
RATE = 0.05
member = (of[:, None] == np.arange(4)).astype(np.float32)  # sums are x @ member, rows of them member @ sums


def trained(step):
    with strategy.scope():
        w = tf.Variable(np.arange(1, 9, dtype=np.float32) / 4)
        optimizer = keras.optimizers.SGD(RATE)

        @tf.function
        def update(x, of):
            with tf.GradientTape() as tape:
                loss = step(w * x, of)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return loss
        losses = [float(strategy.run(update, args=[tf.constant(x), tf.constant(of)])) for _ in range(2)]
    return losses, w.numpy()


def wanted(loss, slope):
    w, losses = np.arange(1, 9) / 4, []
    for _ in range(2):
        losses.append(loss(w * x))
        w = w - RATE * slope(w * x) * x
    return losses, w


def told(name, found, hoped):
    print(name, np.allclose(found[0], hoped[0], rtol=1e-5), np.allclose(found[1], hoped[1], rtol=1e-5))


def sums(v, of):
    return tf.math.unsorted_segment_sum(v, of, 4)


told("sums", trained(lambda v, of: tf.reduce_sum(sums(v, of) ** 2)),
     wanted(lambda v: ((v @ member) ** 2).sum(), lambda v: 2 * member @ (v @ member)))
told("rows", trained(lambda v, of: tf.reduce_sum(tf.gather(sums(v, of), of) ** 2)),
     wanted(lambda v: ((member @ (v @ member)) ** 2).sum(), lambda v: 2 * member @ (member.sum(0) * (v @ member))))
told("shares", trained(lambda v, of: tf.reduce_sum((v / tf.gather(sums(v, of), of)) ** 2)), wanted(
    lambda v: ((v / (member @ (v @ member))) ** 2).sum(),
    lambda v: 2 * v / (member @ (v @ member)) ** 2 - 2 * member @ ((v ** 2) @ member) / (member @ (v @ member)) ** 3))
