# SPDX-License-Identifier: GPL-3.0-or-later
"""What the host does for a model: images that change at random, functions of fixed types, ragged rows, NumPy's names, frames, means of tensors."""
import numpy as np
import tensorflow as tf
import tensorflow.experimental.numpy as tnp
from tensorflow import keras
from tensorflow.python import ipu


def fails(*calls):
    for call in calls:
        try:
            print("nothing failed:", call())
        except (AttributeError, TypeError, ValueError, tf.errors.OpError) as error:
            print(type(error).__name__, str(error).partition("\n")[0].partition("; ask")[0])


# ImageDataGenerator draws as Keras does: of each image a shift up or down, one to a side, and two numbers for flips.
images = np.arange(8 * 4 * 6 * 1, dtype=np.float32).reshape(8, 4, 6, 1)
labels = np.arange(8)
generator = keras.preprocessing.image.ImageDataGenerator(rescale=0.5, horizontal_flip=True, vertical_flip=True, height_shift_range=[1],
                                                         width_shift_range=0.25, preprocessing_function=lambda x: x + 1)
flow = generator.flow(images, labels, batch_size=4, seed=3)
got = [next(flow) for _ in range(3)]


def by_hand(image):
    down = np.random.choice([1]) * np.random.choice([-1, 1])
    right = np.random.uniform(-0.25, 0.25) * 6
    across, upside = np.random.random() < 0.5, np.random.random() < 0.5
    rows = np.clip(np.arange(4) + down, 0, 3)
    places = np.arange(6) + right
    image = np.stack([np.interp(places, np.arange(6), image[row, :, 0]) for row in rows])[..., None]
    image = image[:, ::-1] if across else image
    return ((image[::-1] if upside else image) + 1) * 0.5


right = []
for number, (batch, of_batch) in enumerate(got):
    np.random.seed(3 + number)
    order = np.random.permutation(8) if number % 2 == 0 else order
    chosen = order[number % 2 * 4:][:4]
    right += [np.array_equal(of_batch, chosen), np.allclose(batch, [by_hand(images[i]) for i in chosen], atol=1e-5)]
print(right, len(flow))
centred = keras.preprocessing.image.ImageDataGenerator(featurewise_center=True, featurewise_std_normalization=True, validation_split=0.25)
centred.fit(images)
part = centred.flow(images, labels, batch_size=8, shuffle=False, subset="training")
print(part[0][1], np.allclose(part[0][0], (images[2:] - images.mean()) / (images.std() + 1e-6), atol=1e-5))
fails(lambda: keras.preprocessing.image.ImageDataGenerator(rotation_range=10), lambda: generator.flow(images[0], labels))

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.0), "mse")
plain = keras.preprocessing.image.ImageDataGenerator().flow(images, labels.astype(np.float32), batch_size=2)
print(model.fit(plain, epochs=1, verbose=0).history["loss"][0] > 0)

# Functions of fixed types.
twice = tf.function(lambda x: x * 2)
concrete = twice.get_concrete_function(tf.TensorSpec([None], tf.float32))
print(concrete(tf.constant([1.0, 2.0])).numpy(), concrete.inputs[0].shape, strategy.run(concrete, args=[tf.constant([3.0])]).numpy())
scaled = tf.function(lambda x, up: x * (2.0 if up else 0.5)).get_concrete_function(tf.TensorSpec([], tf.float32), up=True)
print(scaled(tf.constant(4.0)).numpy(), scaled(4).numpy())


class Scaled:
    factor = 3.0
    calls = 0

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def of(self, x):
        Scaled.calls += 1
        return x * self.factor


scales = Scaled()
print(scales.of([1, 2]).numpy(), scales.of.get_concrete_function()(np.ones(2)).numpy())
calls = Scaled.calls
print([float(strategy.run(scales.of, args=[tf.constant([each, each])])[0]) for each in (1.0, 2.0)], Scaled.calls - calls)
fails(lambda: concrete(tf.constant([1, 2])), lambda: scales.of([1, 2, 3]), lambda: tf.numpy_function(lambda x: x * 0.5, [1], tf.float32))
print(tf.py_function(lambda x: 3, [1], tf.float32).dtype.name, tf.numpy_function(lambda x: x.astype(np.float32), [1], tf.float32).dtype.name)

