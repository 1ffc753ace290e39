# SPDX-License-Identifier: GPL-3.0-or-later
"""What brackets behind a tensor mean."""
import numpy as np

from .. import errors
from ..dtypes import as_dtype
from ..tensors.graph import EagerTensor, Tensor, convert, is_symbolic, symbolic
from ..naming import named
from .elementary import add, axis_of, constant, gather, known_or_none, less, reshape, slice_, taken, where, whole


def _too_many(dims):
    return f"Index out of range using input dim {len(dims)}; input has only {len(dims)} dims"


def _outside(index, dims):
    """TensorFlow's error of a number that lies outside, or of more of them than there are dimensions."""
    given = [each for each in index if each is not None]
    dots = next((at for at, each in enumerate(given) if each is Ellipsis), None)
    if dots is not None:
        given[dots:dots + 1] = [slice(None)] * (len(dims) - len(given) + 1)
    if len(given) > len(dims):
        return errors.InvalidArgumentError(message=_too_many(dims))
    at = next(at for at, each in enumerate(given) if not isinstance(each, slice) and not -dims[at] <= int(each) < dims[at])
    return errors.InvalidArgumentError(message=f"slice index {int(given[at])} of dimension {at} out of bounds.")


def slice_of(tensor, index):
    """What Python's brackets take: whole numbers, also those that the device alone knows, slices, `...` and None."""
    tensor = convert(tensor)
    if isinstance(index, (Tensor, np.ndarray)) and as_dtype(index.dtype).is_bool:
        from .array import boolean_mask
        return boolean_mask(tensor, index)
    index = [convert(each) if hasattr(each, "tensor_of_variable") else each
             for each in (index if isinstance(index, (tuple, list)) else [index])]
    _check(index)
    if not is_symbolic(tensor) and not any(is_symbolic(end) for end in _ends(index)):
        try:
            return EagerTensor(tensor.value[tuple(index)])
        except IndexError:
            raise _outside(index, tensor.dims) from None
    tensor = symbolic(tensor)
    if tensor.op.kind == "shape" and len(index) == 1 and isinstance(index[0], int) and tensor.op.inputs[0].dims is not None:
        extent = tensor.op.inputs[0].dims[index[0]]
        if extent is not None:
            return constant(np.asarray(extent, tensor.dtype.as_numpy_dtype))
        index = [axis_of(index[0], tensor.dims[0])]
    dots = [at for at, each in enumerate(index) if each is Ellipsis]
    if dots:
        at, given = dots[0], sum(each is not None and each is not Ellipsis for each in index)
        index[at:at + 1] = [slice(None)] * (len(tensor.dims) - given)
    if sum(each is not None for each in index) > len(tensor.dims):
        raise ValueError(_too_many(tensor.dims))
    begin, size, shape, axis, strided, computed = [], [], [], 0, {}, {}
    for each in index + [slice(None)] * (len(tensor.dims) - sum(i is not None for i in index)):
        if each is None:
            shape.append(1)
            continue
        extent = tensor.dims[axis]
        axis += 1
        if extent is None and not (isinstance(each, int) and each >= 0):
            begin.append(_begin_of_open(each, axis - 1))
            size.append(-1)
            shape.append(None)
            continue
        if isinstance(each, slice):
            start, stop, step = slice(*[end if end is None else whole(end) for end in (each.start, each.stop, each.step)]
                                      ).indices(extent)
            if step != 1:
                strided[axis - 1] = range(start, stop, step)
                shape.append(len(strided[axis - 1]))
                start, stop = 0, extent
            else:
                shape.append(max(stop - start, 0))
            size.append(max(stop - start, 0))
        elif is_symbolic(each) and known_or_none(each) is None:
            computed[axis - 1], start = where(less(each, 0), add(each, extent), each), 0  # counted from the end, too
            size.append(extent)
        else:
            start = whole(each)
            if extent is not None and not -extent <= start < extent:
                raise ValueError(f"slice index {start} of dimension {axis - 1} out of bounds.")
            start = start if extent is None else start % extent
            size.append(1)
        begin.append(start)
    part = slice_(tensor, begin, size)
    for along, places in strided.items():
        part = taken(part, along, places)
    for along, place in sorted(computed.items(), reverse=True):
        part = gather(part, place, axis=along)
    return reshape(part, shape)


slice_of = named(slice_of, "strided_slice")


def _ends(index):
    """What of an index has to be a whole number."""
    parts = [end for each in index for end in ((each.start, each.stop, each.step) if isinstance(each, slice) else [each])]
    return [each for each in parts if each is not None and each is not Ellipsis]


def _is_whole(end):
    if isinstance(end, Tensor):
        return end.dtype.name in ("int32", "int64") and not end.dims
    return end.ndim == 0 and end.dtype.kind in "iu" if isinstance(end, np.ndarray) else hasattr(end, "__index__")


def _check(index):
    """Errors: TensorFlow's TypeError for what is no whole number."""
    for end in _ends(index):
        if not _is_whole(end):
            raise TypeError("Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
                            f"valid indices, got {end!r}")


def _begin_of_open(index, axis):
    """Where a slice to the end of an axis begins whose extent is open."""
    if not isinstance(index, slice) or index.stop is not None or index.step not in (None, 1) or whole(index.start or 0) < 0:
        raise ValueError(f"a slice of dimension {axis}, whose extent is open, is not known before the program runs: give the "
                         "placeholder a shape")
    return whole(index.start or 0)
