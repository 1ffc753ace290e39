# SPDX-License-Identifier: GPL-3.0-or-later
"""More of `tf.nn`: what moves between depth and space, norms over channels nearby, poolings along one axis."""
from . import nn as nn_operations
from ..tensors.graph import convert
from .elementary import (
    MATH, add, concat, divide, expand_dims, lifted, multiply, negative, pad, pow_, relu, reshape, slice_, squeeze, subtract, transpose)


def space_to_depth(input, block_size, data_format="NHWC", name=None):
    """Blocks of places as channels, of images with their channels last."""
    def moved(x):
        n, rows, columns, channels = x.dims
        parts = reshape(x, [n, rows // block_size, block_size, columns // block_size, block_size, channels])
        return reshape(transpose(parts, [0, 1, 3, 2, 4, 5]), [n, rows // block_size, columns // block_size, block_size**2 * channels])
    return nn_operations.of_images(moved, input, data_format)


def depth_to_space(input, block_size, data_format="NHWC", name=None):
    """Channels as blocks of places."""
    def moved(x):
        n, rows, columns, channels = x.dims
        parts = reshape(x, [n, rows, columns, block_size, block_size, channels // block_size**2])
        return reshape(transpose(parts, [0, 1, 3, 2, 4, 5]), [n, rows * block_size, columns * block_size, channels // block_size**2])
    return nn_operations.of_images(moved, input, data_format)


def crelu(features, axis=-1, name=None):
    return relu(concat([features, negative(features)], axis))


def local_response_normalization(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    """Each number over a power of the squares of the channels around it."""
    x = convert(input)
    squares = pad(MATH["square"](x), [[0, 0]] * (len(x.dims) - 1) + [[depth_radius, depth_radius]])
    total = None
    for offset in range(2 * depth_radius + 1):
        part = slice_(squares, [0] * (len(x.dims) - 1) + [offset], list(x.dims))
        total = part if total is None else add(total, part)
    return divide(x, pow_(add(multiply(total, float(alpha)), float(bias)), float(beta)))


def _pool1d(of_images):
    def pool(input, ksize, strides, padding, data_format="NWC", name=None):
        x, width = convert(input), [int(each[-2] if isinstance(each, (list, tuple)) and len(each) == 3 else each[0] if isinstance(
            each, (list, tuple)) else each) for each in (ksize, strides)]
        x = transpose(x, [0, 2, 1]) if data_format == "NCW" else x
        made = squeeze(of_images(expand_dims(x, 1), [1, width[0]], [1, width[1]], padding), [1])
        return transpose(made, [0, 2, 1]) if data_format == "NCW" else made
    return pool


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
    """The loss of each number, of which those with label 1 weigh so much."""
    z, x = convert(targets if labels is None else labels), convert(logits)
    weight = add(multiply(subtract(pos_weight, 1.0), z), 1.0)
    softened = add(MATH["log"](add(MATH["exp"](negative(MATH["abs"](x))), 1.0)), relu(negative(x)))
    return add(multiply(subtract(1.0, z), x), multiply(weight, softened))


NN = {name: lifted(function) for name, function in (
    ("space_to_depth", space_to_depth), ("depth_to_space", depth_to_space), ("crelu", crelu), ("softsign", MATH["softsign"]),
    ("local_response_normalization", local_response_normalization), ("lrn", local_response_normalization),
    ("max_pool1d", _pool1d(nn_operations.max_pool)), ("avg_pool1d", _pool1d(nn_operations.avg_pool)),
    ("weighted_cross_entropy_with_logits", weighted_cross_entropy_with_logits))}


def add_names():
    from .. import names
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".nn", NN)
    names.module("tensorflow.compat.v1", {name: NN[name] for name in ("space_to_depth", "depth_to_space")})
