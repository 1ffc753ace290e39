# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that scripts give as tensors, of which some extents may be open until a session is fed."""
import math

import numpy as np

from . import elementary as operations
from ..tensors import known_values


def of_number(tensor, number, axis):
    """A tensor that is taken apart along an axis, whose extent is that number where it is open."""
    dims = tensor.dims
    if dims is not None and dims[axis] is not None:
        return tensor
    if number is None or dims is None or list(dims).count(None) > 1:
        raise ValueError(f"Cannot infer argument `num` from shape {tensor.shape}")
    made = operations.identity(tensor)
    made.set_shape([int(number) if d is None else d for d in dims])
    return made


def _unknown(name):
    return ValueError(f"the shape for {name} is not known before the program runs: give all extents but one a number")


def _read(value):
    """What a variable has, as a tensor; any other value as it is."""
    return value.tensor_of_variable() if hasattr(value, "tensor_of_variable") else value


def extents_of(shape):
    """A shape, given as a list or as what tf.shape() gives, as a list of whole numbers, None, and numbers of the graph."""
    shape = _read(shape)
    if hasattr(shape, "op") and shape.op.kind == "shape":
        return list(shape.op.inputs[0].dims)
    if hasattr(shape, "op") and shape.op.kind == "concatenate" and all(each.dims == (1,) for each in shape.op.inputs):
        shape = list(shape.op.inputs)  # of tf.stack
    if not isinstance(shape, (list, tuple)):
        return operations.wholes(shape)
    shape = list(map(_read, shape))
    known = [None if each is None else operations.known_or_none(each) for each in shape]
    return [given if number is None else int(np.ravel(number)[0]) for number, given in zip(known, shape)]


def _ask_for(extents):
    """Of those that are arguments of the function, or are made of them."""
    for each in extents:
        if each is not None and not isinstance(each, int) and _source(each) is None:
            known_values.ask_for(each)


def reshaped(tensor, shape):
    """What reshape() is given, with -1 for what is known only when it is fed."""
    wanted = extents_of(shape)
    unknown = [i for i, each in enumerate(wanted) if not isinstance(each, int)]
    if not unknown:
        return wanted
    _ask_for(wanted)
    if len(unknown) > 1 or any(wanted[i] is not None and _source(wanted[i]) is None for i in unknown):
        raise _unknown(tensor.name)
    rest = [i for i, each in enumerate(wanted) if isinstance(each, int) and each == -1]
    if rest:  # beside the open extent, which stays what it is
        if tensor.dims is None or list(tensor.dims).count(None) != 1:
            raise _unknown(tensor.name)
        size, others = (math.prod(each for each in extents if isinstance(each, int) and each >= 0) for extents in (tensor.dims, wanted))
        if size % others:
            raise _unknown(tensor.name)
        wanted[rest[0]] = size // others
    wanted[unknown[0]] = -1
    return wanted


def _source(value):
    """(the tensor, the axis) whose extent a number of the graph is, as tf.shape() gives it; None of any other."""
    op, at = getattr(value, "op", None), None
    while op is not None and op.kind in ("slice", "reshape", "cast"):
        at = op.attributes["begin"][0] if op.kind == "slice" else at
        op = op.inputs[0].op
    return (op.inputs[0], at) if op is not None and op.kind == "shape" and at is not None else None


def filled(shape, number, dtype):
    """A tensor of one number whose extents are known, or are those of other tensors; None where all are known."""
    wanted = extents_of(shape)
    given = [i for i, each in enumerate(wanted) if not isinstance(each, int)]
    if not given:
        return None
    _ask_for(wanted)
    made = operations.constant(np.full([1 if i in given else each for i, each in enumerate(wanted)], number, dtype.as_numpy_dtype))
    for axis in given:
        found = None if wanted[axis] is None else _source(wanted[axis])
        if found is None:
            raise ValueError("a shape is not known before the program runs; shapes are static on the IPU")
        tensor, of = found
        ones = operations.cast(operations.ones_like(tensor), "float32")
        ones = operations.reduce_max(ones, [i for i in range(len(tensor.dims)) if i != of]) if len(tensor.dims) > 1 else ones
        ones = operations.maximum(ones, 1.0)  # where the other axes have no extent
        ones = operations.reshape(ones, [-1 if i == axis else 1 for i in range(len(wanted))])
        made = operations.multiply(made, operations.cast(ones, dtype))
    return made
