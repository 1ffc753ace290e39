# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of whole numbers alone: tf.bitwise, and products of matrices, for which IPUs have no units of their own."""
import numpy as np

from . import elementary as operations
from .. import host, names
from ..tensors import graph
from .elementary import lifted


def _of_whole(kind, x):
    if not x.dtype.is_integer:
        raise TypeError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: int8, int16, int32, int64, uint8, uint16, "
                        f"uint32, uint64, for {kind}")
    return x


def _binary(kind):
    def function(x, y, name=None):
        x, y = (_of_whole(kind, each) for each in operations._pair(x, y))
        return graph.apply(kind, [x, y], None, name)[0]
    function.__name__ = kind
    return function


def _shift(kind):
    """By as many places as a number has, at most."""
    shifted = _binary(kind)

    def function(x, y, name=None):
        x, y = operations._pair(x, y)
        places = np.dtype(_of_whole(kind, x).dtype.as_numpy_dtype).itemsize * 8
        return shifted(x, operations.minimum(operations.maximum(y, 0), places - 1), name)
    function.__name__ = kind
    return function


def invert(x, name=None):
    """Each bit the other way."""
    return graph.apply("bitwise_not", [_of_whole("invert", graph.convert(x))], None, name)[0]


BITWISE = {name: lifted(function) for name, function in {
    **{name: _binary(name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")}, "left_shift": _shift("left_shift"),
    "right_shift": _shift("right_shift"), "invert": invert}.items()}


def of_truths(name, x, y):
    """What & | ^ make of tensors: of truth values what is said of them, of whole numbers their bits."""
    from .array import MATH_MORE
    x, y = operations._pair(x, y)
    if x.dtype.is_bool:
        return {"and": operations.logical_and, "or": operations.logical_or, "xor": MATH_MORE["logical_xor"]}[name](x, y)
    return BITWISE["bitwise_" + name](x, y)


def product(a, b, transpose_a, transpose_b):
    """Of matrices of whole numbers in a program: all products of two numbers, and their sums."""
    host.tell_once("tilescope: matmul of whole numbers on the device: products of two numbers each, and their sums; the units for products of "
                   "matrices have floats alone")
    a, b = (operations.transpose(each, [*range(len(each.dims) - 2), len(each.dims) - 1, len(each.dims) - 2]) if turned else each
            for each, turned in ((a, transpose_a), (b, transpose_b)))
    return operations.reduce_sum(operations.multiply(operations.expand_dims(a, -1), operations.expand_dims(b, -3)), -2)


def add_names():
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(f"{module}.bitwise", BITWISE)
