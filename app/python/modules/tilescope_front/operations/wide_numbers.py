# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's operators on numbers of the host that the engine does not have, or has but in part: float64, and whole numbers, which
wrap around. TensorFlow computes them as they are; so does NumPy here, by what the operators' summaries say. tests/app/scripts/wide_numbers.py
holds both to each other."""
import math

import numpy as np

from .. import errors

WIDE = ("float64", "int64", "uint64", "uint32")  # of which the engine has no type


def _sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), 1 - 1 / (1 + np.exp(-np.abs(x))))


def _softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def _elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


_erf = np.vectorize(math.erf, [np.float64])


def _erf_of(x):
    return _erf(x) if x.size else x


_UNARY = {
    "identity": np.array, "stop_gradient": np.array, "negate": np.negative, "abs": np.abs, "square": np.square, "sign": np.sign,
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x, "sin": np.sin,
    "cos": np.cos, "tanh": np.tanh, "sigmoid": _sigmoid, "erf": _erf_of, "floor": np.floor, "ceil": np.ceil, "round": np.round,
    "softplus": _softplus, "log_sigmoid": lambda x: -_softplus(-x), "softsign": lambda x: x / (1 + np.abs(x)),
    "relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6), "swish": lambda x: x * _sigmoid(x), "gelu_tanh": _gelu_tanh,
    "gelu": lambda x: 0.5 * x * (1 + _erf_of(x / math.sqrt(2))), "mish": lambda x: x * np.tanh(_softplus(x)),
    "selu": lambda x: 1.0507009873554804934193349852946 * _elu(x, 1.6732632423543772848170429916717),
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1)}


def _power(a, b):
    if a.dtype.kind in "iu" and np.any(b < 0):
        raise errors.InvalidArgumentError(message="Integers to negative integer powers are not allowed")
    return np.power(a, b)


_BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": lambda a, b: _quotient(a, b), "maximum": np.maximum,
    "minimum": np.minimum, "power": _power, "atan2": np.arctan2, "fmod": np.fmod, "floor_mod": np.mod,
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "left_shift": np.left_shift, "right_shift": np.right_shift}


def _quotient(a, b):
    """Of whole numbers without what is behind the point."""
    if a.dtype.kind == "f":
        return np.divide(a, b)
    if not np.all(b):
        raise errors.InvalidArgumentError(message="Integer division by zero")
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b)) if a.dtype.kind == "i" else a // b


def _mean(x, axis=None, keepdims=False):
    if x.dtype.kind == "f":
        return np.mean(x, axis, keepdims=keepdims)
    total = np.sum(x, axis, dtype=x.dtype, keepdims=keepdims)
    return _quotient(total, np.asarray(max(x.size // max(total.size, 1), 1), x.dtype))


def _reduction(function):
    def reduced(x, axes=None, keep_dims=False):
        axis = None if axes is None else tuple(axes)
        return x if axis == () else function(x, axis=axis, keepdims=keep_dims)
    return reduced


def _sum_in(function):
    return lambda x, axis, keepdims: function(x, axis, dtype=x.dtype, keepdims=keepdims)


def _matmul(a, b, transpose_a=False, transpose_b=False, serialization_factor=1, serialization_dimension=""):
    return np.matmul(a.swapaxes(-1, -2) if transpose_a else a, b.swapaxes(-1, -2) if transpose_b else b)


def _softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _log_softmax(x):
    apart = x - x.max(-1, keepdims=True)
    return apart - np.log(np.exp(apart).sum(-1, keepdims=True))


def _select(condition, a, b):
    return np.where(condition, a, b)


def _slice(x, begin, size):
    return x[tuple(slice(at, at + many) for at, many in zip(begin, size))]


def _split(x, axis, sizes):
    return np.split(x, np.cumsum(sizes)[:-1], axis)


def _pad(x, before, after, value=0.0):
    return np.pad(x, list(zip(before, after)), constant_values=np.asarray(value).astype(x.dtype))


def _gather(x, places, axis=0):
    """What lies outside is 0."""
    axis %= x.ndim
    inside = (places >= 0) & (places < x.shape[axis])
    found = np.take(x, np.where(inside, places, 0), axis)
    return np.where(inside.reshape((1,) * axis + places.shape + (1,) * (x.ndim - axis - 1)), found, np.zeros((), x.dtype))


def _inside(x, places):
    """Whether the places in the last dimension are there, of whole blocks of x."""
    return np.all((places >= 0) & (places < np.array(x.shape[:places.shape[-1]], np.int64)), -1)


def _gather_nd(x, places, batch_dims=0):
    if batch_dims:
        return np.stack([_gather_nd(row, place, batch_dims - 1) for row, place in zip(x, places)])
    inside = _inside(x, places)
    found = x[tuple(np.moveaxis(np.where(inside[..., None], places, 0), -1, 0))]
    return np.where(inside.reshape(inside.shape + (1,) * (found.ndim - inside.ndim)), found, np.zeros((), x.dtype))


def _scatter_nd(x, places, updates, reduction="none"):
    """What lies outside is left out; of equal places the last one counts, where they are not put together."""
    depth, made = places.shape[-1], np.array(x)
    places = places.reshape(-1, depth)
    inside = _inside(x, places)
    updates = updates.reshape(len(places), *x.shape[depth:])[inside]
    at = tuple(places[inside].T)
    if reduction == "none":
        made[at] = updates
    else:
        {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}[reduction].at(made, at, updates)
    return made


def _top_k(x, k, largest=True):
    order = np.argsort(x[..., ::-1], -1, kind="stable")[..., ::-1] if largest else np.argsort(x, -1, kind="stable")
    places = x.shape[-1] - 1 - order if largest else order
    places = places[..., :k]
    return [np.take_along_axis(x, places, -1), places.astype(np.int32)]


_OTHERS = {
    "reduce_sum": _reduction(_sum_in(np.sum)), "reduce_prod": _reduction(_sum_in(np.prod)), "reduce_mean": _reduction(_mean),
    "reduce_max": _reduction(np.max), "reduce_min": _reduction(np.min), "matmul": _matmul, "softmax": _softmax,
    "log_softmax": _log_softmax, "select": _select, "slice": _slice, "split": _split, "pad": _pad, "gather_nd": _gather_nd, "top_k": _top_k,
    "argmax": lambda x, axis: np.argmax(x, axis).astype(np.int32), "gather": _gather, "scatter_nd": _scatter_nd,
    "take": lambda x, axis, indices: np.take(x, indices, axis), "broadcast_to": lambda x, shape: np.broadcast_to(x, shape).copy(),
    "reshape": lambda x, shape: x.reshape(shape), "transpose": lambda x, permutation: x.transpose(permutation),
    "concatenate": lambda *parts, axis: np.concatenate(parts, axis), "elu": _elu,
    "leaky_relu": lambda x, alpha=0.2: np.where(x > 0, x, alpha * x), "bitwise_not": np.invert}
_TABLE = {**_UNARY, **_BINARY, **_OTHERS}
_ALIKE = {*_BINARY, "matmul"}  # whose operands must be of one type
_OF_REALS = {*_UNARY, "softmax", "log_softmax", "elu", "leaky_relu", "fmod", "floor_mod"} - {"identity", "stop_gradient", "negate", "abs", "square", "sign",
                                                                         "round", "relu", "relu6"}


def has(kind, kinds):
    """Whether an operator is computed here, of arrays of these types of NumPy."""
    if kind not in _TABLE or kind in _ALIKE and len(set(kinds)) > 1:
        return False
    of_numbers = kinds[1] if kind == "select" else kinds[0]
    return of_numbers == np.float64 or of_numbers.kind in "iu" and kind not in _OF_REALS


def compute(kind, arrays, attributes):
    """The outputs of an operator. Errors: TensorFlow's InvalidArgumentError where the arrays do not fit."""
    with np.errstate(all="ignore"):
        try:
            made = _TABLE[kind](*arrays, **attributes)
        except (ValueError, IndexError) as error:
            raise errors.InvalidArgumentError(message=f"{kind}: {error}") from error
    return [np.asarray(each) for each in (made if isinstance(made, list) else [made])]
