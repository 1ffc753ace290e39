# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.debugging and the tf.assert_… of TensorFlow 1: checks of values that are known; those of the device nobody checks."""
import numpy as np

from . import errors, graph, names, operations


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


CHECKS = {
    "assert_equal": _of_two("==", np.equal), "assert_none_equal": _of_two("!=", np.not_equal),
    "assert_less": _of_two("<", np.less), "assert_less_equal": _of_two("<=", np.less_equal),
    "assert_greater": _of_two(">", np.greater), "assert_greater_equal": _of_two(">=", np.greater_equal),
    "assert_positive": _of_sign(">", np.greater), "assert_non_negative": _of_sign(">=", np.greater_equal),
    "assert_negative": _of_sign("<", np.less), "assert_non_positive": _of_sign("<=", np.less_equal), "assert_rank": assert_rank}
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
