# SPDX-License-Identifier: GPL-3.0-or-later
"""`ipu.slicing_ops`: rows of sequences that are taken out of one tensor and put into another; and `ipu.statistics_ops`: histograms."""
import numpy as np

from ..operations import elementary as operations
from ..tensors import graph
from ..operations.array import MATH_MORE
from ..operations.elementary import MATH, add, cast, expand_dims, lifted, multiply, reduce_max, reduce_min, reduce_sum, subtract


def _rows(*counts):
    """Counts and offsets of the slices. Errors: ValueError where they are not as many of each, or none."""
    made = [cast(graph.convert(each), "int32") for each in counts]
    if any(len(each.dims) != 1 or each.dims != made[0].dims or not each.dims[0] for each in made):
        raise ValueError(("num_elems, src_offsets and dst_offsets" if len(made) == 3 else "num_elems and the offsets") +
                         " must have matching, nonzero shapes of rank 1.")
    return made


def _sequential(counts):
    """Where each slice begins, if one follows another."""
    return MATH_MORE["cumsum"](counts, exclusive=True)


def sequence_slice(dst, src, num_elems, src_offsets, dst_offsets, zero_unused):
    """`dst` with rows of `src`: of each slice so many, from one offset to the other. Of slices that overlap the last one counts."""
    dst, src = operations._pair(dst, src)
    if dst.dims[1:] != src.dims[1:]:
        raise ValueError("src and dst inner shapes must match.")
    counts, first, to = (expand_dims(each, 1) for each in _rows(num_elems, src_offsets, dst_offsets))
    rows, slices = dst.dims[0], counts.dims[0]
    places = subtract(graph.convert(np.arange(rows, dtype=np.int32)[None, :]), to)  # [slices, rows]: which of the slice's
    within = operations.logical_and(operations.greater_equal(places, 0), operations.less(places, counts))
    number = reduce_max(multiply(cast(within, "int32"), graph.convert(np.arange(1, slices + 1, dtype=np.int32)[:, None])), 0)  # from 1 on; 0: none
    moved = operations.gather(operations.reshape(subtract(first, to), [-1]), operations.maximum(subtract(number, 1), 0))
    of_src = operations.minimum(operations.maximum(add(moved, graph.convert(np.arange(rows, dtype=np.int32))), 0), src.dims[0] - 1)
    taken = operations.gather(src, of_src)
    used = operations.broadcast_to(operations.reshape(operations.greater(number, 0), [rows] + [1] * (len(dst.dims) - 1)), list(dst.dims))
    return operations.where(used, taken, operations.zeros_like(dst) if zero_unused else dst)


def sequence_slice_unpack(src, num_elems, src_offsets, total_elements):
    """The slices of `src`, one after another."""
    src, (counts, first) = graph.convert(src), _rows(num_elems, src_offsets)
    none = operations.zeros([operations.whole(total_elements), *src.dims[1:]], src.dtype)
    return sequence_slice(none, src, counts, first, _sequential(counts), True)


def sequence_slice_pack(dst, src, num_elems, dst_offsets, zero_unused):
    """`dst` with what stands in `src` one after another, at the offsets."""
    counts, to = _rows(num_elems, dst_offsets)
    return sequence_slice(dst, src, counts, _sequential(counts), to, zero_unused)


def fixed_width_bins(inputs, n_bins):
    """`n_bins` levels from the least of the inputs to the greatest, as far apart each."""
    x, count = graph.convert(inputs), operations.whole(n_bins)
    low, high = reduce_min(x), reduce_max(x)
    shares = graph.convert((np.arange(count) / max(count - 1, 1)).astype(x.dtype.as_numpy_dtype))
    return add(multiply(subtract(high, low), shares), low)


def histogram_normalize(hist):
    hist = graph.convert(hist)
    return MATH["divide"](hist, reduce_sum(hist, 0))


def _checked(message, *tensors):
    made = [graph.convert(each) for each in tensors]
    if any(each.dtype.name not in ("float16", "float32") for each in made):
        raise ValueError(f"Only float16 and float32 types are supported for histogram {message}.")
    if any(len(each.dims) != 1 for each in made):
        raise ValueError(f"histogram{'_update' if message == 'update' else ''} expects rank-1 tensor inputs.")
    return made


def histogram(inputs, levels, absolute_of_input=False):
    """How many inputs lie below the first level, from each level to the next, and from the last one on."""
    x, levels = _checked("computation", inputs, levels)
    x = operations.abs_(x) if absolute_of_input else x
    below = reduce_sum(cast(operations.less(expand_dims(cast(x, "float32"), 0), expand_dims(cast(levels, "float32"), 1)), "float32"), 1)
    none, every = graph.convert(np.zeros(1, np.float32)), graph.convert(np.full(1, x.dims[0], np.float32))
    return subtract(operations.concat([below, every], 0), operations.concat([none, below], 0))


def histogram_update(hist, inputs, levels, absolute_of_input=False):
    """The same, counted on."""
    hist = graph.convert(hist)
    if hist.dtype.name != "float32":
        raise ValueError("hist must be of float32 type")
    hist, x, levels = _checked("update", hist, inputs, levels)
    if hist.dims[0] != levels.dims[0] + 1:
        raise ValueError("hist and levels shapes are incompatible. For n levels, hist must have n+1 elements.")
    return add(hist, histogram(x, levels, absolute_of_input))


TABLES = {below: {each.__name__: lifted(each) for each in functions} for below, functions in {
    "slicing_ops": (sequence_slice, sequence_slice_unpack, sequence_slice_pack),
    "statistics_ops": (fixed_width_bins, histogram, histogram_normalize, histogram_update)}.items()}
