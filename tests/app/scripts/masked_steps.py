# SPDX-License-Identifier: GPL-3.0-or-later
# Masks of steps in models that are Python, against the same models as workloads, and losses of masked outputs against NumPy.
import numpy as np
import tensorflow as tf
from tensorflow import keras

layers, backend = keras.layers, keras.backend
ids = np.array([[1, 2, 3, 0, 0], [4, 5, 0, 0, 0]])
y = np.ones((2, 1), np.float32)
steps = np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32)
steps[:, 3:] = 0


def squares(labels, outputs):
    return backend.mean(backend.square(labels - outputs), -1)


def same(model, x):
    """Whether a loss that is a function, for which the model is traced, is that of its name."""
    found = []
    for loss in ("mse", squares):
        model.compile("sgd", loss)
        found.append(model.evaluate(x, y, batch_size=2, verbose=0))
    return bool(np.isclose(*found, rtol=1e-5))


embedded = [keras.Input((5,)), layers.Embedding(6, 4, mask_zero=True)]
print(same(keras.Sequential(embedded + [layers.LSTM(3), layers.Dense(1)]), ids),
      same(keras.Sequential(embedded + [layers.Dropout(0.1), layers.GRU(3, return_sequences=True), layers.SimpleRNN(2), layers.Dense(1)]), ids),
      same(keras.Sequential([layers.Masking(input_shape=(5, 3)), layers.Bidirectional(layers.LSTM(2)), layers.Dense(1)]), steps),
      same(keras.Sequential(embedded + [layers.GlobalAveragePooling1D(), layers.Dense(1)]), ids))
one, other = keras.Input((5,)), keras.Input((5,))
table = layers.Embedding(6, 4, mask_zero=True)
found = layers.Attention()([table(one), table(other)])
print(same(keras.Model([one, other], layers.Dense(1)(layers.GlobalAveragePooling1D()(found))), [ids, ids[::-1]]))


class Tagged(keras.Model):
    def __init__(self):
        super().__init__()
        self.table, self.read, self.tell = layers.Embedding(6, 4, mask_zero=True), layers.LSTM(3), layers.Dense(1)

    def call(self, x):
        return self.tell(self.read(self.table(x)))


plain = keras.Sequential(embedded + [layers.LSTM(3), layers.Dense(1)])
tagged = Tagged()
tagged(ids)
tagged.set_weights(plain.get_weights())
print(np.allclose(tagged.predict(ids, batch_size=2), plain.predict(ids, batch_size=2), atol=1e-6))


class Doubled(layers.Layer):
    supports_masking = True

    def call(self, x, mask=None):
        shown.append(mask is not None)
        return x * 2.0


class Dropped(layers.Layer):
    def call(self, x):
        return x * 1.0


shown, weights = [], plain.get_weights()
for own in (Doubled(), Dropped()):
    model = keras.Sequential([keras.Input((5,)), layers.Embedding(6, 4, mask_zero=True), own, layers.LSTM(3), layers.Dense(1)])
    halved = [weights[0] / 2, *weights[1:]] if isinstance(own, Doubled) else weights
    model.set_weights(halved)
    print(np.allclose(model.predict(ids, batch_size=2), plain.predict(ids, batch_size=2), atol=1e-6), end=" ")
print(shown[-1])

# Steps of an output that are masked count for nothing in its loss, and are left out of metrics.
many = keras.Sequential(embedded + [layers.LSTM(3, return_sequences=True), layers.Dense(2, activation="softmax")])
labels = np.array([[0, 1, 1, 0, 0], [1, 0, 0, 1, 1]])
outputs = many.predict(ids, batch_size=2)
mask = ids != 0
losses = -np.log(np.take_along_axis(outputs, labels[..., None], -1))[..., 0]
hits = outputs.argmax(-1) == labels
many.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
loss, accuracy = many.evaluate(ids, labels, batch_size=2, verbose=0)
print(np.isclose(loss, (losses * mask).sum() / mask.size, rtol=1e-5), np.isclose(accuracy, hits[mask].mean(), rtol=1e-5))
loss, accuracy = many.evaluate(ids, labels, batch_size=2, verbose=0, sample_weight=np.array([1.0, 3.0]))
print(np.isclose(loss, (losses * mask * [[1], [3]]).sum() / mask.size, rtol=1e-5))
history = many.fit(ids, labels, batch_size=2, epochs=3, verbose=0).history["loss"]
print(history[0] > history[-1], table.compute_mask(tf.constant(ids)).numpy().tolist() == mask.tolist())

