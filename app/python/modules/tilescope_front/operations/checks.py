# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.debugging and the tf.assert_… of TensorFlow 1: checks of values that are known; those of the device nobody checks."""
import numpy as np

from . import elementary as operations
from .. import errors, names
from ..tensors import graph
from ..structure import flatten


def assert_(condition, data, summarize=None, name=None):
    """tf.Assert."""
    tensor = graph.convert(condition)
    if not graph.is_symbolic(tensor) and not np.all(tensor.value):
        raise errors.InvalidArgumentError(message=f"assertion failed: {[np.asarray(each).tolist() for each in map(graph.convert, data) if not graph.is_symbolic(each)]}")
    return graph.group()


def _compared(message, x, y, text, holds):
    """Errors: InvalidArgumentError where x and y are known and it does not hold for all of their numbers."""
    tensors = [graph.convert(x), graph.convert(y)]
    if not any(map(graph.is_symbolic, tensors)) and not np.all(holds(*(each.value for each in tensors))):
        shown = " and ".join(str(each.value) for each in tensors[:1 if text.endswith("0") else 2])
        raise errors.InvalidArgumentError(message=f"{message or ''} Condition x {text} did not hold: {shown}".strip())
    return graph.group()


def _of_two(text, holds):
    return lambda x, y, message="", summarize=None, data=None, name=None: _compared(message, x, y, f"{text} y", holds)


def _of_sign(text, holds):
    return lambda x, data=None, summarize=None, message=None, name=None: _compared(message, x, 0, f"{text} 0", holds)


def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
    tensor = graph.convert(x)
    if tensor.dims is not None and len(tensor.dims) != operations.whole(rank):
        raise ValueError(f"{message or ''} Tensor must have rank {operations.whole(rank)}. Received rank {len(tensor.dims)}, shape "
                         f"{tensor.shape}".strip())
    return graph.group()


def finite(tensor, message):
    """As it is; InvalidArgumentError where its values are known and not all of them are finite."""
    x = graph.convert(tensor)
    if not graph.is_symbolic(x) and not np.isfinite(x.value).all():
        what = " and ".join(each for each, holds in (("Inf", np.isinf(x.value).any()), ("NaN", np.isnan(x.value).any())) if holds)
        raise errors.InvalidArgumentError(message=f"{message} : Tensor had {what} values")
    return operations.identity(x)


def check_numerics(tensor, message, name=None):
    return finite(tensor, message)


def _rank_check(holds, text):
    def check(x, rank, data=None, summarize=None, message=None, name=None):
        dims, wanted = graph.convert(x).dims, [operations.whole(each) for each in flatten(rank)]
        if dims is not None and not holds(len(dims), wanted):
            shown = wanted if len(wanted) > 1 else wanted[0]
            raise ValueError(f"{message or ''} Tensor must have rank {text} {shown}. Received rank {len(dims)}, shape {graph.convert(x).shape}".strip())
        return graph.group()
    return check


def assert_type(tensor, tf_type, message=None, name=None):
    if graph.convert(tensor).dtype != graph.as_dtype(tf_type):
        raise TypeError(f"{message or ''} Tensor must be of type {graph.as_dtype(tf_type).name}".strip())
    return graph.group()


def assert_scalar(tensor, name=None, message=None):
    assert_rank(tensor, 0, message=message)
    return graph.convert(tensor)


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    kind = graph.convert(x).dtype.as_numpy_dtype
    most = [10 * np.finfo(kind).eps if given is None else given for given in (rtol, atol)]
    return _compared(message, x, y, "near y", lambda a, b: np.abs(a - b) <= most[1] + most[0] * np.abs(b))


def assert_all_finite(x, message, name=None):
    return finite(x, message)


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """That tensors have the extents that are given, those of one letter the same. `shapes`: (tensor, extents), or a dictionary."""
    known = {}
    for tensor, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        dims, wanted = list(graph.convert(tensor).dims), list(wanted) if not isinstance(wanted, int) else [wanted]
        if len(dims) != len(wanted):
            raise ValueError(f"{message or ''} Specified by tensor of shape {dims}, the rank is {len(dims)}, expected {len(wanted)}".strip())
        for extent, given in zip(dims, wanted):
            if given in (None, ".") or extent is None:
                continue
            expected = known.setdefault(given, extent) if isinstance(given, str) else given
            if extent != expected:
                raise ValueError(f"{message or ''} Dimension {given} of a tensor of shape {dims} must have size {expected}. Received size "
                                 f"{extent}".strip())
    return graph.group()


CHECKS = {
    "assert_near": assert_near, "assert_all_finite": assert_all_finite, "assert_shapes": assert_shapes,
    "is_numeric_tensor": lambda tensor: hasattr(tensor, "dims") and (tensor.dtype.is_floating or tensor.dtype.is_integer),
    "assert_equal": _of_two("==", np.equal), "assert_none_equal": _of_two("!=", np.not_equal),
    "assert_less": _of_two("<", np.less), "assert_less_equal": _of_two("<=", np.less_equal),
    "assert_greater": _of_two(">", np.greater), "assert_greater_equal": _of_two(">=", np.greater_equal),
    "assert_positive": _of_sign(">", np.greater), "assert_non_negative": _of_sign(">=", np.greater_equal),
    "assert_negative": _of_sign("<", np.less), "assert_non_positive": _of_sign("<=", np.less_equal), "assert_rank": assert_rank,
    "assert_rank_at_least": _rank_check(lambda own, wanted: own >= wanted[0], "at least"),
    "assert_rank_in": _rank_check(lambda own, wanted: own in wanted, "in"), "assert_scalar": assert_scalar, "assert_type": assert_type,
    "check_numerics": check_numerics}
for _name, _check in CHECKS.items():
    _check.__name__ = _name


def add_names():
    names.module("tensorflow", {name: CHECKS[name] for name in ("assert_equal", "assert_greater", "assert_less", "assert_rank")})
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module, Assert=assert_)
        names.module(module + ".debugging", CHECKS, Assert=assert_, set_log_device_placement=_ignored, enable_check_numerics=_ignored)
    names.module("tensorflow.compat.v1", CHECKS)


def _ignored(*args, **kwargs):
    """Accepted, without meaning here."""
