# SPDX-License-Identifier: GPL-3.0-or-later
# Names that public scripts use: functions with loops, states of recurrent layers, normalisations, files of TensorFlow's own.
import numpy as np
import tensorflow as tf
from keras.optimizer_v2 import optimizer_v2
from tensorflow.keras.datasets import cifar10, imdb
from tensorflow.python import ipu
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, variable_scope
from tensorflow.python.training.optimizer import Optimizer
import popdist

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
random = np.random.default_rng(5)


def near(a, b, tolerance=1e-5):
    return bool(np.allclose(np.asarray(a), b, atol=tolerance))


outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
rows = tf.data.Dataset.from_tensor_slices(np.arange(1, 13, dtype=np.float32)).batch(3, drop_remainder=True)
infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(rows)


@tf.function(experimental_compile=True)
def looped():
    def body(count, total, x):
        outfeed.enqueue({"sum": tf.reduce_sum(x)})
        return count + 1, total + tf.reduce_sum(x * x)
    count, total = ipu.loops.repeat(4, body, [0, 0.0], infeed)
    return count, tf.sqrt(total)


with strategy.scope():
    count, length = strategy.run(looped)
    print("looped", int(count), near(length, np.sqrt(650.0), 1e-4), [float(each["sum"]) for each in outfeed])

    x = random.normal(size=(3, 6, 4)).astype(np.float32)
    whole = tf.keras.layers.Input((6, 4))
    lstm = tf.keras.layers.LSTM(5, return_state=True)
    _, h, c = lstm(tf.keras.layers.Lambda(lambda v: v[:, :2, :])(whole))
    out, _, _ = lstm(tf.keras.layers.Lambda(lambda v: v[:, 2:, :])(whole), initial_state=(h, c))
    halves = tf.keras.Model(whole, out)
    other = tf.keras.Sequential([tf.keras.layers.LSTM(5, input_shape=(6, 4))])
    other.set_weights(halves.get_weights())
    print("states", near(halves.predict(x, batch_size=3), other.predict(x, batch_size=3)))

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, input_shape=(2,))])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    x, y = random.normal(size=(8, 2)).astype(np.float32), random.normal(size=(8, 1)).astype(np.float32)
    share = np.array([1, 0, 2, 1, 3, 1, 0.5, 1], np.float32)

    def step(w, x, y, share=1.0):
        error = x @ w - y
        return np.mean(np.ravel(error ** 2) * share), w - 0.1 * 2 * x.T @ (error * np.reshape(share, (-1, 1))) / len(x)

    first = model.get_weights()[0]
    expected = step(first, x, y)
    print("train_on_batch", near(model.train_on_batch(x, y), expected[0]), near(model.get_weights()[0], expected[1]))
    w = model.get_weights()[0]
    print("test_on_batch", near(model.test_on_batch(x, y), step(w, x, y)[0]), near(model.get_weights()[0], w))
    print("predict_on_batch", near(model.predict_on_batch(x), x @ w))
    expected = step(w, x, y, share)
    loss = model.train_on_batch(x, y, sample_weight=share)
    print("sample_weight", near(loss, expected[0]), near(model.get_weights()[0], expected[1]))
    w = model.get_weights()[0]
    history = model.fit(x, y, batch_size=2, epochs=1, shuffle=False, validation_split=0.25, verbose=0).history
    for at in (0, 2, 4):
        w = step(w, x[at:at + 2], y[at:at + 2])[1]
    print("validation_split", near(model.get_weights()[0], w), near(history["val_loss"][0], step(w, x[6:], y[6:])[0]))

    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    w = model.get_weights()[0]
    model.fit(x, y, batch_size=8, epochs=2, verbose=0, callbacks=[
        tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.2 / (epoch + 2)), tf.keras.callbacks.TensorBoard("logs"),
        tf.keras.callbacks.ModelCheckpoint("weights{epoch}.h5", save_weights_only=True)])
    for rate in (1.0, 2 / 3):
        w = w + rate * (step(w, x, y)[1] - w)
    saved = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, input_shape=(2,))])
    saved.load_weights("weights2.h5")
    print("callbacks", near(model.get_weights()[0], w), near(saved.get_weights()[0], w))

    piped = ipu.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, input_shape=(2,))], gradient_accumulation_count=4)
    piped.set_weights([w])
    piped.compile(tf.keras.optimizers.SGD(0.1), "mse")
    piped.fit(x, y, batch_size=2, shuffle=False, verbose=0)
    print("accumulating", near(piped.get_weights()[0], w + 4 * (step(w, x, y)[1] - w)))


@tf.function
def clipped(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, model.trainable_variables), 0.01)
    tf.keras.optimizers.SGD(0.5).apply_gradients(zip(gradients, model.trainable_variables))
    return loss


with strategy.scope():
    w = model.get_weights()[0]
    strategy.run(clipped, [x, y])
    gradient = 2 * x.T @ (x @ w - y) / len(x)
    print("clipped", near(model.get_weights()[0], w - 0.5 * gradient * 0.01 / np.linalg.norm(gradient)))

(images, labels), _ = cifar10.load_data()
(reviews, _), _ = imdb.load_data(num_words=100)
print(images.shape, labels.shape, max(map(max, reviews)) < 100)
print(issubclass(tf.keras.optimizers.SGD, optimizer_v2.OptimizerV2), popdist.getNumInstances(), ops.Tensor is tf.Tensor,
      float(array_ops.identity(2.0)), hasattr(variable_scope, "variable_scope"), isinstance(Optimizer, type))
print(tf.one_hot(np.array([1, 0], np.uint8), 2).numpy().tolist())
print(7 // tf.constant(2), tf.constant([5, -5]) % 3, tf.math.reduce_std(tf.constant([1.0, 3.0])).numpy())
