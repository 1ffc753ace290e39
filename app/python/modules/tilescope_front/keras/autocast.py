# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of layers of the script's own, which compute in the element type of their policy: floats that they are called on are cast to
it, and weights of another one ("mixed_float16") are read in it."""
import contextlib

from . import masks as keras_masks
from ..operations import elementary as operations
from ..tensors import graph
from ..tracing.functions import EagerVariable
from ..structure import flatten, pack_like

_computing = None  # the element type that the call computes in


@contextlib.contextmanager
def computing(dtype):
    global _computing
    before, _computing = _computing, dtype
    try:
        yield
    finally:
        _computing = before


class Weight(EagerVariable):
    """A weight that calls read in the type that they compute in."""

    dtype = property(lambda self: graph.as_dtype(_computing or self.own.dtype))

    def tensor_of_variable(self):
        wanted = _computing
        with computing(None):
            read = super().tensor_of_variable()
            return read if wanted is None else operations.cast(read, wanted)

    def assign(self, *args, **kwargs):
        with computing(None):
            return super().assign(*args, **kwargs)

    def assign_add(self, *args, **kwargs):
        with computing(None):
            return super().assign_add(*args, **kwargs)

    def assign_sub(self, *args, **kwargs):
        with computing(None):
            return super().assign_sub(*args, **kwargs)


def kind_of_weight(layer, dtype, autocast):
    """The class of a layer's weight."""
    wanted = layer.compute_dtype
    return Weight if autocast and wanted is not None and wanted != layer.variable_dtype and graph.as_dtype(dtype).is_floating else EagerVariable


def of_call(layer, inputs):
    """(a context in which a layer's call() is made, what it is called on)."""
    wanted = layer.compute_dtype
    if wanted is None or not layer.autocast or graph.layers_follow() or not graph.as_dtype(wanted).is_floating:
        return contextlib.nullcontext(), inputs
    cast = [keras_masks.kept(each, operations.cast(each, wanted)) if hasattr(each, "dims") and each.dtype.is_floating and each.dtype != graph.as_dtype(
        wanted) else each for each in flatten(inputs)]
    return computing(wanted), pack_like(inputs, cast)
