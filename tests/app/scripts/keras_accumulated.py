# SPDX-License-Identifier: GPL-3.0-or-later
"""Loss and metrics of a pipelined model, which go to the host once for each update: the mean over its micro-batches of what
was shown after each."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

random = np.random.default_rng(4)
x, y = random.normal(size=(64, 8)).astype(np.float32), random.integers(0, 4, 64)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
first = []


class Doubled(keras.layers.Layer):
    def call(self, inputs):
        return inputs * 2.0


def shown(steps, more=(), **options):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.layers.Dense(16, activation="relu", input_shape=(8,)), *more,
                                  keras.layers.Dense(4, activation="softmax")])
        model.set_pipeline_stage_assignment([0] * (1 + len(more)) + [1])
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, **options)
        model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"], steps_per_execution=steps)
        first.append(model.get_weights())
        model.set_weights(first[0])
        history = model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False).history
        return {**history, "kernel": model.get_weights()[0]}


class OfEachBatch:
    """The losses and hits of each micro-batch of the same training, by NumPy."""

    def __init__(self, scale):
        a, b, c, d = (each.astype(np.float64) for each in first[0])
        self.losses, self.hits = [], []
        for _ in range(2):
            for update in range(2):
                sums = [np.zeros_like(each) for each in (a, b, c, d)]
                for rows in np.split(np.arange(32 * update, 32 * update + 32), 4):
                    hidden = np.maximum(x[rows] @ a + b, 0) * scale
                    scores = hidden @ c + d
                    p = np.exp(scores - scores.max(1, keepdims=True))
                    p /= p.sum(1, keepdims=True)
                    self.losses.append(-np.log(p[np.arange(8), y[rows]]).mean())
                    self.hits.append((p.argmax(1) == y[rows]).mean())
                    slope = (p - np.eye(4)[y[rows]]) / 8
                    back = (slope @ c.T) * (hidden > 0) * scale
                    for total, part in zip(sums, (x[rows].T @ back, back.sum(0), hidden.T @ slope, slope.sum(0))):
                        total += part
                a, b, c, d = (each - 0.01 * part for each, part in zip((a, b, c, d), sums))
        self.kernel = a

    def running(self, values, last):
        """Of each epoch of eight: the means so far, and of these the mean of the last ones."""
        means = np.cumsum(np.reshape(values, (2, 8)), 1) / np.arange(1, 9)
        return means[:, -last:].mean(1)


for scale, more in ((1, []), (2, [Doubled()])):
    whole, once = shown(8, more), shown(8, more, accumulate_outfeed=True)
    by_hand = OfEachBatch(scale)
    for run, last in ((whole, 1), (once, 4)):
        print(np.allclose(run["loss"], by_hand.running(by_hand.losses, last), rtol=1e-4),
              np.allclose(run["accuracy"], by_hand.running(by_hand.hits, last), rtol=1e-5), np.allclose(run["kernel"], by_hand.kernel, rtol=1e-4))
    print(np.abs(np.subtract(whole["loss"], once["loss"])).max() > 1e-3)
