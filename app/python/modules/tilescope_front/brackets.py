# SPDX-License-Identifier: GPL-3.0-or-later
"""What brackets behind a tensor mean."""
import numpy as np

from .graph import EagerTensor, convert, is_symbolic
from .operations import axis_of, constant, gather, known_or_none, reshape, slice_, taken, whole


def slice_of(tensor, index):
    """What Python's brackets take: whole numbers, also those that the device alone knows, slices, `...` and None."""
    tensor = convert(tensor)
    if not is_symbolic(tensor):
        return EagerTensor(tensor.value[index])
    if tensor.op.kind == "shape" and isinstance(index, int) and tensor.op.inputs[0].dims is not None:
        extent = tensor.op.inputs[0].dims[index]
        if extent is not None:
            return constant(np.asarray(extent, tensor.dtype.as_numpy_dtype))
        index = axis_of(index, tensor.dims[0])
    index = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in index:
        at, given = index.index(Ellipsis), sum(each not in (None, Ellipsis) for each in index)
        index[at:at + 1] = [slice(None)] * (len(tensor.dims) - given)
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
            computed[axis - 1], start = each, 0
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


def _begin_of_open(index, axis):
    """Where a slice to the end of an axis begins whose extent is open."""
    if not isinstance(index, slice) or index.stop is not None or index.step not in (None, 1) or whole(index.start or 0) < 0:
        raise ValueError(f"a slice of dimension {axis}, whose extent is open, is not known before the program runs: give the "
                         "placeholder a shape")
    return whole(index.start or 0)
