# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.image. Resizing is a product with the weights of each row
and column, on the host as on the device."""
import functools

import numpy as np

import tilescope_engine as engine

from . import array as array_operations, nn as nn_operations, elementary as operations, random as random_operations
from .. import dtypes, failures
from ..tensors import graph
from ..tensors.graph import convert


class ResizeMethod:
    """tf.image.ResizeMethod."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = "bilinear", "nearest", "bicubic", "area"


_OLDER_METHODS = {0: "bilinear", 1: "nearest", 2: "bicubic", 3: "area"}


def resized(images, size, method, half_pixel):
    x = convert(images)
    method = _OLDER_METHODS.get(method, method)
    height, width = operations.wholes(size)
    rows, columns = len(x.dims) - 3, len(x.dims) - 2
    if method in ("nearest", "nearest_neighbor"):
        for axis, wanted in ((rows, height), (columns, width)):
            x = operations.taken(x, axis, engine.resampled("nearest", x.dims[axis], wanted, half_pixel))
        return x
    if method not in ("bilinear", "bicubic", "area"):
        raise failures.refused(f"tf.image.resize(method={method!r})", "use bilinear, bicubic, area or nearest")
    x = x if x.dtype.is_floating else operations.cast(x, "float32")
    of_width, of_height = (operations.constant(engine.resampled(method, x.dims[axis], wanted, half_pixel))
                           for axis, wanted in ((columns, width), (rows, height)))
    wide = array_operations.tensordot(x, of_width, [[columns], [0]])
    tall = array_operations.tensordot(wide, of_height, [[rows], [0]])
    n = len(x.dims)  # [.., channels, width, height] now
    return operations.transpose(tall, [*range(n - 3), n - 1, n - 2, n - 3])


def resize(images, size, method=ResizeMethod.BILINEAR, preserve_aspect_ratio=False, antialias=False, name=None):
    """As TensorFlow 2 has it: pixels have their centres in their middles."""
    if antialias:
        raise failures.refused("tf.image.resize(antialias=True)", "use method='area'")
    if preserve_aspect_ratio:
        size = _in_proportion(images, size)
    return resized(images, size, method, True)


def _in_proportion(images, size):
    """The largest size within another one that has an image's proportions."""
    own, wanted = convert(images).dims[-3:-1], operations.wholes(size)
    scale = min(goal / extent for goal, extent in zip(wanted, own))
    return [int(np.rint(extent * scale)) for extent in own]


def resize_1(images, size, method=0, align_corners=False, preserve_aspect_ratio=False, name=None):
    """As TensorFlow 1 has it: pixel 0 lies at 0."""
    if align_corners or preserve_aspect_ratio:
        raise failures.refused("tf.image.resize_images(align_corners=…, preserve_aspect_ratio=…)", "use tf.image.resize")
    return resized(images, size, method, False)


def flip_left_right(image):
    return array_operations.reverse(image, [-2])


def flip_up_down(image):
    return array_operations.reverse(image, [-3])


def _randomly(flip):
    def flipped(image, seed=None):
        """Each image of a batch by itself."""
        x = convert(image)
        if len(x.dims) != 4:
            return random_operations.by_chance(flip, x)
        chance = random_operations.uniform([x.dims[0], 1, 1, 1])
        return operations.where(operations.less(chance, 0.5), flip(x), x)
    return flipped


def random_crop(value, size, seed=None, name=None):
    x, size = convert(value), operations.wholes(size)
    for axis, (extent, kept) in enumerate(zip(x.dims, size)):
        if kept < extent:
            begin = random_operations.number(0, extent - kept + 1, "int32")
            x = operations.taken(x, axis, range(begin, begin + kept)) if isinstance(begin, int) else operations.gather(
                x, operations.add(np.arange(kept, dtype=np.int32), begin), axis=axis)
    return x


def random_brightness(image, max_delta, seed=None):
    return adjust_brightness(image, random_operations.number(-max_delta, max_delta))


def random_contrast(image, lower, upper, seed=None):
    return adjust_contrast(image, random_operations.number(lower, upper))


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    return convert(image)[..., offset_height:offset_height + target_height, offset_width:offset_width + target_width, :]


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    x = convert(image)
    rows, columns = x.dims[-3], x.dims[-2]
    around = [[0, 0]] * (len(x.dims) - 3) + [[offset_height, target_height - rows - offset_height],
                                             [offset_width, target_width - columns - offset_width], [0, 0]]
    return operations.pad(x, around)


