# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's operators of tensors."""
import numpy as np

from . import elementary as operations, whole
from ..tensors import graph


def equal(tensor, other, comparison="equal"):
    """What == and != of a tensor give: of each number in TensorFlow 2; in version 1, whether it is the same tensor."""
    values = (graph.Tensor, bool, int, float, str, bytes, np.ndarray, np.generic, list, tuple)
    if not graph.has_equality() or not (isinstance(other, values) or hasattr(other, "tensor_of_variable")):
        return (tensor is other) == (comparison == "equal")
    a, b = graph.convert(tensor), graph.convert(other)
    try:
        np.broadcast_shapes(*[[1 if extent is None else extent for extent in each.dims or ()] for each in (a, b)])
    except ValueError:
        return comparison != "equal"
    if all(isinstance(each, graph.EagerTensor) and each.value.dtype.kind in "OSU" for each in (a, b)):
        a, b = (np.array([operations.text_of(each) for each in tensor.value.ravel()], object).reshape(tensor.dims) for tensor in (a, b))
        return graph.EagerTensor(np.asarray(a == b if comparison == "equal" else a != b, bool))
    return operations.MATH[comparison](tensor, other)


def _inverted(x):
    return whole.invert(x) if graph.as_dtype(x.dtype).is_integer else operations.MATH["logical_not"](x)


def _matmul(a, b):
    return operations.matmul(a, b, name="matmul")


_OF_TWO = {"add": operations.add, "sub": operations.subtract, "mul": operations.multiply, "truediv": operations.truediv,
           "floordiv": operations.floordiv, "mod": operations.floormod, "pow": operations.pow_, "matmul": _matmul,
           **{name: lambda x, y, name=name: whole.of_truths(name, x, y) for name in ("and", "or", "xor")}}
_COMPARED = {"lt": operations.less, "le": operations.less_equal, "gt": operations.greater, "ge": operations.greater_equal,
             "eq": equal, "ne": lambda x, y: equal(x, y, "not_equal"), "getitem": operations.slice_of}
_OF_ONE = {"neg": operations.negative, "abs": operations.abs_, "invert": _inverted}


def give(kind):
    """Gives a class of tensors the operators."""
    for name, function in {**_OF_TWO, **_COMPARED}.items():
        setattr(kind, f"__{name}__", lambda self, other, function=function: function(self, other))
    for name, function in _OF_TWO.items():
        if name != "mod":
            setattr(kind, f"__r{name}__", lambda self, other, function=function: function(other, self))
    for name, function in _OF_ONE.items():
        setattr(kind, f"__{name}__", lambda self, function=function: function(self))
