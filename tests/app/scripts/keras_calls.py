# SPDX-License-Identifier: GPL-3.0-or-later
"""What calls of models and layers take beside their inputs, losses and regularisers of the script's own, and what is given in another rank.
Against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
random = np.random.default_rng(0)
x, y = random.normal(size=(16, 4)).astype(np.float32), random.normal(size=(16, 2)).astype(np.float32)


def close(a, b):
    return bool(np.allclose(a, b, rtol=1e-4, atol=1e-5))


class Shifted(keras.Model):
    """Takes a second tensor by its place, and says more where it is told."""

    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def call(self, inputs, shift, scale=1.0, parts=False):
        y = self.dense(inputs)
        return (y * scale + shift, y) if parts else y * scale + shift


with strategy.scope():
    model, optimizer = Shifted(), keras.optimizers.SGD(0.1)

    @tf.function
    def step(x, shift, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, shift, scale=2.0) - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss
    shift = random.normal(size=(16, 2)).astype(np.float32)
    losses = [float(strategy.run(step, args=[tf.constant(each) for each in (x, shift, y)])) for _ in range(2)]
    kernel, bias = (each.numpy() for each in model.trainable_variables)
    apart = 2 * (x @ kernel + bias) + shift - y
    print("called", losses[1] < losses[0], (apart ** 2).mean() < losses[1], model.count_params(),
          [close(a, b) for a, b in zip(model(x, shift, parts=True), (x @ kernel + bias + shift, x @ kernel + bias))],
          close(model(x, tf.constant(1.0), 3.0), 3 * (x @ kernel + bias) + 1))
    into, more = keras.Input((4,)), keras.Input((2,))
    print("connected", close(keras.Model([into, more], model(into, more, scale=0.5)).predict([x, shift], batch_size=8), 0.5 * (x @ kernel + bias) + shift))


class Doubled(keras.losses.Loss):
    def __init__(self, times=2.0, name="doubled"):
        super().__init__(name=name)
        self.times = times

    def call(self, y_true, y_pred):
        return self.times * tf.reduce_mean((y_true - y_pred) ** 2, -1)


class Whole(keras.losses.Loss):
    """Which says what a batch loses."""

    def __call__(self, y_true, y_pred, sample_weight=None):
        return tf.reduce_sum(tf.abs(y_true - y_pred))


with strategy.scope():
    dense = keras.layers.Dense(2, input_shape=(4,), kernel_regularizer=lambda w: 0.1 * tf.reduce_sum(tf.abs(w)),
                               activity_regularizer=lambda y: 0.01 * tf.reduce_sum(y ** 2))
    model = keras.Sequential([dense])
    kernel, bias = model.get_weights()
    shown = x @ kernel + bias
    added = 0.1 * np.abs(kernel).sum() + 0.01 * (shown ** 2).sum() / 16
    for loss, wanted in ((Doubled(), 2 * ((shown - y) ** 2).mean()), (Whole(), np.abs(shown - y).sum()), ("mse", ((shown - y) ** 2).mean())):
        model.compile("sgd", loss)
        print("loss", getattr(loss, "name", None), close(model.evaluate(x, y, batch_size=16, verbose=0), wanted + added))
    model.fit(x, y, batch_size=16, verbose=0)
    slope = x.T @ (2 * (shown - y) / y.size + 0.02 * shown / 16) + 0.1 * np.sign(kernel)
    print("trained", close(model.get_weights()[0], kernel - 0.01 * slope), keras.models.clone_model(model).layers[0].kernel_regularizer is dense.kernel_regularizer)
try:
    keras.layers.Bidirectional(keras.layers.LSTM(2, kernel_regularizer=tf.reduce_sum))
except Exception as error:  # pylint: disable=broad-except
    print(error)

# Scores and states, and what Keras tensors say of them.
with strategy.scope():
    a, b = keras.Input((5, 4)), keras.Input((3, 4))
    y1, scores = keras.layers.Attention()([a, b], return_attention_scores=True)
    y2, by_head = keras.layers.MultiHeadAttention(2, 3)(a, b, return_attention_scores=True)
    _, *states = keras.layers.LSTM(6, return_sequences=True, return_state=True)(a)
    print([tuple(each.shape) for each in (scores, by_head, *states)])
    queries, keys = random.normal(size=(2, 5, 4)).astype(np.float32), random.normal(size=(2, 3, 4)).astype(np.float32)
    shares = np.exp(queries @ keys.transpose(0, 2, 1))
    shares /= shares.sum(-1, keepdims=True)
    found = keras.Model([a, b], [y1, scores, by_head]).predict([queries, keys], batch_size=2)
    print("scores", close(found[0], shares @ keys), close(found[1], shares), close(found[2].sum(-1), 1))

# Inputs whose last axis of one number is left out, or one too many; of one input, and of several.
with strategy.scope():
    into, other = keras.Input((4, 4, 1)), keras.Input((4,))
    means = keras.layers.GlobalAveragePooling2D()(into)
    model = keras.Model([into, other], keras.layers.Concatenate()([means, other]))
    images = random.normal(size=(8, 4, 4)).astype(np.float32)
    wanted = np.concatenate([images.mean((1, 2))[:, None], x[:8]], 1)
    print("ranks", close(model.predict([images, x[:8]], batch_size=4), wanted), close(model([images, x[:8, :, None]]), wanted),
          close(model.predict(tf.data.Dataset.from_tensor_slices(((images, x[:8, :, None]),)).batch(4, drop_remainder=True)), wanted))

# Keras itself takes a last batch that is smaller; that of IPUs does not.
with ipu.ipu_strategy.IPUStrategy(enable_keras_extensions=False).scope():
    model = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(4,))])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    kernel, total = model.get_weights()[0], 0
    found = model.fit(x[:10], y[:10], batch_size=4, shuffle=False, verbose=0).history["loss"][0]
    for first in (0, 4, 8):
        apart = x[first:min(first + 4, 10)] @ kernel - y[first:min(first + 4, 10)]
        total += (apart ** 2).mean(1).sum()
        kernel = kernel - 0.1 * x[first:min(first + 4, 10)].T @ (2 * apart / apart.size)
    print("partial", close(found, total / 10), close(model.get_weights()[0], kernel), close(model.predict(x[:3]), x[:3] @ kernel))
    endless = ((x[:4], y[:4]) for _ in iter(int, 1))
    print("generator", len(model.fit(endless, steps_per_epoch=3, epochs=2, verbose=0).history["loss"]), close(
        model.get_weights()[0], np.linalg.matrix_power(np.eye(4) - 0.1 * x[:4].T @ x[:4] * 2 / 8, 6) @ (kernel - np.linalg.lstsq(x[:4], y[:4], None)[0])
        + np.linalg.lstsq(x[:4], y[:4], None)[0]))


class Student(keras.Model):
    """Has another model in it that has metrics of its own, of the same name."""

    def __init__(self, teacher, student):
        super().__init__()
        self.teacher, self.student = teacher, student

    def test_step(self, data):
        inputs, labels = data
        self.compiled_metrics.update_state(labels, self.student(inputs))
        return {metric.name: metric.result() for metric in self.metrics}


with ipu.ipu_strategy.IPUStrategy(enable_keras_extensions=False).scope():
    nets = [keras.Sequential([keras.layers.Dense(3, input_shape=(4,))]) for _ in range(2)]
    classes = random.integers(0, 3, 16)
    nets[0].compile("sgd", "mse", metrics=[keras.metrics.SparseCategoricalAccuracy()])
    both = Student(*nets)
    both.compile("sgd", metrics=[keras.metrics.SparseCategoricalAccuracy()])
    hits = (np.argmax(nets[1].predict(x, batch_size=16), -1) == classes).mean()
    print("within", close(both.evaluate(x, classes, batch_size=16, verbose=0), hits), hits > 0)

# Weights of a layer that is in no model yet, and the types that Keras tensors say.
dense = keras.layers.Dense(2)
made = dense(keras.Input((4,)))
dense.set_weights([np.ones((4, 2)), np.zeros(2)])
print("weights", dense.kernel.shape, [each.name for each in dense.weights], close(keras.Sequential([dense]).predict(x, batch_size=16), x.sum(1, keepdims=True)))
half = keras.layers.Dense(2, dtype="mixed_float16")
print(half.dtype_policy, half(keras.Input((4,))).dtype.name, keras.layers.Flatten(dtype="float16")(keras.Input((2, 2), dtype="int32")).dtype.name)

# Gradients that the script adds up in variables of its own, and an update that reads no weight.
with strategy.scope():
    model, optimizer = keras.Sequential([keras.layers.Dense(2, input_shape=(4,))]), keras.optimizers.SGD(0.1)
    sums = [tf.Variable(tf.zeros_like(each), trainable=False) for each in model.trainable_variables]
    kernel = model.get_weights()[0]

    @tf.function
    def micro_batch(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        for total, gradient in zip(sums, tape.gradient(loss, model.trainable_variables)):
            total.assign_add(gradient)
        return loss

    @tf.function
    def update():
        optimizer.apply_gradients([(total / 2.0, each) for total, each in zip(sums, model.trainable_variables)])
        for total in sums:
            total.assign(tf.zeros_like(total))
    for part in (slice(None, 8), slice(8, None)):
        strategy.run(micro_batch, args=[tf.constant(x[part]), tf.constant(y[part])])
    strategy.run(update)
    print("by hand", close(model.get_weights()[0], kernel - 0.1 * x.T @ (2 * (x @ kernel - y) / y.size)), all(not each.numpy().any() for each in sums))
print(keras.losses.Huber().name, keras.losses.MeanSquaredError().name, keras.metrics.KLDivergence().name)
