# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of modules within TensorFlow that scripts use now and then, and what else there is of lists, texts and tests."""
from . import names, structure
from .operations import checks, elementary as operations
from .tf1 import saving as saving_1, train as train_1, train_hooks
from .tensors import graph
from .dtypes import TensorShape

PYTHON, V1 = "tensorflow.python", "tensorflow.compat.v1"


class IndexedSlices:
    """Rows of a tensor, and their numbers. Gradients are never such here."""

    def __init__(self, values, indices, dense_shape=None):
        self.values, self.indices, self.dense_shape = graph.convert(values), graph.convert(indices), dense_shape

    dtype = property(lambda self: self.values.dtype)


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Errors: ValueError or TypeError where one is nested otherwise than the other."""
    first, second = structure.flatten_up_to(nest1, nest2), structure.flatten_up_to(nest2, nest1)
    if first is None or second is None or len(structure.flatten(nest1)) != len(structure.flatten(nest2)):
        raise ValueError(f"The two structures don't have the same nested structure.\n\nFirst structure: {nest1}\n\nSecond structure: {nest2}")
    if check_types and isinstance(nest1, (list, tuple, dict)) and type(nest1) is not type(nest2):
        raise TypeError(f"The two namedtuples don't have the same sequence type. First structure {nest1} has type {type(nest1).__name__}, while "
                        f"second structure {nest2} has type {type(nest2).__name__}")


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


COMPAT = {"as_bytes": lambda text, encoding="utf-8": text if isinstance(text, bytes) else text.encode(encoding),
          "as_text": lambda text, encoding="utf-8": _text(text), "as_str": lambda text, encoding="utf-8": _text(text),
          "as_str_any": lambda value: _text(value) if isinstance(value, (str, bytes)) else str(value)}


def _at_the_top():
    names.module(V1, IndexedSlices=IndexedSlices, histogram_summary=train_hooks._summary, scalar_summary=train_hooks._summary)
    names.module("tensorflow", IndexedSlices=IndexedSlices)
    names.module("tensorflow.compat", COMPAT)
    train_1.Optimizer.GATE_NONE, train_1.Optimizer.GATE_OP, train_1.Optimizer.GATE_GRAPH = range(3)
    for module in ("tensorflow", V1):
        names.module(module + ".test", is_gpu_available=lambda *args, **kwargs: False, is_built_with_cuda=lambda: False)
        names.module(module + ".nest", assert_same_structure=assert_same_structure)
        names.module(module + ".dtypes", cast=operations.cast)


def _within_python():
    from .operations import tensor_arrays
    names.module(f"{PYTHON}.ops.control_flow_ops", Assert=checks.assert_)
    names.module(f"{PYTHON}.ops.math_ops", to_int32=lambda x, name=None: operations.cast(x, "int32"),
                 to_float=lambda x, name=None: operations.cast(x, "float32"))
    names.module(f"{PYTHON}.ops.tensor_array_ops", tensor_arrays.NAMES)
    names.module(f"{PYTHON}.util.nest", assert_same_structure=assert_same_structure)
    names.module(f"{PYTHON}.framework.tensor_shape", unknown_shape=lambda rank=None: TensorShape(None if rank is None else [None] * rank))
    names.module(f"{PYTHON}.framework.ops", IndexedSlices=IndexedSlices)
    names.module(f"{PYTHON}.training.slot_creator", create_zeros_slot=_zeros_slot)
    names.module(f"{PYTHON}.platform.tf_logging", names.names_in("tensorflow.compat.v1.logging"))
    names.module(f"{PYTHON}.training.checkpoint_utils", saving_1.READERS)
    names.module("tensorflow.compat.v1.contrib.framework.python.framework.checkpoint_utils", saving_1.READERS)
    names.alias("tensorflow.compat.v1.array_ops", f"{PYTHON}.ops.array_ops")


def _zeros_slot(primary, name, dtype=None, colocate_with_primary=True, copy_xla_sharding=False):
    from .optimizers import own_updates
    return own_updates._made(primary, name, "zeros", None, dtype)


def add_names():
    _at_the_top()
    _within_python()
