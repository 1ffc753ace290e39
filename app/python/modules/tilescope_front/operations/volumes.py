# SPDX-License-Identifier: GPL-3.0-or-later
"""Convolutions and poolings of volumes."""
from . import nn as nn_operations, recipes
from ..tensors.graph import convert


def _of_volumes(kind, x, w, window, steps, rates, padding):
    """What the engine's recipe makes of volumes x, and of filters w where it takes them."""
    reach = [(size - 1) * rate + 1 for size, rate in zip(window, rates)]
    around = nn_operations.padding_around(x.dims[1:4], reach, steps, padding)
    if any(extent is not None and extent + around[i] + around[i + 3] < reach[i] for i, extent in enumerate(x.dims[1:4])):
        raise ValueError(f"a window of {reach} does not fit volumes of {list(x.dims[1:4])}")
    settings = {"window": window, "strides": steps, "dilations": rates, "padding": around, "groups": x.dims[4] // w.dims[3] if w is not None else 1}
    return recipes.volumes(kind, [x] if w is None else [x, w], settings)


def conv3d(input, filters=None, strides=1, padding="VALID", data_format="NDHWC", dilations=None, name=None, filter=None):
    """Filters are [depth, rows, columns, in, out]."""
    w = convert(filter if filters is None else filters)

    def convolved(x, steps, rates, around):
        return _of_volumes("conv3d", x, w, list(w.dims[:3]), steps, rates, around)
    return nn_operations.of_images(convolved, input, data_format, strides, dilations, padding, rank=3)


def _pooling(kind):
    def pool(input, ksize, strides, padding, data_format="NDHWC", name=None):
        def pooled(x, window, steps, around):
            return _of_volumes(kind, x, None, window, steps, [1, 1, 1], around)
        return nn_operations.of_images(pooled, input, data_format, ksize, strides, padding, rank=3)
    return pool


max_pool3d, avg_pool3d = _pooling("max_pool2d"), _pooling("average_pool2d")


def convolution(input, filters=None, strides=None, padding="VALID", data_format=None, dilations=None, name=None, filter=None,
                dilation_rate=None):
    """Of one, two or three dimensions, as the filters say."""
    w, rates = convert(filter if filters is None else filters), dilations if dilation_rate is None else dilation_rate
    function = {3: nn_operations.conv1d, 4: nn_operations.conv2d, 5: conv3d}[len(w.dims)]
    order = {"data_format": data_format} if data_format else {}
    return function(input, w, 1 if strides is None else strides, padding, dilations=rates, **order)
