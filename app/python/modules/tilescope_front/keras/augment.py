# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' layers that change images at random while a model trains; else they hand them on."""
import numpy as np

from .. import configured, failures
from ..operations import image as image_operations, elementary as operations, random as random_operations
from ..tensors import graph
from .layers import LAYERS, Layer
from ..operations.elementary import MATH, add, multiply, subtract


class _Random(Layer):
    """A layer whose `changed` makes other images of images [batch, rows, columns, channels]."""

    is_described = True
    rank = 4

    def call(self, inputs, training=None):
        x = graph.convert(inputs)
        if len(x.dims) != self.rank:
            raise ValueError(f"{type(self).__name__} takes images [batch, rows, columns, channels], and got {tuple(x.dims)}")
        return self.changed(x) if training else self.kept(x)

    def kept(self, x):
        return x

    def _bounds(self, name, given, least=None, most=None):
        """(lowest, highest) of what is drawn: as given, or as far below 0 as above it."""
        low, high = (float(each) for each in given) if isinstance(given, (list, tuple)) else (-float(given), float(given))
        if high < low or least is not None and low < least or most is not None and high > most:
            raise ValueError(f"`{name}` cannot have an upper bound less than the lower one, or bounds beyond {least} and {most}, got {given}.")
        return low, high


class RandomFlip(_Random):
    def changed(self, x):
        mode = self.settings["mode"]
        if mode not in ("horizontal", "vertical", "horizontal_and_vertical"):
            raise ValueError(f"RandomFlip layer {self.name} received an unknown mode argument {mode}")
        x = image_operations.IMAGE["random_flip_left_right"](x) if "horizontal" in mode else x
        return image_operations.IMAGE["random_flip_up_down"](x) if "vertical" in mode else x


class RandomContrast(_Random):
    """One factor for a batch, of how far pixels are from the mean of their image."""

    def changed(self, x):
        given = self.settings["factor"]
        low, high = given if isinstance(given, (list, tuple)) else (given, given)
        if low < 0 or high < 0 or low > 1:
            raise ValueError(f"Factor cannot have negative values or greater than 1.0, got {given}")
        return image_operations.adjust_contrast(x, random_operations.uniform([], 1.0 - low, 1.0 + high))


