# SPDX-License-Identifier: GPL-3.0-or-later
"""Convolutions and poolings of volumes, as those of their planes."""
import numpy as np

from . import nn as nn_operations, elementary as operations
from ..tensors.graph import convert
from .elementary import TOP, concat, divide, reduce_max, reduce_sum, reshape, transpose


def _triples(given, last):
    """What is said of depth, rows and columns."""
    given = [1 if given is None else given] * 3 if given is None or isinstance(given, (int, np.integer)) else list(given)
    given = given * 3 if len(given) == 1 else given
    return [int(each) for each in (given[1:4] if len(given) == 5 and last else given[2:] if len(given) == 5 else given)]


def _depths(extent, reach, step, padding):
    """(how many planes are made, what is padded before and after)."""
    if padding.upper() != "SAME":
        return (extent - reach) // step + 1, (0, 0)
    made = -(-extent // step)
    total = max((made - 1) * step + reach - extent, 0)
    return made, (total // 2, total - total // 2)


def _planes(x, window, step, rate, padding, filled):
    """For each place in a window's depth, the planes under it: [batch, planes, rows, columns, channels]."""
    reach = (window - 1) * rate + 1
    extent = x.dims[1]
    made, (before, after) = _depths(extent, reach, step, padding)
    ends = [[TOP["fill"]([x.dims[0], count, *x.dims[2:]], filled)] if count else [] for count in (before, after)]
    x = concat([*ends[0], x, *ends[1]], 1) if before + after else x
    return [x[:, first * rate:first * rate + (made - 1) * step + 1:step] for first in range(window)], made


def _in_volumes(function):
    """function(x with its channels last, …), in the order of x."""
    def on_volumes(input, *args, data_format="NDHWC", name=None, **named):
        first = data_format in ("NCDHW", "channels_first")
        x = transpose(input, [0, 2, 3, 4, 1]) if first else convert(input)
        made = function(x, *args, last=not first, **named)
        return transpose(made, [0, 4, 1, 2, 3]) if first else made
    return on_volumes


def _conv3d(x, filters=None, strides=1, padding="VALID", dilations=None, filter=None, last=True):
    """A convolution of planes, whose channels are those of all planes that a filter is deep. Filters are [depth, rows, columns, in, out]."""
    w, steps, rates = convert(filter if filters is None else filters), _triples(strides, last), _triples(dilations, last)
    planes, made = _planes(x, w.dims[0], steps[0], rates[0], padding, 0.0)
    batch, rows, columns = x.dims[0], x.dims[2], x.dims[3]
    together = reshape(concat(planes, -1), [batch * made, rows, columns, -1])
    flat = reshape(transpose(w, [1, 2, 0, 3, 4]), [w.dims[1], w.dims[2], w.dims[0] * w.dims[3], w.dims[4]])
    y = nn_operations.conv2d(together, flat, steps[1:], padding, dilations=rates[1:])
    return reshape(y, [batch, made, *y.dims[1:]])


def _pool3d(of_images, largest):
    def pool(x, ksize, strides, padding, last=True):
        window, steps = _triples(ksize, last), _triples(strides, last)
        batch, depth, rows, columns, channels = x.dims
        y = of_images(reshape(x, [batch * depth, rows, columns, channels]), window[1:], steps[1:], padding)
        y = reshape(y, [batch, depth, *y.dims[1:]])
        planes, made = _planes(y, window[0], steps[0], 1, padding, float(np.finfo(np.float32).min) if largest else 0.0)
        stacked = operations.stack(planes)
        if largest:
            return reduce_max(stacked, 0)
        ones = np.pad(np.ones(depth, np.float32), _depths(depth, window[0], steps[0], padding)[1])
        counts = np.float32([ones[first:first + window[0]].sum() for first in range(0, made * steps[0], steps[0])])
        return divide(reduce_sum(stacked, 0), counts[:, None, None, None])
    return pool


conv3d = _in_volumes(_conv3d)
max_pool3d = _in_volumes(_pool3d(nn_operations.max_pool, True))
avg_pool3d = _in_volumes(_pool3d(nn_operations.avg_pool, False))


def convolution(input, filters=None, strides=None, padding="VALID", data_format=None, dilations=None, name=None, filter=None,
                dilation_rate=None):
    """Of one, two or three dimensions, as the filters say."""
    w, rates = convert(filter if filters is None else filters), dilations if dilation_rate is None else dilation_rate
    function = {3: nn_operations.conv1d, 4: nn_operations.conv2d, 5: conv3d}[len(w.dims)]
    order = {"data_format": data_format} if data_format else {}
    return function(input, w, 1 if strides is None else strides, padding, dilations=rates, **order)
