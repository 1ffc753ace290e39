# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' layers that change images at random: with bounds that leave nothing to chance against NumPy, and what they draw."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

layers = keras.layers
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.RandomState(4).rand(8, 6, 6, 2).astype("f")
strategy = ipu.ipu_strategy.IPUStrategy()


def trained(*made):
    """What layers make of images while they train."""
    @tf.function(experimental_compile=True)
    def run(images):
        for each in made:
            images = each(images, training=True)
        return images
    return strategy.run(run, [tf.constant(x)]).numpy()


def bilinear(images, rows, columns, filled):
    """Pixels at places, by loops; beyond the images `filled` says which, or is a number."""
    y = np.zeros((*images.shape[:1], *rows.shape, images.shape[3]))
    for place in np.ndindex(*rows.shape):
        r, c = rows[place], columns[place]
        for i, j in np.ndindex(2, 2):
            p, q = int(np.floor(r)) + i, int(np.floor(c)) + j
            weight = (1 - abs(r - p)) * (1 - abs(c - q))
            inside = 0 <= p < 6 and 0 <= q < 6
            y[(slice(None), *place)] += weight * (images[:, p, q] if inside else filled)
    return y


with strategy.scope():
    print("rotation", np.allclose(trained(layers.RandomRotation((0.25, 0.25))), np.rot90(x, 1, (1, 2)), atol=1e-5),
          np.allclose(trained(layers.RandomRotation((0.5, 0.5))), x[:, ::-1, ::-1], atol=1e-5))
    angle = 0.1 * 2 * np.pi
    r, c = np.mgrid[:6, :6] - 2.5
    wanted = bilinear(x, np.sin(angle) * c + np.cos(angle) * r + 2.5, np.cos(angle) * c - np.sin(angle) * r + 2.5, 0.5)
    print(np.allclose(trained(layers.RandomRotation((0.1, 0.1), fill_mode="constant", fill_value=0.5)), wanted, atol=1e-5))
    wide = np.pad(x, ((0, 0), (6, 6), (6, 6), (0, 0)), "symmetric")
    for mode, padded in (("reflect", wide), ("wrap", np.tile(x, (1, 3, 3, 1))), ("nearest", np.pad(x, ((0, 0), (6, 6), (6, 6), (0, 0)), "edge"))):
        print(mode, np.allclose(trained(layers.RandomTranslation((1 / 3, 1 / 3), (-0.5, -0.5), fill_mode=mode)), padded[:, 4:10, 9:15], atol=1e-5))
    zoomed = trained(layers.RandomZoom((0.5, 0.5), (-0.5, -0.5), fill_mode="constant"))
    print("zoom", np.allclose(zoomed, bilinear(x, 1.5 * r + 2.5, 0.5 * c + 2.5, 0.0), atol=1e-5), np.allclose(
        trained(layers.RandomZoom((0.0, 0.0), interpolation="nearest")), x))
    flipped = trained(layers.RandomFlip("horizontal"))
    kinds = [bool(np.array_equal(a, b)) + 2 * bool(np.array_equal(a, b[:, ::-1])) for a, b in zip(flipped, x)]
    print("flip", all(each in (1, 2) for each in kinds), len(set(kinds)) == 2)
    contrast = trained(layers.RandomContrast(0.5))
    factors = (contrast - x.mean((1, 2), keepdims=True)) / (x - x.mean((1, 2), keepdims=True))
    print("contrast", np.allclose(factors, factors.ravel()[0], rtol=1e-2), 0.5 <= factors.mean() <= 1.5)
    cut = trained(layers.RandomCrop(3, 4))
    print("crop", any(np.array_equal(cut, x[:, i:i + 3, j:j + 4]) for i, j in np.ndindex(4, 3)))
    drawn = [trained(layers.RandomRotation(0.2)) for _ in range(2)]
    print("drawn", np.array_equal(*drawn), len({round(float(each.sum()), 4) for each in drawn[0] / x.sum((1, 2, 3), keepdims=True)}) > 1)
    model = keras.Sequential([keras.Input((6, 6, 2)), layers.RandomFlip(), layers.RandomRotation(0.2), layers.RandomCrop(4, 4), layers.Flatten(),
                              layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, x[:, 0, 0, :1], batch_size=8, verbose=0)
    kernel, bias = model.get_weights()
    again = keras.models.model_from_json(model.to_json())
    again.set_weights(model.get_weights())
    print("model", np.allclose(model.predict(x, batch_size=8), x[:, 1:5, 1:5].reshape(8, -1) @ kernel + bias, atol=1e-5),
          np.allclose(again.predict(x, batch_size=8), model.predict(x, batch_size=8)))
batch = tf.image.random_flip_up_down(np.tile(x[:1], (64, 1, 1, 1))).numpy()
print("batch", len({each.tobytes() for each in batch}))
for wrong in (lambda: trained(layers.RandomRotation(0.1, fill_mode="odd")), lambda: trained(layers.RandomFlip("sideways")),
              lambda: trained(layers.RandomCrop(9, 9)), lambda: layers.RandomHeight(0.1)):
    try:
        with strategy.scope():
            wrong()
    except (AttributeError, ValueError) as error:
        print(str(error).split(";")[0])

# What follows from a seed alone, and what the host alone draws.
picture = np.random.default_rng(4).random((6, 6, 3)).astype(np.float32)
for name, settings in (("crop", ([3, 3, 3],)), ("brightness", (0.3,)), ("contrast", (0.2, 0.9)), ("flip_left_right", ()), ("hue", (0.2,)),
                       ("saturation", (0.2, 0.8))):
    first, again, *others = [getattr(tf.image, f"stateless_random_{name}")(picture, *settings, seed=(1, number)).numpy() for number in (2, 2, 3, 4, 5, 6)]
    print(name, np.array_equal(first, again), any(not np.array_equal(first, each) for each in others), end=" ")
seeds = tf.random.experimental.stateless_split([1, 2], num=3)
print(np.array_equal(seeds, tf.random.experimental.stateless_split([1, 2], num=3)), len(np.unique(seeds)))
drawn = tf.random.gamma([4000], alpha=2.0, beta=0.5).numpy()  # of mean alpha / beta and variance alpha / beta^2
counts = tf.random.poisson([4000], 3.0).numpy()
print(abs(drawn.mean() - 4) < 0.3, abs(drawn.var() - 8) < 1.5, abs(counts.mean() - 3) < 0.2, tf.random.gamma([3], [1.0, 2.0]).shape)
