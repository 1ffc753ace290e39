# SPDX-License-Identifier: GPL-3.0-or-later
"""A language model over pixels whose table of embeddings is its projection as well, beside the same by hand."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

TOKENS, WIDTH, STEPS, RATE = 16, 12, 100, 0.5
(images, _), _ = keras.datasets.mnist.load_data()
rows = np.floor(images[:800, 10:18, 10:17].mean(axis=2) / 256 * TOKENS).astype("int32")  # a token for each of 8 lines
ids, labels = rows[:, :-1], rows[:, 1:]


def by_hand(table, kernel, bias):
    """SGD in float64: the gradients of both uses of the table are added up."""
    table, kernel, bias, losses = (*(each.astype("float64") for each in (table, kernel, bias)), [])
    for step in range(STEPS):
        x, y = ids[8 * step:8 * step + 8].ravel(), labels[8 * step:8 * step + 8].ravel()
        hidden = np.tanh(table[x] @ kernel + bias)
        logits = hidden @ table.T
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        losses.append(-np.log(likely[np.arange(len(y)), y]).mean())
        likely[np.arange(len(y)), y] -= 1
        likely /= len(y)
        back = (likely @ table) * (1 - hidden ** 2)
        from_lookup = np.zeros_like(table)
        np.add.at(from_lookup, x, back @ kernel.T)
        gradients = from_lookup + likely.T @ hidden, table[x].T @ back, back.sum(axis=0)
        table, kernel, bias = (w - RATE * g for w, g in zip((table, kernel, bias), gradients))
    return losses


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = keras.layers.Embedding(TOKENS, WIDTH, name="table")
        self.hidden = keras.layers.Dense(WIDTH, activation="tanh", name="hidden")

    def call(self, inputs):
        hidden = tf.reshape(self.hidden(self.embedding(inputs)), [-1, WIDTH])
        return tf.reshape(tf.matmul(hidden, self.embedding.embeddings, transpose_b=True), [-1, 7, TOKENS])


class Projection(keras.layers.Layer):
    def __init__(self, embedding):
        super().__init__()
        self.embedding = embedding

    def call(self, inputs):
        rows = tf.matmul(tf.reshape(inputs, [-1, WIDTH]), tf.transpose(self.embedding.embeddings))
        return tf.reshape(rows, [-1, 7, TOKENS])


def functional():
    embedding = keras.layers.Embedding(TOKENS, WIDTH, name="table_of_inputs")
    x = keras.Input((7,), dtype="int32")
    return keras.Model(x, Projection(embedding)(keras.layers.Dense(WIDTH, activation="tanh")(embedding(x))))


class Twice(keras.Model):
    """A layer that is called twice has its weights once, too."""

    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(7, activation="tanh")

    def call(self, inputs):
        return self.inner(self.inner(inputs))


def twice_by_hand(kernel, bias, x, y):
    kernel, bias, losses = kernel.astype("float64"), bias.astype("float64"), []
    for begin in range(0, len(x), 8):
        a = x[begin:begin + 8]
        first = np.tanh(a @ kernel + bias)
        second = np.tanh(first @ kernel + bias)
        error = second - y[begin:begin + 8]
        losses.append((error ** 2).mean())
        outer = 2 * error / error.size * (1 - second ** 2)
        inner = outer @ kernel.T * (1 - first ** 2)
        kernel, bias = kernel - RATE * (first.T @ outer + a.T @ inner), bias - RATE * (outer + inner).sum(axis=0)
    return losses


class Steps(keras.callbacks.Callback):
    """The loss of each step."""

    def __init__(self):
        super().__init__()
        self.seen, self.losses = 0.0, []

    def on_train_batch_end(self, batch, logs=None):
        total = logs["loss"] * (batch + 1)
        self.losses.append(total - self.seen)
        self.seen = total


def train(model, loss, x, y):
    model.compile(keras.optimizers.SGD(RATE), loss, steps_per_execution=1)
    model.build((8, 7)) if not model.built else None
    first, steps = model.get_weights(), Steps()
    model.fit(x, y, batch_size=8, epochs=1, shuffle=False, verbose=0, callbacks=[steps])
    return first, steps.losses


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    crossentropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for made in (Subclassed(), functional()):
        made(ids[:8])
        weights, losses = train(made, crossentropy, ids, labels)
        expected = by_hand(*weights)
        print([w.shape for w in weights], len(losses), np.abs(np.subtract(losses, expected)).max() < 1e-4,
              losses[-1] < losses[0])
    model, x = Twice(), rows[:, :7].astype("float32") / TOKENS
    model(x[:8])
    weights, losses = train(model, "mse", x, x[:, ::-1].copy())
    print([w.shape for w in weights], np.abs(np.subtract(losses, twice_by_hand(*weights, x, x[:, ::-1]))).max() < 1e-4)
