# SPDX-License-Identifier: GPL-3.0-or-later
"""Of `tf`, `tf.math`, `tf.nn` and `tf.linalg` what is made of other operations, by the formulas in TensorFlow's documentation."""
import numpy as np

from . import array as array_operations, nn as nn_operations, elementary as operations, volumes
from .. import dtypes, names, strategies
from ..tensors import graph
from ..tensors.graph import EagerTensor, convert
from .elementary import (
    MATH, add, cast, concat, constant, divide, expand_dims, gather, identity, lifted, multiply, reduce_sum, reshape, squeeze, subtract,
    transpose, where, wholes, zeros_like)


def _reciprocal_no_nan(x, name=None):
    return divide(where(MATH["equal"](x, 0.0), zeros_like(x), 1.0), where(MATH["equal"](x, 0.0), operations.ones_like(x), x))


def _xdivy(x, y, name=None):
    """x / y, and 0 where x is 0."""
    x, y = operations.broadcast_together(*operations._pair(x, y))
    none = MATH["equal"](x, 0.0)
    return divide(x, where(none, operations.ones_like(y), y))


def _in_order(comparison):
    """Whether each number stands so to the next one."""
    def holds(x, name=None):
        flat = reshape(x, [-1])
        if flat.dims[0] < 2:
            return constant(np.asarray(True))
        return array_operations.MATH_MORE["reduce_all"](MATH[comparison](flat[:-1], flat[1:]))
    return holds


def invert_permutation(x, name=None):
    return array_operations.argsort(x)


def polyval(coeffs, x, name=None):
    """By Horner: the first coefficient is that of the highest power."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    total = constant(np.float32(0)) if not coeffs else convert(coeffs[0])
    for each in coeffs[1:]:
        total = add(each, multiply(total, x))
    return total


def _root_of_segments(data, segment_ids, num_segments=None, name=None):
    """The sum of each segment over the square root of how many it has."""
    total = array_operations.SEGMENTS["sum"](data, segment_ids, num_segments)
    ones = constant(np.ones(convert(data).dims[0], np.float32))
    counts = operations.maximum(array_operations.SEGMENTS["sum"](ones, segment_ids, num_segments), 1.0)
    return divide(total, cast(reshape(MATH["sqrt"](counts), [-1] + [1] * (len(total.dims) - 1)), total.dtype))


def truncatediv(x, y, name=None):
    """The quotient of whole numbers, rounded towards 0."""
    a, b = operations._pair(x, y)
    if not graph.is_symbolic(a) and not graph.is_symbolic(b):
        with np.errstate(divide="ignore", invalid="ignore"):
            made = np.trunc(np.true_divide(a.value, b.value)) if a.dtype.is_floating else \
                np.sign(a.value) * np.sign(b.value) * operations.floordiv(np.abs(a.value), np.abs(b.value)).value
        return EagerTensor(made.astype(a.value.dtype))
    quotient = operations.divide(a, b)
    if not a.dtype.is_floating:
        return quotient
    return multiply(MATH["floor"](MATH["abs"](quotient)), MATH["sign"](quotient))


def truncatemod(x, y, name=None):
    a, b = operations._pair(x, y)
    return graph.apply("fmod", [a, b])[0] if a.dtype.is_floating else subtract(a, multiply(truncatediv(a, b), b))


def searchsorted(sorted_sequence, values, side="left", out_type="int32", name=None):
    """How many of each row of a sequence, which goes up, are less than each value; with "right", not more than it."""
    if side not in ("left", "right"):
        raise ValueError("side must be either 'right' or 'left'.")
    rows, sought = convert(sorted_sequence), convert(values)
    before = MATH["less" if side == "left" else "less_equal"](expand_dims(rows, -2), expand_dims(sought, -1))
    return reduce_sum(cast(before, out_type), -1)


def unravel_index(indices, dims, name=None):
    """[dimensions, …]: the place in a tensor of these extents of each number of an element."""
    found, rest = [], convert(indices)
    for extent in wholes(dims)[::-1]:
        found.insert(0, operations.floormod(rest, extent))
        rest = operations.floordiv(rest, extent)
    return operations.stack(found)


def _unique(x):
    values, first, places, counts = np.unique(of_host(x, "tf.unique"), return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)  # as they come up
    return values[order], np.argsort(order)[places.reshape(-1)], counts[order]


def of_host(x, function):
    x = convert(x)
    if graph.is_symbolic(x) and not graph.values_at_hand():
        from .. import failures
        raise failures.refused(f"{function} in a program", "how many it finds is not known before it runs; call it in Dataset.map() or on values")
    return np.asarray(x.value)


def unique(x, out_idx="int32", name=None):
    values, places, _ = _unique(x)
    return EagerTensor(values), EagerTensor(places.astype(dtypes.as_dtype(out_idx).as_numpy_dtype))


def unique_with_counts(x, out_idx="int32", name=None):
    values, places, counts = _unique(x)
    wanted = dtypes.as_dtype(out_idx).as_numpy_dtype
    return EagerTensor(values), EagerTensor(places.astype(wanted)), EagerTensor(counts.astype(wanted))


def setdiff1d(x, y, index_dtype="int32", name=None):
    """(the numbers of x that y has not, their places)."""
    left, right = of_host(x, "tf.setdiff1d"), of_host(y, "tf.setdiff1d")
    places = np.flatnonzero(~np.isin(left, right))
    return EagerTensor(left[places]), EagerTensor(places.astype(dtypes.as_dtype(index_dtype).as_numpy_dtype))


def dynamic_stitch(indices, data, name=None):
    """One tensor with row k of each part at its place; of equal places the last part's counts."""
    places = [np.ravel(operations.known(each)) for each in indices]
    parts = [reshape(each, [-1, *convert(each).dims[np.ndim(operations.known(at)):]]) for at, each in zip(indices, data)]
    last = {}
    for number, at in enumerate(np.concatenate(places)):
        last[int(at)] = number
    return gather(concat(parts, 0), constant(np.int32([last[at] for at in range(max(last) + 1)])))


