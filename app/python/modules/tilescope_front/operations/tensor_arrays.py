# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.TensorArray: tensors by number, as loops make them that are unrolled."""
from . import elementary as operations
from .. import errors, failures
from ..tensors import graph
from ..structure import flatten


class TensorArray:
    """At once, a write changes the array, as TensorFlow's does; in a graph and a tf.function it gives an array that has the tensor, and
    those before stay as they are."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None, flow=None,
                 infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None, tensors=()):
        self.dtype, self.element_shape = graph.as_dtype(dtype), graph.TensorShape(element_shape)
        self.dynamic, self._tensors = bool(dynamic_size), list(tensors)
        count = len(self._tensors) if size is None else operations.whole(size)
        self._tensors += [None] * (count - len(self._tensors))

    def _with(self, tensors):
        if graph.values_at_hand() and not graph.runs_function():
            self._tensors = list(tensors)
            return self
        return TensorArray(self.dtype, dynamic_size=self.dynamic, element_shape=self.element_shape, tensors=tensors)

    def _place(self, index):
        known = operations.known_or_none(index)
        if known is None:
            raise failures.refused("tf.TensorArray at a place that the device works out", "give numbers that follow from constants")
        return int(known)

    def _element(self, value):
        """What is written, of the array's type and shape."""
        value = self._of_type(value)
        wanted = self.element_shape.dims_
        if wanted is not None and value.dims is not None and (
                len(wanted) != len(value.dims) or any(None not in (m, n) and m != n for m, n in zip(wanted, value.dims))):
            raise ValueError(f"Incompatible shape for value {value.shape}, expected {self.element_shape}")
        return value

    def _of_type(self, value):
        is_tensor = isinstance(value, graph.Tensor) or hasattr(value, "tensor_of_variable")
        value = graph.convert(value)
        if is_tensor and value.dtype != self.dtype:
            raise errors.InvalidArgumentError(message=f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype {value.dtype.name}")
        return operations.cast(value, self.dtype)

    def size(self, name=None):
        return operations.constant(len(self._tensors))

    def write(self, index, value, name=None):
        at, tensors = self._place(index), list(self._tensors)
        if at >= len(tensors) and not self.dynamic or at < 0:
            raise errors.OutOfRangeError(message=f"Tried to write to index {at} but array is not resizeable and size is: {len(tensors)}")
        tensors += [None] * (at + 1 - len(tensors))
        tensors[at] = self._element(value)
        return self._with(tensors)

    def read(self, index, name=None):
        at = self._place(index)
        if not 0 <= at < len(self._tensors):
            raise errors.OutOfRangeError(message=f"Tried to read from index {at} but array size is: {len(self._tensors)}")
        return self._filled([at])[0]

    def _filled(self, places=None):
        """The tensors at places, or all; zeros where nothing has been written."""
        chosen = self._tensors if places is None else [self._tensors[at] for at in places]
        if all(each is not None for each in chosen):
            return list(chosen)
        known = next((each for each in self._tensors if each is not None), None)
        if known is None and not self.element_shape.is_fully_defined():
            raise errors.InvalidArgumentError(message="TensorArray has no elements that have been written")
        zeros = operations.zeros(list(self.element_shape.dims_), self.dtype) if known is None else operations.zeros_like(known)
        return [zeros if each is None else each for each in chosen]

    def stack(self, name=None):
        return self._stacked(self._filled())

    def _stacked(self, tensors):
        if not tensors:  # as many rows as there are none
            return operations.zeros([0, *(each or 0 for each in self.element_shape.dims_ or ())], self.dtype)
        return operations.stack(tensors)

    def gather(self, indices, name=None):
        return self._stacked(self._filled(operations.wholes(indices)))

    def concat(self, name=None):
        return operations.concat(self._filled(), 0)

    def _taking(self, tensors):
        if len(tensors) > len(self._tensors) and not self.dynamic:
            raise ValueError(f"Cannot unstack {len(tensors)} tensors into a TensorArray of static size {len(self._tensors)}")
        return self._with([self._element(each) for each in tensors])

    def unstack(self, value, name=None):
        return self._taking(operations.unstack(self._of_type(value)))

    def scatter(self, indices, value, name=None):
        made = self
        for at, each in zip(operations.wholes(indices), operations.unstack(self._of_type(value))):
            made = made.write(at, each)
        return made

    def split(self, value, lengths, name=None):
        return self._taking(operations.split(self._of_type(value), operations.wholes(lengths)))

    def identity(self):
        return self._with(self._tensors)

    def chosen(self, condition, other):
        """An array with the tensors of this one where a condition holds, else of another one. Errors: refused where they have other sizes."""
        from .control_flow import taken
        if len(self._tensors) != len(other._tensors):
            raise failures.refused("a tf.TensorArray that grows in a loop whose end the device finds", "give it its size, and the "
                                   "loop a number to write how far it has come")
        tensors = []
        for one, former in zip(self._tensors, other._tensors):
            if one is not former:
                one, former = operations.zeros_like(former) if one is None else one, operations.zeros_like(one) if former is None else former
                one = taken(condition, one, former, "a loop")
            tensors.append(one)
        return self._with(tensors)

    def grad(self, *args, **kwargs):
        raise failures.refused("tf.TensorArray.grad", "take the gradient of what you stack")


def is_array(value):
    return isinstance(value, TensorArray)


def _scanned(name, function, elems, initializer, reverse):
    """What a function makes of each row and of what it made of those before."""
    rows = [operations.unstack(each) for each in flatten(elems)]
    if len({len(each) for each in rows}) > 1:
        raise ValueError(f"{name} takes elements of as many rows, and got {' and '.join(str(len(each)) for each in rows)}.")
    if not rows[0] and initializer is None:
        raise ValueError(f"{name} of no rows needs an initializer.")
    numbers = list(range(len(rows[0])))[::-1 if reverse else 1]

    def row(i):
        from ..structure import pack_like
        return pack_like(elems, [column[i] for column in rows])
    state, made = initializer, {}
    for i in numbers:
        state = row(i) if state is None else function(state, row(i))
        made[i] = state
    return [made[i] for i in range(len(numbers))], state


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True, reverse=False, name=None):
    """tf.scan, unrolled."""
    from ..structure import pack_like
    made, last = _scanned("tf.scan", fn, elems, initializer, reverse)
    if not made:
        return pack_like(last, [operations.zeros([0, *each.dims], each.dtype) for each in map(graph.convert, flatten(last))])
    return pack_like(last, [operations.stack([flatten(each)[k] for each in made]) for k in range(len(flatten(last)))])


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """tf.foldl, unrolled."""
    return _scanned("tf.foldl", fn, elems, initializer, False)[1]


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """tf.foldr, unrolled."""
    return _scanned("tf.foldr", fn, elems, initializer, True)[1]


NAMES = {each.__name__: each for each in (TensorArray, scan, foldl, foldr)}
