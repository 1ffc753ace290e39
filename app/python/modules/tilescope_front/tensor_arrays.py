# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.TensorArray: tensors by number, as loops make them that are unrolled."""
from . import errors, failures, graph, operations
from .structure import flatten


class TensorArray:
    """Each write gives an array that has the tensor; those before stay as they are."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None, flow=None,
                 infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None, tensors=()):
        self.dtype, self.element_shape = graph.as_dtype(dtype), element_shape
        self.dynamic, self._tensors = bool(dynamic_size), list(tensors)
        count = len(self._tensors) if size is None else operations.whole(size)
        self._tensors += [None] * (count - len(self._tensors))

    def _with(self, tensors):
        return TensorArray(self.dtype, dynamic_size=self.dynamic, element_shape=self.element_shape, tensors=tensors)

    def _place(self, index):
        known = operations.known_or_none(index)
        if known is None:
            raise failures.refused("tf.TensorArray at a place that the device works out", "give numbers that follow from constants")
        return int(known)

    def size(self, name=None):
        return operations.constant(len(self._tensors))

    def write(self, index, value, name=None):
        at, tensors = self._place(index), list(self._tensors)
        if at >= len(tensors) and not self.dynamic or at < 0:
            raise errors.OutOfRangeError(message=f"Tried to write to index {at} but array is not resizeable and size is: {len(tensors)}")
        tensors += [None] * (at + 1 - len(tensors))
        tensors[at] = operations.cast(value, self.dtype)
        return self._with(tensors)

    def read(self, index, name=None):
        at = self._place(index)
        if not 0 <= at < len(self._tensors):
            raise errors.OutOfRangeError(message=f"Tried to read from index {at} but array size is: {len(self._tensors)}")
        return self._filled()[at]

    def _filled(self):
        known = next((each for each in self._tensors if each is not None), None)
        if known is None and self._tensors:
            raise errors.InvalidArgumentError(message="TensorArray has no elements that have been written")
        return [operations.zeros_like(known) if each is None else each for each in self._tensors]

    def stack(self, name=None):
        return operations.stack(self._filled())

    def gather(self, indices, name=None):
        return operations.stack([self._filled()[at] for at in operations.wholes(indices)])

    def concat(self, name=None):
        return operations.concat(self._filled(), 0)

    def unstack(self, value, name=None):
        return self._with(operations.unstack(operations.cast(value, self.dtype)))

    def scatter(self, indices, value, name=None):
        made = self
        for at, each in zip(operations.wholes(indices), operations.unstack(value)):
            made = made.write(at, each)
        return made

    def split(self, value, lengths, name=None):
        return self._with(operations.split(value, operations.wholes(lengths)))

    def identity(self):
        return self._with(self._tensors)

    def grad(self, *args, **kwargs):
        raise failures.refused("tf.TensorArray.grad", "take the gradient of what you stack")


def is_array(value):
    return isinstance(value, TensorArray)


def _scanned(function, elems, initializer, reverse):
    """What a function makes of each row and of what it made of those before."""
    rows = [operations.unstack(each) for each in flatten(elems)]
    numbers = list(range(len(rows[0])))[::-1 if reverse else 1]

    def row(i):
        from .structure import pack_like
        return pack_like(elems, [column[i] for column in rows])
    state, made = initializer, {}
    for i in numbers:
        state = row(i) if state is None else function(state, row(i))
        made[i] = state
    return [made[i] for i in range(len(numbers))], state


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True, reverse=False, name=None):
    """tf.scan, unrolled."""
    from .structure import pack_like
    made, last = _scanned(fn, elems, initializer, reverse)
    return pack_like(last, [operations.stack([flatten(each)[k] for each in made]) for k in range(len(flatten(last)))])


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """tf.foldl, unrolled."""
    return _scanned(fn, elems, initializer, False)[1]


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """tf.foldr, unrolled."""
    return _scanned(fn, elems, initializer, True)[1]


NAMES = {each.__name__: each for each in (TensorArray, scan, foldl, foldr)}
