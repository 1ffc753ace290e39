# SPDX-License-Identifier: GPL-3.0-or-later
"""What variables have to change and read parts of them: v[0].assign(…), scatter_nd_update(…), scatter_add(…) and the like."""
import numpy as np

from ..operations import array, elementary


def _changed(variable, indices, updates, reduction):
    values = elementary.cast(updates, variable.dtype)
    if reduction in ("mul", "div"):
        before = elementary.gather_nd(variable, indices)
        values = (elementary.multiply if reduction == "mul" else elementary.divide)(before, values)
        reduction = "none"
    return variable.assign(array.scattered(variable, elementary.cast(indices, "int32"), values, reduction))


def _of_places(reduction, negative=False):
    def change(self, indices, updates, name=None):
        return _changed(self, indices, -elementary.cast(updates, self.dtype) if negative else updates, reduction)
    return change


def _of_rows(reduction, negative=False):
    def change(self, sparse_delta, use_locking=False, name=None):
        if not hasattr(sparse_delta, "indices"):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        values = elementary.cast(sparse_delta.values, self.dtype)
        return _changed(self, elementary.expand_dims(sparse_delta.indices, -1), -values if negative else values, reduction)
    return change


def _assign_part(variable, index, value):
    """A variable whose numbers at what brackets say, which is known, are those of `value`, spread to their shape."""
    index = tuple(int(elementary.known(each)) if hasattr(each, "dims") else each for each in (index if isinstance(index, tuple) else (index,)))
    places = np.arange(int(np.prod(variable.dims)), dtype=np.int32).reshape(variable.dims)[index]
    values = elementary.broadcast_to(elementary.cast(value, variable.dtype), list(places.shape))
    flat = array.scattered(elementary.reshape(variable, [-1]), places.reshape(-1, 1), elementary.reshape(values, [-1]), "none")
    return variable.assign(elementary.reshape(flat, list(variable.dims)))


class OfParts:
    """The methods."""

    scatter_nd_update, scatter_nd_add = _of_places("none"), _of_places("add")
    scatter_nd_sub, scatter_nd_max, scatter_nd_min = _of_places("add", True), _of_places("max"), _of_places("min")
    scatter_update, scatter_add, scatter_sub = _of_rows("none"), _of_rows("add"), _of_rows("add", True)
    scatter_max, scatter_min, scatter_mul, scatter_div = _of_rows("max"), _of_rows("min"), _of_rows("mul"), _of_rows("div")

    def gather_nd(self, indices, name=None):
        return elementary.gather_nd(self, indices)

    def sparse_read(self, indices, name=None):
        return elementary.gather(self, indices)

    def __getitem__(self, index):
        made = super().__getitem__(index)
        made.assign = lambda value, use_locking=None, name=None, read_value=True: _assign_part(self, index, value)
        return made
