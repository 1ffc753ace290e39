# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.experimental.numpy: NumPy's functions of tensors of the host; in a program the operations of `tf` that do the same."""
import functools

import numpy as np

from . import elementary as operations
from .. import dtypes, failures, names
from ..structure import flatten, map_structure
from ..tensors import graph

_MADE = ("arange", "ones", "zeros", "full", "array", "asarray", "eye", "identity", "linspace", "logspace", "meshgrid", "concatenate", "stack", "vstack",
         "hstack", "dstack", "split", "array_split", "hsplit", "vsplit", "dsplit", "reshape", "transpose", "swapaxes", "moveaxis", "ravel", "squeeze",
         "expand_dims", "sum", "prod", "mean", "std", "var", "max", "min", "amax", "amin", "argmax", "argmin", "argsort", "sort", "cumsum", "cumprod",
         "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "square", "abs", "absolute", "sign", "sin", "cos", "tan", "sinh", "cosh", "tanh",
         "arcsin", "arccos", "arctan", "floor", "ceil", "round", "around", "maximum", "minimum", "add", "subtract", "multiply", "divide",
         "true_divide", "floor_divide", "mod", "remainder", "power", "negative", "reciprocal", "dot", "matmul", "inner", "outer", "tensordot", "einsum",
         "vdot", "cross", "trace", "where", "clip", "isnan", "isinf", "isfinite", "isclose", "allclose", "array_equal", "tile", "repeat", "flip",
         "fliplr", "flipud", "roll", "rot90", "pad", "broadcast_to", "zeros_like", "ones_like", "full_like", "empty", "empty_like", "all", "any", "diag",
         "diagonal", "diagflat", "tri", "tril", "triu", "count_nonzero", "nonzero", "equal", "not_equal", "less", "less_equal", "greater",
         "greater_equal", "logical_and", "logical_or", "logical_not", "logical_xor", "atleast_1d", "atleast_2d", "atleast_3d", "append", "average",
         "take", "take_along_axis", "ptp", "nanmean", "nansum", "heaviside", "hypot", "vander", "kron", "polyval")
_MOVED = {"hstack": lambda each: operations.concat(each, min(1, len(graph.convert(each[0]).dims) - 1)),
          "vstack": lambda each: operations.concat([x if len(x.dims) > 1 else operations.expand_dims(x, 0) for x in map(graph.convert, each)], 0),
          "concatenate": lambda each, axis=0: operations.concat(each, axis), "ravel": lambda x: operations.reshape(x, [-1])}
_OTHERWISE = {"sum": "reduce_sum", "prod": "reduce_prod", "mean": "reduce_mean", "max": "reduce_max", "min": "reduce_min", "amax": "reduce_max",
              "amin": "reduce_min", "std": "reduce_std", "var": "reduce_variance", "all": "reduce_all", "any": "reduce_any", "dot": "matmul",
              "absolute": "abs", "power": "pow", "true_divide": "divide", "around": "round", "mod": "floormod", "remainder": "floormod"}
_AS_THERE = ("stack", "reshape", "transpose", "squeeze", "expand_dims", "exp", "log", "sqrt", "square", "abs", "sign", "sin", "cos",
             "tanh", "floor", "ceil", "round", "maximum", "minimum", "add", "subtract", "multiply", "divide", "negative", "matmul", "where", "tile",
             "broadcast_to", "zeros_like", "ones_like", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
             "logical_or", "logical_not", "einsum", "tensordot")
_OF_FLOATS = ("mean", "std", "var", "divide", "true_divide", "exp", "log", "sqrt", "sin", "cos", "tanh")  # also of whole numbers, as floats


def _known(value):
    return np.asarray(value) if isinstance(value, graph.Tensor) else value.as_numpy_dtype if isinstance(value, dtypes.DType) else value


def _of_program(name):
    table = {**operations.TOP, **operations.MATH}
    return _MOVED.get(name) or table.get(_OTHERWISE.get(name, name if name in _AS_THERE else ""))


def _lifted(name):
    function = getattr(np, name)

    @functools.wraps(function)
    def lifted(*args, **kwargs):
        if any(graph.is_symbolic(graph.convert(each)) for each in flatten([list(args), kwargs]) if isinstance(each, graph.Tensor)):
            of_program = _of_program(name)
            if of_program is None:
                raise failures.refused(f"tf.experimental.numpy.{name} within a program", "use an operation of tf, or compute it before")
            if name in _OF_FLOATS:
                args = [operations.cast(each, "float32") if isinstance(each, graph.Tensor) and not each.dtype.is_floating else each for each in args]
            return of_program(*args, **kwargs)
        args, kwargs = (map_structure(_known, each) for each in (list(args), kwargs))
        made = function(*args, **kwargs)
        return map_structure(graph.EagerTensor, made) if isinstance(made, (list, tuple)) else made if isinstance(made, bool) else \
            graph.EagerTensor(np.asarray(made))
    return lifted


def add_names():
    kinds = {name: dtypes.ALL[name] for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8") if name in dtypes.ALL}
    names.module("tensorflow.experimental.numpy", {name: _lifted(name) for name in _MADE}, kinds, ndarray=graph.Tensor, pi=np.pi, e=np.e,
                 inf=np.inf, nan=np.nan, newaxis=None, shape=np.shape, ndim=np.ndim, size=np.size)