class RandomCrop(_Random):
    """A part of each image at one place; while the model does not train, the middle."""

    def _check(self, x):
        size = int(self.settings["height"]), int(self.settings["width"])
        if size[0] > x.dims[1] or size[1] > x.dims[2]:
            raise failures.refused(f"RandomCrop{size} of images of {list(x.dims[1:3])}", "make them larger beforehand, with Resizing")
        return size

    def changed(self, x):
        return image_operations.random_crop(x, [x.dims[0], *self._check(x), x.dims[3]])

    def kept(self, x):
        height, width = self._check(x)
        return image_operations.crop_to_bounding_box(x, (x.dims[1] - height) // 2, (x.dims[2] - width) // 2, height, width)


class _Moved(_Random):
    """What lies at a + b column + c row of the images that are given: `transforms` draws (a, b, c) of columns and of rows."""

    def changed(self, x):
        mode = self.settings["fill_mode"]
        if mode not in _FILLS:
            raise ValueError(f"Unknown `fill_mode` {mode}. Only `reflect`, `wrap`, `constant` and `nearest` are supported.")
        if self.settings["interpolation"] not in ("bilinear", "nearest"):
            raise ValueError(f"Unknown `interpolation` {self.settings['interpolation']}. Only `bilinear` and `nearest` are supported.")
        batch, rows, columns = x.dims[:3]
        grid = np.mgrid[:rows, :columns].astype(np.float32).reshape(2, 1, -1)
        of_columns, of_rows = self.transforms(batch, rows, columns)
        places = [add(add(multiply(b, grid[1]), multiply(c, grid[0])), a) for a, b, c in (of_rows, of_columns)]  # [batch, places] of rows, columns
        return operations.reshape(_sampled(x, places, mode, float(self.settings["fill_value"]), self.settings["interpolation"] == "nearest"), list(x.dims))

    def _drawn(self, batch, bounds):
        """[batch, 1]: one number for each image."""
        low, high = bounds
        return operations.constant(np.full([batch, 1], low, np.float32)) if low == high else random_operations.uniform([batch, 1], low, high)


def _reflected(at, extent):
    """d c b a | a b c d | d c b a."""
    twice = 2.0 * extent
    turned = subtract(at, multiply(MATH["floor"](operations.divide(at, twice)), twice))
    return operations.clip_by_value(operations.where(MATH["greater_equal"](turned, float(extent)), subtract(twice - 1, turned), turned), 0.0, extent - 1.0)


def _wrapped(at, extent):
    return operations.clip_by_value(subtract(at, multiply(MATH["floor"](operations.divide(at, float(extent))), float(extent))), 0.0, extent - 1.0)


_FILLS = {"reflect": _reflected, "wrap": _wrapped, "nearest": lambda at, extent: operations.clip_by_value(at, 0.0, extent - 1.0),
          "constant": lambda at, extent: at}


def _sampled(x, places, mode, filled, nearest):
    """[batch, places, channels]: what lies at places (rows, columns) of images."""
    batch, rows, columns, channels = x.dims
    flat = operations.reshape(x, [batch, rows * columns, channels])
    at = [_FILLS[mode](each, extent) for each, extent in zip(places, (rows, columns))]

    def pixel(r, c):
        within = [operations.clip_by_value(each, 0.0, extent - 1.0) for each, extent in ((r, rows), (c, columns))]
        number = operations.cast(add(multiply(within[0], float(columns)), within[1]), "int32")
        found = operations.gather(flat, number, batch_dims=1)
        if mode != "constant":
            return found
        inside = operations.logical_and(*(MATH["equal"](a, b) for a, b in zip(within, (r, c))))
        return operations.where(operations.expand_dims(inside, -1), found, filled)
    if nearest:
        return pixel(*(MATH["round"](each) for each in at))
    first = [MATH["floor"](each) for each in at]
    share = [operations.expand_dims(subtract(each, floor), -1) for each, floor in zip(at, first)]
    total = None
    for down, along in np.ndindex(2, 2):
        weight = multiply(share[0] if down else subtract(1.0, share[0]), share[1] if along else subtract(1.0, share[1]))
        part = multiply(pixel(add(first[0], float(down)), add(first[1], float(along))), weight)
        total = part if total is None else add(total, part)
    return total


class RandomRotation(_Moved):
    """Around the middle, by shares of the whole circle."""

    def transforms(self, batch, rows, columns):
        angle = multiply(self._drawn(batch, self._bounds("factor", self.settings["factor"])), float(2 * np.pi))
        sin, cos = MATH["sin"](angle), MATH["cos"](angle)
        wide, high = columns - 1.0, rows - 1.0
        right = multiply(subtract(wide, subtract(multiply(cos, wide), multiply(sin, high))), 0.5)
        down = multiply(subtract(high, add(multiply(sin, wide), multiply(cos, high))), 0.5)
        return (right, cos, operations.negative(sin)), (down, sin, cos)


class RandomZoom(_Moved):
    """By shares of the height, and of the width or the same; above 0 it zooms out."""

    def transforms(self, batch, rows, columns):
        of_rows = add(self._drawn(batch, self._bounds("height_factor", self.settings["height_factor"], -1.0)), 1.0)
        width = self.settings["width_factor"]
        of_columns = of_rows if width is None else add(self._drawn(batch, self._bounds("width_factor", width, -1.0)), 1.0)
        zero = operations.zeros([batch, 1])
        return ((multiply(subtract(1.0, of_columns), (columns - 1) / 2), of_columns, zero), (multiply(subtract(1.0, of_rows), (rows - 1) / 2), zero, of_rows))


class RandomTranslation(_Moved):
    """By shares of the height, down, and of the width, to the right."""

    def transforms(self, batch, rows, columns):
        down, right = (multiply(self._drawn(batch, self._bounds(name, self.settings[name], -1.0, 1.0)), float(extent))
                       for name, extent in (("height_factor", rows), ("width_factor", columns)))
        one, zero = operations.ones([batch, 1]), operations.zeros([batch, 1])
        return (operations.negative(right), one, zero), (operations.negative(down), zero, one)


_FILL = "fill_mode='reflect', interpolation='bilinear', seed=None, fill_value=0.0"
AUGMENT = {}
for _kind, _parameters in ((RandomFlip, "mode='horizontal_and_vertical', seed=None"), (RandomContrast, "factor, seed=None"),
                           (RandomCrop, "height, width, seed=None"), (RandomRotation, "factor, " + _FILL),
                           (RandomZoom, "height_factor, width_factor=None, " + _FILL), (RandomTranslation, "height_factor, width_factor, " + _FILL)):
    _kind.parameters, _kind.__signature__ = _parameters, configured.signature_of(_parameters)
    AUGMENT[_kind.__name__] = _kind


def add_names():
    from .. import names
    LAYERS.update(AUGMENT)
    for below in ("layers", "layers.experimental.preprocessing"):
        names.module(f"tensorflow.keras.{below}", AUGMENT, {kind: LAYERS[kind] for kind in ("Rescaling", "Resizing", "CenterCrop")})
        for name in ("RandomHeight", "RandomWidth"):
            names.refuse(f"tensorflow.keras.{below}.{name}", "shapes are static on the IPU; use RandomZoom")