def resize_with_crop_or_pad(image, target_height, target_width):
    """Cut out of the middle, or padded around it."""
    x = convert(image)
    rows, columns = x.dims[-3], x.dims[-2]
    high, wide = min(rows, target_height), min(columns, target_width)
    cut = crop_to_bounding_box(x, (rows - high) // 2, (columns - wide) // 2, high, wide)
    return pad_to_bounding_box(cut, (target_height - high) // 2, (target_width - wide) // 2, target_height, target_width)


def central_crop(image, central_fraction):
    x = convert(image)
    cut = [int((extent - extent * central_fraction) / 2) for extent in x.dims[-3:-1]]
    return crop_to_bounding_box(x, *cut, x.dims[-3] - 2 * cut[0], x.dims[-2] - 2 * cut[1])


def transposed(image, name=None):
    """Rows as columns."""
    rank = len(convert(image).dims)
    return operations.transpose(image, [*range(rank - 3), rank - 2, rank - 3, rank - 1])


def rot90(image, k=1, name=None):
    """Turned k times by a quarter against the clock."""
    turned = operations.whole(k) % 4
    x = transposed(image) if turned % 2 else convert(image)
    return array_operations.reverse(x, {0: [], 1: [-3], 2: [-3, -2], 3: [-2]}[turned]) if turned else x


def resize_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, antialias=False):
    """As large as fits, with zeros around it."""
    x = convert(image)
    rows, columns = x.dims[-3], x.dims[-2]
    ratio = max(rows / target_height, columns / target_width)
    size = [int(np.floor(rows / ratio)), int(np.floor(columns / ratio))]
    made = resize(x, size, method, antialias=antialias)
    before = [max(0, int((wanted - own) // 2)) for wanted, own in zip((target_height, target_width), (rows / ratio, columns / ratio))]
    return pad_to_bounding_box(made, *before, target_height, target_width)


def extract_patches(images, sizes=None, strides=None, rates=None, padding=None, name=None, ksizes=None):
    """[batch, rows, columns, numbers of a window] of what each place has under a window."""
    x = convert(images)
    window, step, rate = (list(each)[1:3] for each in (ksizes if sizes is None else sizes, strides, rates))
    reach = [(size - 1) * apart + 1 for size, apart in zip(window, rate)]
    top, left, bottom, right = nn_operations.padding_around(x.dims[1:3], reach, step, padding)
    x = operations.pad(x, [[0, 0], [top, bottom], [left, right], [0, 0]])
    made = [(extent - width) // stride + 1 for extent, width, stride in zip(x.dims[1:3], reach, step)]
    parts = [x[:, r * rate[0]:r * rate[0] + (made[0] - 1) * step[0] + 1:step[0], c * rate[1]:c * rate[1] + (made[1] - 1) * step[1] + 1:step[1]]
             for r, c in np.ndindex(*window)]
    return operations.concat(parts, -1)


def per_image_standardization(image):
    """(x - mean) / max(deviation, 1 / sqrt(n)), of each image."""
    x = operations.cast(image, "float32")
    mean, variance = nn_operations.moments(x, [-3, -2, -1], keepdims=True)
    least = 1 / np.sqrt(float(np.prod(x.dims[-3:])))
    return operations.divide(operations.subtract(x, mean),
                             operations.maximum(operations.MATH["sqrt"](variance), float(least)))


def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Whole numbers stand for shares of the largest of their type."""
    x, wanted = convert(image), dtypes.as_dtype(dtype)
    to = array_operations.saturate_cast if saturate else operations.cast
    if x.dtype == wanted or (x.dtype.is_floating and wanted.is_floating):
        return operations.cast(x, wanted)
    if wanted.is_floating:
        return operations.divide(operations.cast(x, wanted), float(x.dtype.max))
    if x.dtype.is_floating:
        return to(operations.multiply(x, wanted.max + 0.5), wanted)
    if x.dtype.max > wanted.max:
        return to(operations.floordiv(x, (x.dtype.max + 1) // (wanted.max + 1)), wanted)
    made, factor = to(x, wanted), (wanted.max + 1) // (x.dtype.max + 1)
    if graph.is_symbolic(made):
        return operations.multiply(made, factor)
    return graph.EagerTensor(made.value * made.value.dtype.type(factor))  # whole numbers of more bits than the engine has


def _in_floats(function):
    """A function of images of floats, for whole numbers too: it is of shares of their largest, and cut off at its ends."""
    @functools.wraps(function)
    def on_images(images, *args, **kwargs):
        x = convert(images)
        if x.dtype.is_floating:
            return function(x, *args, **kwargs)
        return convert_image_dtype(function(convert_image_dtype(x, "float32"), *args, **kwargs), x.dtype, saturate=True)
    return on_images


@_in_floats
def rgb_to_grayscale(images, name=None):
    return operations.reduce_sum(operations.multiply(images, [0.2989, 0.587, 0.114]), -1, keepdims=True)


def grayscale_to_rgb(images, name=None):
    return operations.concat([images] * 3, -1)


@_in_floats
def adjust_brightness(image, delta):
    return operations.add(image, operations.cast(delta, image.dtype))


@_in_floats
def adjust_contrast(images, contrast_factor):
    mean, factor = operations.reduce_mean(images, [-3, -2], keepdims=True), operations.cast(contrast_factor, images.dtype)
    return operations.add(operations.multiply(operations.subtract(images, mean), factor), mean)


IMAGE = {each.__name__: operations.lifted(each) for each in (
    resize, flip_left_right, flip_up_down, random_crop, crop_to_bounding_box, pad_to_bounding_box, central_crop,
    resize_with_crop_or_pad, per_image_standardization, convert_image_dtype, rgb_to_grayscale, grayscale_to_rgb,
    adjust_brightness, adjust_contrast, rot90, resize_with_pad, extract_patches)}
IMAGE.update(ResizeMethod=ResizeMethod, transpose=operations.lifted(transposed), random_flip_left_right=_randomly(flip_left_right),
             random_flip_up_down=_randomly(flip_up_down), random_brightness=random_brightness,
             random_contrast=random_contrast)
IMAGE_1 = {**IMAGE, "resize": resize_1, "resize_images": resize_1, "resize_image_with_crop_or_pad": resize_with_crop_or_pad,
           "transpose_image": IMAGE["transpose"], "extract_image_patches": IMAGE["extract_patches"],
           "resize_bilinear": lambda images, size, align_corners=False, name=None: resize_1(images, size, 0, align_corners),
           "resize_nearest_neighbor": lambda images, size, align_corners=False, name=None:
           resize_1(images, size, 1, align_corners)}

def add_names():
    from .. import names
    names.module("tensorflow.image", IMAGE)
    names.module("tensorflow.compat.v1.image", IMAGE_1)
    names.module("tensorflow.compat.v1", extract_image_patches=IMAGE["extract_patches"])
