# SPDX-License-Identifier: GPL-3.0-or-later
# Metrics of the script's own with variables, of programs and by hand, against NumPy; variables that an update cannot reach.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
layers = keras.layers
x = np.random.default_rng(0).normal(size=(32, 8)).astype(np.float32)
y = np.random.default_rng(1).integers(0, 4, 32)


class Share(keras.metrics.Metric):
    def __init__(self, name="share", **kwargs):
        super().__init__(name=name, **kwargs)
        self.hits = self.add_weight(name="hits", initializer="zeros")
        self.seen = self.add_weight(name="seen", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        found = tf.argmax(y_pred, -1, output_type=tf.int32)
        self.hits.assign_add(tf.reduce_sum(tf.cast(tf.equal(found, tf.cast(tf.reshape(y_true, [-1]), tf.int32)), tf.float32)))
        self.seen.assign_add(tf.cast(tf.shape(y_pred)[0], tf.float32))

    def result(self):
        return self.hits / self.seen

    def reset_states(self):
        self.hits.assign(0.0)
        self.seen.assign(0.0)


class Largest(keras.metrics.Mean):
    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(tf.reduce_max(y_pred, -1))


for on_ipu in (True, False):
    with ipu.ipu_strategy.IPUStrategy().scope() if on_ipu else keras.utils.custom_object_scope({}):
        model = keras.Sequential([layers.Dense(4, activation="softmax", input_shape=(8,))])
        model.compile("sgd", "sparse_categorical_crossentropy", metrics=[Share(), "accuracy", Largest(name="largest")],
                      steps_per_execution=2 if on_ipu else 1)
    history = model.fit(x, y, batch_size=8, epochs=2, verbose=0).history
    outputs = model.predict(x, batch_size=8)
    logs = model.evaluate(x, y, batch_size=8, verbose=0, return_dict=True)
    hits = (outputs.argmax(-1) == y).mean()
    print(sorted(logs), np.allclose(history["share"], history["accuracy"]), np.isclose(logs["share"], hits), len(model.weights),
          np.isclose(logs["largest"], outputs.max(-1).mean(), rtol=1e-5))
share = Share()
share.update_state(y[:16], outputs[:16])
share.update_state(y[16:], outputs[16:])
print(np.isclose(share.result(), hits))
share.reset_state()
print(float(share.seen))


class Slope(keras.Model):
    """Whose loss is of a gradient, on which a bias has no part."""

    def __init__(self):
        super().__init__()
        self.inner = keras.Sequential([keras.Input((8,)), layers.Dense(4, activation="tanh"), layers.Dense(1)])

    def train_step(self, data):
        with tf.GradientTape() as tape:
            with tf.GradientTape() as within:
                within.watch(data)
                made = self.inner(data)
            slope = within.gradient(made, data)
            loss = tf.reduce_mean((tf.sqrt(tf.reduce_sum(slope ** 2, 1)) - 1.0) ** 2)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.inner.trainable_variables), self.inner.trainable_variables))
        return {"loss": loss}


slope = Slope()
slope.compile(keras.optimizers.SGD(0.5))
before = slope.inner.get_weights()
losses = slope.fit(x, batch_size=32, epochs=4, verbose=0).history["loss"]
print(losses[-1] < losses[0], [bool(np.array_equal(a, b)) for a, b in zip(before, slope.inner.get_weights())])

# Losses and metrics by all their names, generators of the host, InputLayer with Keras' arguments.
for names in ("mse MSE mean_squared_error MeanSquaredError", "kld KLD kullback_leibler_divergence KLDivergence", "logcosh log_cosh LogCosh"):
    found = []
    for name in names.split():
        model = keras.Sequential([layers.InputLayer(input_shape=(8,)), layers.Dense(3, activation="sigmoid", kernel_initializer="ones")])
        model.compile("sgd", name)
        found.append(model.evaluate(x, abs(x[:, :3]) % 1, batch_size=32, verbose=0))
    print(np.allclose(found, found[0], rtol=1e-6), end=" ")
print()


def batches():
    while True:
        yield x[:8], x[:8, :3]


print(len(model.fit(batches(), steps_per_epoch=3, epochs=2, verbose=0).epoch), np.isclose(model.evaluate(batches(), steps=2, verbose=0), model.evaluate(
    x[:8], x[:8, :3], batch_size=8, verbose=0)), keras.utils.normalize(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist())
logits = (np.random.default_rng(2).normal(size=(32, 4)) * 2).astype(np.float32)
log = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
hot = np.eye(4, dtype=np.float32)[y]
for metric, labels, values in ((keras.metrics.SparseCategoricalCrossentropy(from_logits=True), y, -log[np.arange(32), y]),
                               (keras.metrics.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1), hot, -((hot * 0.9 + 0.025) * log).sum(-1)),
                               (keras.metrics.BinaryCrossentropy(from_logits=True), hot, np.log1p(np.exp(logits)) - hot * logits)):
    metric.update_state(labels, logits)
    print(np.isclose(metric.result(), values.mean(), rtol=1e-4), end=" ")
model = keras.Sequential([layers.Dense(4, input_shape=(8,))])
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=[keras.metrics.SparseCategoricalCrossentropy(
    from_logits=True, name="ce")])
logs = model.evaluate(x, y, batch_size=32, verbose=0, return_dict=True)
print(np.isclose(logs["ce"], logs["loss"], rtol=1e-5))