ragged = tf.ragged.constant([[1, 2, 3], [], [4]])
print(ragged.to_tensor().numpy().tolist(), ragged.to_tensor(-1, shape=[None, 2]).numpy().tolist(), ragged.row_lengths().numpy(), ragged.shape)
print(tf.RaggedTensor.from_row_splits([1.0, 2.0, 3.0], [0, 2, 3]).to_tensor().numpy().tolist(), tf.ragged.constant([["a"], ["b", "c"]]).to_tensor().numpy().tolist())
fails(lambda: tf.constant(ragged), lambda: tf.ragged.constant([[[1]]]))

print(tnp.sum(tnp.array([[1, 2], [3, 4]]), axis=0).numpy(), tnp.concatenate([tnp.zeros(1), tnp.ones(1)]).numpy(), tnp.dsplit(tnp.ones((1, 2, 4)), 2)[1].shape)
print(strategy.run(tf.function(lambda x: tnp.sum(tnp.concatenate([x, tnp.exp(x)]))), args=[tf.zeros(3)]).numpy())
print(strategy.run(tf.function(lambda x: tnp.mean(x) + tnp.std(x)), args=[tf.constant([1, 2, 6])]).numpy())
fails(lambda: strategy.run(tf.function(lambda x: tnp.sort(x)), args=[tf.zeros(3)]))

signal = np.arange(10, dtype=np.float32)
print(np.array_equal(tf.signal.frame(signal, 4, 3), [signal[i:i + 4] for i in (0, 3, 6)]), tf.signal.frame(signal, 4, 3, pad_end=True).shape,
      np.array_equal(strategy.run(tf.function(lambda x: tf.signal.frame(x, 4, 3)), args=[tf.constant(signal)]), [signal[i:i + 4] for i in (0, 3, 6)]))
print(np.allclose(tf.signal.hann_window(6), np.hanning(7)[:6], atol=1e-6), np.allclose(tf.signal.hann_window(5), np.hanning(5), atol=1e-6),
      np.allclose(tf.signal.hamming_window(6, periodic=False), np.hamming(6), atol=1e-6))
fails(lambda: tf.signal.mdct)

mean = keras.metrics.MeanTensor()
mean.update_state([1.0, 2.0])
mean.update_state([3.0, 8.0], sample_weight=[3.0, 1.0])
print(mean.result().numpy(), mean.count.numpy())
fails(lambda: mean.update_state([1.0]), lambda: keras.metrics.MeanTensor().result())


def normed(group):
    config.norms.experimental.distributed_batch_norm_replica_group_size = group
    config.configure_ipu_system()
    with strategy.scope():
        model = keras.Sequential([keras.layers.experimental.SyncBatchNormalization(momentum=0.0, input_shape=(1,)), keras.layers.Dense(1)])
        model.compile(keras.optimizers.SGD(0.0), "mse", steps_per_execution=1)
        model.fit(np.array([[0.0], [2.0], [4.0], [10.0]], np.float32), np.zeros((4, 1), np.float32), batch_size=2, shuffle=False, verbose=0)
        return model.layers[0].get_weights()[2:]


print("norm", [each.tolist() for each in normed(2)])
fails(lambda: normed(1))

model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), name="end")])
tf.saved_model.save(model, "kept")
loaded = tf.saved_model.load("kept")
inputs = tf.constant([[1.0, 2.0, 3.0]])
print(np.array_equal(loaded(inputs), model(inputs)), {name: np.array_equal(each, model(inputs)) for name, each in loaded.signatures["serving_default"](inputs).items()},
      tf.saved_model.contains_saved_model("kept"))
fails(lambda: tf.saved_model.save(tf.Module(), "other"))