# Layers that are called on values, in a tape and in a compiled function; masks into and out of models within models.
table, read, apart = layers.Embedding(6, 4, mask_zero=True), layers.LSTM(3), layers.LSTM(3)
wanted = keras.Sequential([keras.Input((5,)), table, read]).predict(ids, batch_size=2)
with tf.GradientTape() as tape:
    taped = read(table(ids))
print(np.allclose(read(table(ids)), wanted, atol=1e-6), np.allclose(taped, wanted, atol=1e-6),
      np.allclose(tf.function(lambda each: read(table(each)))(ids), wanted, atol=1e-6),
      np.allclose(apart(steps, mask=mask)[1], apart(steps[1:, :2])[0], atol=1e-6),
      layers.GlobalAveragePooling1D()(layers.Masking()(np.array([[[1.0], [0.0]]], np.float32))).numpy().tolist())


def masked_loss(*parts):
    """That of outputs 4 for labels 3, of which 5 in 10 are masked."""
    model = keras.Sequential([keras.Input((5,)), *parts])
    model.compile("sgd", "mse")
    return model.evaluate(ids, np.full((2, 5, 1), 3.0, np.float32), batch_size=2, verbose=0)


def ones():
    return layers.Embedding(6, 4, mask_zero=True, embeddings_initializer="ones")


print(masked_loss(ones(), keras.Sequential([keras.Input((5, 4)), layers.Dense(1, kernel_initializer="ones")])),
      masked_loss(keras.Sequential([keras.Input((5,)), ones()]), layers.Dense(1, kernel_initializer="ones")))
nested = keras.Sequential([keras.Input((5,)), ones(), keras.Sequential([keras.Input((5, 4)), layers.LSTM(2, return_sequences=True), layers.Dense(1)])])
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(nested(ids) ** 2)
print([each is not None for each in tape.gradient(loss, nested.trainable_variables)],
      np.isclose(loss, (nested.predict(ids, batch_size=2) ** 2).mean(), rtol=1e-5))

nested = keras.Sequential([keras.Input((5,)), ones(), keras.Sequential([keras.Input((5, 4)), layers.LSTM(2), layers.Dense(
    1, kernel_regularizer=keras.regularizers.l2(1.0))])])
found = []
for of_outputs, of_weights in ((1.0, 1.0), (1.0, 0.0)):
    with tf.GradientTape() as tape:
        loss = of_outputs * tf.reduce_mean((nested(ids) - 3.0) ** 2) + of_weights * sum(nested.losses)
    found.append(tape.gradient(loss, nested.weights[-2]))
print(np.allclose(found[0] - found[1], 2 * nested.get_weights()[-2], atol=1e-5), abs(np.array(found[1])).max() > 0)


class Zeroed(layers.Layer):
    def call(self, x, training=None, mask=None):
        taken.append(training)
        return x if mask is None else x * tf.cast(mask, tf.float32)[..., None]


class Calling(keras.Model):
    def __init__(self, *more):
        super().__init__()
        self.table, self.own, self.more = ones(), Zeroed(), more

    def call(self, x):
        found = self.table(x)
        return self.own(found, *(self.table.compute_mask(x) if each == "mask" else each for each in self.more))


taken = []
print(*(np.array_equal(Calling(*more)(ids)[..., 0], mask) for more in ((), (True,), (None, "mask"), (False, "mask"))), taken[-1])
