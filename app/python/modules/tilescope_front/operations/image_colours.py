# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of tf.image: hue, saturation, luminance. Images are [.., rows, columns, channels]."""
import numpy as np

from . import array as array_operations, image as image_operations, elementary as operations, random as random_operations
from .. import failures, names
from ..tensors import draws, graph
from ..tensors.graph import convert
from .elementary import MATH, add, constant, divide, lifted, multiply, reduce_max, reduce_min, stack, subtract, unstack, where

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


IMAGE = {name: lifted(function) for name, function in {
    "rgb_to_hsv": rgb_to_hsv, "hsv_to_rgb": hsv_to_rgb, "adjust_hue": adjust_hue, "adjust_saturation": adjust_saturation,
    "adjust_gamma": adjust_gamma, "rgb_to_yuv": _by_matrix(_YUV), "yuv_to_rgb": _by_matrix(np.linalg.inv(_YUV).astype(np.float32))}.items()}
IMAGE.update(random_hue=random_hue, random_saturation=random_saturation)


def _stateless(name, function):
    """The same, of which all that is drawn follows from the seed."""
    def drawn(image, *args, seed=None, name=None, **kwargs):
        if seed is None:
            *args, seed = args
        if not graph.values_at_hand():
            raise failures.refused(f"tf.image.{drawn.__name__} in a program", "what the device draws does not follow from a seed: call it in "
                                   "Dataset.map()")
        with draws.of_seed(np.ravel(operations.known(seed)).tolist()):
            return function(image, *args, **kwargs)
    drawn.__name__ = f"stateless_{name}"
    return drawn


def add_names():
    drawn = {name: (IMAGE | image_operations.IMAGE)[name] for name in (f"random_{each}" for each in (
        "crop", "brightness", "contrast", "flip_left_right", "flip_up_down", "hue", "saturation"))}
    IMAGE.update({f"stateless_{name}": _stateless(name, function) for name, function in drawn.items()})
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".image", IMAGE)
