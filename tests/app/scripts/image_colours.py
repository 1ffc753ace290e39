# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours, turns and comparisons of tf.image, at once and in a program, against NumPy and Python's colorsys."""
import colorsys

import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(2)
images = draw.rand(2, 12, 13, 3).astype("f")
images[0, :2] = images[0, :2, :, :1]  # grey
images[1, 0, 0] = 0
other = np.clip(images + 0.1 * draw.randn(*images.shape), 0, 1).astype("f")
whole = (images * 255).astype(np.uint8)


def each_pixel(function, x):
    return np.apply_along_axis(lambda pixel: function(*pixel.astype(float)), -1, x)


def changed(x, change):
    """Pixels whose hue, saturation and value `change` changes."""
    return each_pixel(lambda *hsv: colorsys.hsv_to_rgb(*change(*hsv)), each_pixel(colorsys.rgb_to_hsv, x))


def similarity(a, b):
    """SSIM by loops, of one image."""
    away = np.arange(11) - 5
    window = np.exp(-(away[:, None]**2 + away[None]**2) / 4.5)
    window = (window / window.sum())[:, :, None]
    found = []
    for r, c in np.ndindex(a.shape[0] - 10, a.shape[1] - 10):
        p, q = a[r:r + 11, c:c + 11].astype(float), b[r:r + 11, c:c + 11].astype(float)
        m, n = (window * p).sum((0, 1)), (window * q).sum((0, 1))
        covariance = (window * p * q).sum((0, 1)) - m * n
        spread = (window * p * p).sum((0, 1)) - m * m + (window * q * q).sum((0, 1)) - n * n
        found.append((2 * m * n + 1e-4) / (m * m + n * n + 1e-4) * (2 * covariance + 9e-4) / (spread + 9e-4))
    return np.mean(found)


def sobel(x):
    wide = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), "reflect")
    down = sum(weight * (wide[:, 2:, c:c + x.shape[2]] - wide[:, :-2, c:c + x.shape[2]]) for c, weight in enumerate((1, 2, 1)))
    along = sum(weight * (wide[:, r:r + x.shape[1], 2:] - wide[:, r:r + x.shape[1], :-2]) for r, weight in enumerate((1, 2, 1)))
    return np.stack([down, along], -1)


down, along = np.diff(images, axis=1), np.diff(images, axis=2)
patches = np.zeros((2, 6, 5, 18))
for r, c in np.ndindex(6, 5):
    patches[:, r, c] = np.pad(images, ((0, 0), (0, 0), (0, 0), (0, 0)))[:, 2 * r:2 * r + 2, 2 * c:2 * c + 5:2].reshape(2, -1)
checks = {
    "hsv": (lambda: tf.image.rgb_to_hsv(images), each_pixel(colorsys.rgb_to_hsv, images)),
    "rgb": (lambda: tf.image.hsv_to_rgb(other), each_pixel(colorsys.hsv_to_rgb, other)),
    "hue": (lambda: tf.image.adjust_hue(images, 0.3), changed(images, lambda h, s, v: ((h + 0.3) % 1, s, v))),
    "saturation": (lambda: tf.image.adjust_saturation(images, 1.5), changed(images, lambda h, s, v: (h, min(1.5 * s, 1), v))),
    "gamma": (lambda: tf.image.adjust_gamma(images, 2.0, 0.5), 0.5 * images**2),
    "yuv": (lambda: tf.image.yuv_to_rgb(tf.image.rgb_to_yuv(images)), images),
    "luma": (lambda: tf.image.rgb_to_yuv(images)[..., 0], images @ [0.299, 0.587, 0.114]),
    "turned": (lambda: tf.concat([tf.image.rot90(images[:, :12, :12], k) for k in range(5)], 0),
               np.concatenate([np.rot90(images[:, :12, :12], k, (1, 2)) for k in range(5)])),
    "transposed": (lambda: tf.image.transpose(images), images.transpose(0, 2, 1, 3)),
    "gradients": (lambda: tf.stack(tf.image.image_gradients(images)),
                  np.stack([np.pad(down, ((0, 0), (0, 1), (0, 0), (0, 0))), np.pad(along, ((0, 0), (0, 0), (0, 1), (0, 0)))])),
    "variation": (lambda: tf.image.total_variation(images), np.abs(down).sum((1, 2, 3)) + np.abs(along).sum((1, 2, 3))),
    "sobel": (lambda: tf.image.sobel_edges(images), sobel(images)),
    "psnr": (lambda: tf.image.psnr(images, other, 1.0), -10 * np.log10(((images - other)**2).mean((1, 2, 3)))),
    "ssim": (lambda: tf.image.ssim(images, other, 1.0), [similarity(*pair) for pair in zip(images, other)]),
    "padded": (lambda: tf.image.resize_with_pad(images, 12, 17), np.pad(images, ((0, 0), (0, 0), (2, 2), (0, 0)))),
    "patches": (lambda: tf.image.extract_patches(images, [1, 2, 3, 1], [1, 2, 2, 1], [1, 1, 2, 1], "VALID"), patches)}


@tf.function(experimental_compile=True)
def program():
    return [function() for function, _ in checks.values()]


strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    on_device = strategy.run(program)
for (name, (function, wanted)), found in zip(checks.items(), on_device):
    good = [np.shape(each) == np.shape(wanted) and np.allclose(each, wanted, rtol=1e-4, atol=2e-5) for each in (np.asarray(function()), found.numpy())]
    if not all(good):
        print(name, good)
print(len(checks), "checked")
grey = tf.image.adjust_saturation(whole, 0.0)
print(grey.dtype.name, np.array_equal(grey, np.repeat(whole.max(-1, keepdims=True), 3, -1)), np.isclose(
    tf.image.psnr(whole, 255 - whole, 255).numpy(), -10 * np.log10(((1 - 2 * (whole / 255))**2).mean((1, 2, 3))), rtol=1e-5).all())
drawn = [[function(images, *bounds).numpy() for _ in range(2)] for function, bounds in (
    (tf.image.random_hue, (0.2,)), (tf.image.random_saturation, (0.5, 1.5)))]
print([np.array_equal(*pair) for pair in drawn], [bool(np.allclose(pair[0].max(-1), images.max(-1), atol=1e-6)) for pair in drawn])
for wrong in (lambda: tf.image.random_hue(images, 0.6), lambda: tf.image.random_saturation(images, 1.0, 0.5), lambda: tf.image.ssim(images[:, :5], other[:, :5], 1.0)):
    try:
        wrong()
    except ValueError as error:
        print(error)
