# SPDX-License-Identifier: GPL-3.0-or-later
"""More of tf.image: colours, turns, differences between neighbours, and how alike images are. Images are [.., rows, columns, channels]."""
import numpy as np

from . import array_operations, image_operations, names, nn_operations, operations, random_operations
from .graph import convert
from .operations import MATH, add, concat, constant, divide, lifted, multiply, reduce_max, reduce_mean, reduce_min, reduce_sum, reshape, stack, \
    subtract, transpose, unstack, where

_YUV = np.float32([[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]])


def _by_matrix(matrix):
    """Each pixel times a matrix."""
    return lambda images: array_operations.tensordot(images, constant(matrix), [[-1], [0]])


def rgb_to_hsv(images, name=None):
    """Hue, as a share of the whole circle, saturation and value. Hue and saturation of grey are 0."""
    r, g, b = unstack(convert(images), axis=-1)
    most, least = reduce_max(images, -1), reduce_min(images, -1)
    spread = subtract(most, least)
    grey, zero = MATH["equal"](spread, 0.0), operations.zeros_like(most)
    over = where(grey, operations.ones_like(spread), spread)
    of_green = add(divide(subtract(b, r), multiply(over, 6.0)), 2 / 6)
    of_blue = add(divide(subtract(r, g), multiply(over, 6.0)), 4 / 6)
    of_red = divide(subtract(g, b), multiply(over, 6.0))
    hue = where(MATH["equal"](most, r), of_red, where(MATH["equal"](most, g), of_green, of_blue))
    hue = where(grey, zero, where(MATH["less"](hue, 0.0), add(hue, 1.0), hue))
    black = MATH["equal"](most, 0.0)
    saturation = where(black, zero, divide(spread, where(black, operations.ones_like(most), most)))
    return stack([hue, saturation, most], -1)


def hsv_to_rgb(images, name=None):
    """value (1 - saturation (1 - c)), with c from the distance of the hue to each colour's third of the circle."""
    hue, saturation, value = unstack(convert(images), axis=-1)
    six = multiply(hue, 6.0)
    shares = [subtract(MATH["abs"](subtract(six, 3.0)), 1.0), subtract(2.0, MATH["abs"](subtract(six, 2.0))),
              subtract(2.0, MATH["abs"](subtract(six, 4.0)))]
    made = [multiply(value, subtract(1.0, multiply(saturation, subtract(1.0, operations.clip_by_value(each, 0.0, 1.0))))) for each in shares]
    return stack(made, -1)


@image_operations._in_floats
def adjust_hue(image, delta, name=None):
    hue, saturation, value = unstack(rgb_to_hsv(image), axis=-1)
    moved = add(hue, operations.cast(delta, hue.dtype))
    return hsv_to_rgb(stack([subtract(moved, MATH["floor"](moved)), saturation, value], -1))


@image_operations._in_floats
def adjust_saturation(image, saturation_factor, name=None):
    hue, saturation, value = unstack(rgb_to_hsv(image), axis=-1)
    factor = operations.cast(saturation_factor, saturation.dtype)
    return hsv_to_rgb(stack([hue, operations.clip_by_value(multiply(saturation, factor), 0.0, 1.0), value], -1))


@image_operations._in_floats
def adjust_gamma(image, gamma=1, gain=1):
    return multiply(operations.pow_(image, float(gamma)), float(gain))


def random_hue(image, max_delta, seed=None):
    if not 0 <= max_delta <= 0.5:
        raise ValueError("max_delta must be <= 0.5." if max_delta > 0.5 else "max_delta must be non-negative.")
    return adjust_hue(image, random_operations.number(-max_delta, max_delta))


def random_saturation(image, lower, upper, seed=None):
    if upper <= lower or lower < 0:
        raise ValueError("upper must be > lower." if lower >= 0 else "lower must be non-negative.")
    return adjust_saturation(image, random_operations.number(lower, upper))


def transposed(image, name=None):
    """Rows as columns."""
    rank = len(convert(image).dims)
    return transpose(image, [*range(rank - 3), rank - 2, rank - 3, rank - 1])


def rot90(image, k=1, name=None):
    """Turned k times by a quarter against the clock."""
    turned = operations.whole(k) % 4
    x = transposed(image) if turned % 2 else convert(image)
    return array_operations.reverse(x, {0: [], 1: [-3], 2: [-3, -2], 3: [-2]}[turned]) if turned else x


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


def resize_with_pad(image, target_height, target_width, method=image_operations.ResizeMethod.BILINEAR, antialias=False):
    """As large as fits, with zeros around it."""
    x = convert(image)
    rows, columns = x.dims[-3], x.dims[-2]
    ratio = max(rows / target_height, columns / target_width)
    size = [int(np.floor(rows / ratio)), int(np.floor(columns / ratio))]
    made = image_operations.resize(x, size, method, antialias=antialias)
    before = [max(0, int((wanted - own) // 2)) for wanted, own in zip((target_height, target_width), (rows / ratio, columns / ratio))]
    return image_operations.pad_to_bounding_box(made, *before, target_height, target_width)


def extract_patches(images, sizes=None, strides=None, rates=None, padding=None, name=None, ksizes=None):
    """[batch, rows, columns, numbers of a window] of what each place has under a window."""
    x = convert(images)
    window, step, rate = (list(each)[1:3] for each in (ksizes if sizes is None else sizes, strides, rates))
    reach = [(size - 1) * apart + 1 for size, apart in zip(window, rate)]
    top, left, bottom, right = nn_operations._padding(x.dims[1:3], reach, step, padding)
    x = operations.pad(x, [[0, 0], [top, bottom], [left, right], [0, 0]])
    made = [(extent - width) // stride + 1 for extent, width, stride in zip(x.dims[1:3], reach, step)]
    parts = [x[:, r * rate[0]:r * rate[0] + (made[0] - 1) * step[0] + 1:step[0], c * rate[1]:c * rate[1] + (made[1] - 1) * step[1] + 1:step[1]]
             for r, c in np.ndindex(*window)]
    return concat(parts, -1)


IMAGE = {name: lifted(function) for name, function in {
    "rgb_to_hsv": rgb_to_hsv, "hsv_to_rgb": hsv_to_rgb, "adjust_hue": adjust_hue, "adjust_saturation": adjust_saturation,
    "adjust_gamma": adjust_gamma, "transpose": transposed, "rot90": rot90, "image_gradients": image_gradients, "total_variation": total_variation,
    "sobel_edges": sobel_edges, "psnr": psnr, "ssim": ssim, "resize_with_pad": resize_with_pad, "extract_patches": extract_patches,
    "rgb_to_yuv": _by_matrix(_YUV), "yuv_to_rgb": _by_matrix(np.linalg.inv(_YUV).astype(np.float32))}.items()}
IMAGE.update(random_hue=random_hue, random_saturation=random_saturation)


def add_names():
    names.module("tensorflow.image", IMAGE)
    names.module("tensorflow.compat.v1.image", IMAGE, transpose_image=IMAGE["transpose"], extract_image_patches=IMAGE["extract_patches"])
    names.module("tensorflow.compat.v1", extract_image_patches=IMAGE["extract_patches"])
