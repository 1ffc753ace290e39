# SPDX-License-Identifier: GPL-3.0-or-later
"""How images differ, from place to place and from one another. Images are [.., rows, columns, channels]."""
import numpy as np

from . import image as image_operations, nn as nn_operations, elementary as operations
from .. import names
from ..tensors.graph import convert
from .elementary import MATH, add, constant, divide, lifted, multiply, reduce_mean, reduce_sum, reshape, subtract


def image_gradients(image):
    """(differences between rows, between columns), 0 in the last ones."""
    x = convert(image)
    if len(x.dims) != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {tuple(x.dims)}.")
    down = subtract(x[:, 1:], x[:, :-1])
    along = subtract(x[:, :, 1:], x[:, :, :-1])
    return operations.pad(down, [[0, 0], [0, 1], [0, 0], [0, 0]]), operations.pad(along, [[0, 0], [0, 0], [0, 1], [0, 0]])


def total_variation(images, name=None):
    """The sum of the differences between neighbours, of each image."""
    x = convert(images)
    axes = list(range(len(x.dims) - 3, len(x.dims)))
    if len(x.dims) not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    down, along = subtract(x[..., 1:, :, :], x[..., :-1, :, :]), subtract(x[..., :, 1:, :], x[..., :, :-1, :])
    return add(reduce_sum(MATH["abs"](down), axes), reduce_sum(MATH["abs"](along), axes))


def sobel_edges(image):
    """[batch, rows, columns, channels, 2]: Sobel's filters of rows and of columns, over images that go on as in a mirror."""
    x = convert(image)
    kernel = np.float32([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    filters = np.tile(np.stack([kernel, kernel.T], -1)[:, :, None], (1, 1, x.dims[-1], 1))
    wide = operations.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    made = nn_operations.depthwise_conv2d(wide, constant(filters), [1, 1, 1, 1], "VALID")
    return reshape(made, [*x.dims, 2])


def _shares(*images, max_val):
    """As floats, with their largest value."""
    x = convert(images[0])
    made = [image_operations.convert_image_dtype(each, "float32") for each in images]
    return (*made, float(max_val) if x.dtype.is_floating else float(max_val) / x.dtype.max)


def psnr(a, b, max_val, name=None):
    """20 log10(max) - 10 log10(mean square error), of each pair of images."""
    a, b, largest = _shares(a, b, max_val=max_val)
    error = reduce_mean(MATH["squared_difference"](a, b), [-3, -2, -1])
    return subtract(float(20 * np.log10(largest)), multiply(MATH["log"](error), float(10 / np.log(10))))


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """Wang et al. (2004): means, variances and covariance under a Gaussian window, of each pair of images."""
    a, b, largest = _shares(img1, img2, max_val=max_val)
    before, channels = list(a.dims[:-3]), a.dims[-1]
    if min(a.dims[-3:-1]) < filter_size:
        raise ValueError(f"images of {list(a.dims[-3:-1])} are smaller than the window of {filter_size}: give another filter_size")
    away = np.arange(filter_size) - (filter_size - 1) / 2
    window = np.exp(-(away[:, None]**2 + away[None]**2) / (2 * filter_sigma**2))
    window = constant(np.tile((window / window.sum())[:, :, None, None], (1, 1, channels, 1)).astype(np.float32))

    def under(x):
        return nn_operations.depthwise_conv2d(reshape(x, [-1, *x.dims[-3:]]), window, [1, 1, 1, 1], "VALID")
    c1, c2 = (k1 * largest)**2, (k2 * largest)**2
    of_a, of_b = under(a), under(b)
    products, squares = multiply(multiply(of_a, of_b), 2.0), add(MATH["square"](of_a), MATH["square"](of_b))
    luminance = divide(add(products, c1), add(squares, c1))
    structure = divide(add(subtract(multiply(under(multiply(a, b)), 2.0), products), c2),
                       add(subtract(under(add(MATH["square"](a), MATH["square"](b))), squares), c2))
    return reshape(reduce_mean(multiply(luminance, structure), [1, 2, 3]), before)


IMAGE = {each.__name__: lifted(each) for each in (image_gradients, total_variation, sobel_edges, psnr, ssim)}


def add_names():
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".image", IMAGE)