def histogram_fixed_width(values, value_range, nbins=100, dtype="int32", name=None):
    """How many values lie in each of `nbins` equal parts of a range; what lies outside is in the first or the last."""
    low, high = (float(each) for each in operations.known(value_range))
    nbins = operations.whole(nbins)
    share = multiply(subtract(cast(reshape(values, [-1]), "float32"), low), nbins / (high - low))
    bins = cast(operations.clip_by_value(MATH["floor"](share), 0.0, float(nbins - 1)), "int32")
    hits = MATH["equal"](expand_dims(bins, 0), constant(np.arange(nbins, dtype=np.int32)[:, None]))
    return reduce_sum(cast(hits, dtype), 1)


def tensor_scatter_nd_sub(tensor, indices, updates, name=None):
    return array_operations.TOP_MORE["tensor_scatter_nd_add"](tensor, indices, MATH["negative"](updates))


def _blocks(block, rank):
    return [int(block)] * rank if isinstance(block, (int, np.integer)) else wholes(block)


def space_to_batch_nd(input, block_shape, paddings, name=None):
    """Each place of a block as a batch of its own, after padding."""
    around, blocks = np.asarray(operations.known(paddings)), _blocks(block_shape, len(np.asarray(operations.known(paddings))))
    x = operations.pad(input, [[0, 0], *around.tolist(), *[[0, 0]] * (len(convert(input).dims) - 1 - len(blocks))])
    m, batch, rest = len(blocks), x.dims[0], list(x.dims[1 + len(blocks):])
    parts = [part for extent, block in zip(x.dims[1:], blocks) for part in (extent // block, block)]
    moved = transpose(reshape(x, [batch, *parts, *rest]), [*range(2, 2 * m + 1, 2), 0, *range(1, 2 * m, 2), *range(2 * m + 1, 2 * m + 1 + len(rest))])
    return reshape(moved, [batch * int(np.prod(blocks)), *parts[::2], *rest])


def batch_to_space_nd(input, block_shape, crops, name=None):
    """The same turned round, and cut."""
    x, cut = convert(input), np.asarray(operations.known(crops))
    blocks = _blocks(block_shape, len(cut))
    m, batch, rest = len(blocks), x.dims[0] // int(np.prod(blocks)), list(x.dims[1 + len(blocks):])
    moved = reshape(x, [*blocks, batch, *x.dims[1:]])
    order = [m, *(each for i in range(m) for each in (m + 1 + i, i)), *range(2 * m + 1, 2 * m + 1 + len(rest))]
    whole = reshape(transpose(moved, order), [batch, *(extent * block for extent, block in zip(x.dims[1:], blocks)), *rest])
    return whole[(slice(None), *(slice(int(first), extent - int(last)) for (first, last), extent in zip(cut, whole.dims[1:])))]


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """exp(c) - z c, with Stirling's approximation of log(z!) where the full loss is wanted and z > 1."""
    z, c = operations._pair(targets, log_input)
    loss = subtract(MATH["exp"](c), multiply(z, c))
    if not compute_full_loss:
        return loss
    safe = operations.maximum(z, 1.0)
    stirling = add(subtract(multiply(safe, MATH["log"](safe)), safe), multiply(0.5, MATH["log"](multiply(2 * np.pi, safe))))
    return add(loss, where(MATH["greater"](z, 1.0), stirling, zeros_like(z)))


def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None, keep_dims=None):
    """(mean, variance) by weights."""
    keep = bool(keepdims or keep_dims)
    x, weights = operations.broadcast_together(*operations._pair(x, frequency_weights))
    total = reduce_sum(weights, axes, keepdims=True)
    mean = divide(reduce_sum(multiply(weights, x), axes, keepdims=True), total)
    variance = divide(reduce_sum(multiply(weights, MATH["squared_difference"](x, mean)), axes, keepdims=True), total)
    return (mean, variance) if keep else (squeeze(mean, axes), squeeze(variance, axes))


def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None, keep_dims=None):
    """(how many, their sum, the sum of their squares, the shift that is taken off them)."""
    x, keep = convert(x), bool(keepdims or keep_dims)
    count = int(np.prod([x.dims[axis] for axis in np.ravel(axes)]))
    moved = x if shift is None else subtract(x, shift)
    return (constant(np.float32(count)), reduce_sum(moved, axes, keepdims=keep), reduce_sum(MATH["square"](moved), axes, keepdims=keep),
            None if shift is None else convert(shift))


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    mean = divide(mean_ss, counts)
    variance = subtract(divide(variance_ss, counts), MATH["square"](mean))
    return (mean if shift is None else add(mean, shift)), variance


def batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None,
                                         scale_after_normalization=True, name=None, input=None, mean=None, variance=None):
    x, mean, variance = (b if a is None else a for a, b in ((t, input), (m, mean), (v, variance)))
    return nn_operations.batch_normalization(x, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon)


def atrous_conv2d(value, filters, rate, padding, name=None):
    return nn_operations.conv2d(value, filters, 1, padding, dilations=rate)


def cross(a, b, name=None):
    """The product of vectors of three numbers that stands on both."""
    x, y = operations.broadcast_together(*operations._pair(a, b))
    x, y = operations.unstack(x, axis=-1), operations.unstack(y, axis=-1)
    if len(x) != 3:
        raise ValueError(f"Cross-products are only defined for 3-element vectors, not {len(x)}")
    return operations.stack([subtract(multiply(x[i - 2], y[i - 1]), multiply(x[i - 1], y[i - 2])) for i in range(3)], -1)


def tensor_diag_part(input, name=None):
    """The elements whose first half of places is their second."""
    x = convert(input)
    half = x.dims[:len(x.dims) // 2]
    count = int(np.prod(half))
    return reshape(array_operations.diag_part(reshape(x, [count, count])), list(half))


def tensor_diag(diagonal, name=None):
    x = convert(diagonal)
    return reshape(array_operations.diag(reshape(x, [-1])), [*x.dims, *x.dims])


def set_diag(input, diagonal, name=None, k=0):
    """Matrices with another diagonal."""
    x = convert(input)
    if k:
        from .. import failures
        raise failures.refused(f"tf.linalg.set_diag(k={k})", "set the main diagonal")
    rows, columns = x.dims[-2:]
    least = min(rows, columns)
    wide = operations.pad(array_operations.diag(diagonal), [[0, 0]] * (len(x.dims) - 2) + [[0, rows - least], [0, columns - least]])
    return where(constant(np.eye(rows, columns, dtype=bool)), wide, x)


def normalize(tensor, ord="euclidean", axis=None, name=None):
    """(the tensor over its norm, the norm)."""
    size = array_operations.norm(tensor, ord=ord, axis=axis, keepdims=True)
    return divide(tensor, size), size


_LIFTED = {
    "math": {"reciprocal_no_nan": _reciprocal_no_nan, "xdivy": _xdivy, "is_strictly_increasing": _in_order("less"),
             "is_non_decreasing": _in_order("less_equal"), "invert_permutation": invert_permutation, "polyval": polyval,
             "unsorted_segment_sqrt_n": _root_of_segments, "rint": lambda x, name=None: MATH["round"](x)},
    "nn": {"log_poisson_loss": log_poisson_loss, "weighted_moments": weighted_moments, "sufficient_statistics": sufficient_statistics,
           "normalize_moments": normalize_moments, "batch_norm_with_global_normalization": batch_norm_with_global_normalization,
           "atrous_conv2d": atrous_conv2d, "conv3d": volumes.conv3d, "max_pool3d": volumes.max_pool3d, "avg_pool3d": volumes.avg_pool3d,
           "convolution": volumes.convolution,
           "space_to_batch": space_to_batch_nd, "scale_regularization_loss": lambda regularization_loss: _scaled(regularization_loss)},
    "linalg": {"cross": cross, "tensor_diag": tensor_diag, "tensor_diag_part": tensor_diag_part, "set_diag": set_diag, "normalize": normalize},
    "": {"truncatediv": truncatediv, "truncatemod": truncatemod, "realdiv": divide, "searchsorted": searchsorted, "unravel_index": unravel_index,
         "unique": unique, "unique_with_counts": unique_with_counts, "dynamic_stitch": dynamic_stitch, "histogram_fixed_width": histogram_fixed_width,
         "tensor_scatter_nd_sub": tensor_scatter_nd_sub, "space_to_batch": space_to_batch_nd, "space_to_batch_nd": space_to_batch_nd,
         "batch_to_space": batch_to_space_nd, "parallel_stack": lambda values, name=None: operations.stack(list(values)),
         "scalar_mul": array_operations.MATH_MORE["scalar_mul"]}}
_TABLES = {below: {name: lifted(function) for name, function in table.items()} for below, table in _LIFTED.items()}


def _scaled(loss):
    return multiply(reduce_sum(loss), 1.0 / strategies.replicas())


def add_names():
    for module in ("tensorflow", "tensorflow.compat.v1"):
        for below, table in _TABLES.items():
            names.module(f"{module}.{below}".rstrip("."), table)
        names.module(module, half=dtypes.ALL["float16"], double=dtypes.ALL["float64"], no_op=graph.group,
                     tuple=lambda tensors, name=None, control_inputs=None: [None if each is None else identity(each) for each in tensors],
                     broadcast_static_shape=lambda shape_x, shape_y: dtypes.TensorShape(np.broadcast_shapes(tuple(shape_x), tuple(shape_y))))
    names.module("tensorflow.compat.v1", {name: _TABLES["math"][name] for name in (
        "rint", "invert_permutation", "is_non_decreasing", "is_strictly_increasing")},
        {name: array_operations.MATH_MORE[name] for name in ("confusion_matrix", "logical_xor", "log_sigmoid", "accumulate_n", "bincount")},
        {name: array_operations.LINALG[name] for name in ("matrix_transpose", "trace")}, cross=_TABLES["linalg"]["cross"],
        setdiff1d=setdiff1d, batch_to_space_nd=_TABLES[""]["batch_to_space"], matrix_set_diag=_TABLES["linalg"]["set_diag"], ceil=MATH["ceil"],
        reciprocal=MATH["reciprocal"], floor_div=MATH["floordiv"], batch_gather=lambda params, indices, name=None: gather(
            params, indices, batch_dims=len(convert(indices).dims) - 1))
