# SPDX-License-Identifier: GPL-3.0-or-later
"""More of `tf`, `tf.math`, `tf.nn` and `tf.linalg` that is made of other operations: by their formulas in TensorFlow's documentation."""
import numpy as np

from . import array_operations, dtypes, graph, names, nn_operations, operations
from .graph import EagerTensor, convert
from .operations import (MATH, TOP, add, cast, concat, constant, divide, expand_dims, gather, identity, lifted, multiply, reduce_max,
                         reduce_sum, reshape, squeeze, subtract, transpose, where, wholes, zeros_like)


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
        made = np.trunc(np.true_divide(a.value, b.value)) if a.dtype.is_floating else np.sign(a.value) * np.sign(b.value) * (
            np.abs(a.value) // np.abs(b.value))
        return EagerTensor(made.astype(a.value.dtype))
    quotient = operations.floordiv(MATH["abs"](a), MATH["abs"](b))
    return multiply(quotient, multiply(MATH["sign"](a), MATH["sign"](b)))


def truncatemod(x, y, name=None):
    return subtract(x, multiply(truncatediv(x, y), y))


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
    values, first, places, counts = np.unique(_of_host(x, "tf.unique"), return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)  # as they come up
    return values[order], np.argsort(order)[places.reshape(-1)], counts[order]


def _of_host(x, function):
    x = convert(x)
    if graph.is_symbolic(x) and not graph.values_at_hand():
        from . import failures
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
    left, right = _of_host(x, "tf.setdiff1d"), _of_host(y, "tf.setdiff1d")
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


def _triples(given, last):
    """What is said of depth, rows and columns."""
    given = [1 if given is None else given] * 3 if given is None or isinstance(given, (int, np.integer)) else list(given)
    given = given * 3 if len(given) == 1 else given
    return [int(each) for each in (given[1:4] if len(given) == 5 and last else given[2:] if len(given) == 5 else given)]


def _depths(extent, reach, step, padding):
    """(how many planes are made, what is padded before and after)."""
    if padding.upper() != "SAME":
        return (extent - reach) // step + 1, (0, 0)
    made = -(-extent // step)
    total = max((made - 1) * step + reach - extent, 0)
    return made, (total // 2, total - total // 2)


def _planes(x, window, step, rate, padding, filled):
    """For each place in a window's depth, the planes under it: [batch, planes, rows, columns, channels]."""
    reach = (window - 1) * rate + 1
    extent = x.dims[1]
    made, (before, after) = _depths(extent, reach, step, padding)
    ends = [[TOP["fill"]([x.dims[0], count, *x.dims[2:]], filled)] if count else [] for count in (before, after)]
    x = concat([*ends[0], x, *ends[1]], 1) if before + after else x
    return [x[:, first * rate:first * rate + (made - 1) * step + 1:step] for first in range(window)], made


def _in_volumes(function):
    """function(x with its channels last, …), in the order of x."""
    def on_volumes(input, *args, data_format="NDHWC", name=None, **named):
        first = data_format in ("NCDHW", "channels_first")
        x = transpose(input, [0, 2, 3, 4, 1]) if first else convert(input)
        made = function(x, *args, last=not first, **named)
        return transpose(made, [0, 4, 1, 2, 3]) if first else made
    return on_volumes


def _conv3d(x, filters=None, strides=1, padding="VALID", dilations=None, filter=None, last=True):
    """A convolution of planes, whose channels are those of all planes that a filter is deep. Filters are [depth, rows, columns, in, out]."""
    w, steps, rates = convert(filter if filters is None else filters), _triples(strides, last), _triples(dilations, last)
    planes, made = _planes(x, w.dims[0], steps[0], rates[0], padding, 0.0)
    batch, rows, columns = x.dims[0], x.dims[2], x.dims[3]
    together = reshape(concat(planes, -1), [batch * made, rows, columns, -1])
    flat = reshape(transpose(w, [1, 2, 0, 3, 4]), [w.dims[1], w.dims[2], w.dims[0] * w.dims[3], w.dims[4]])
    y = nn_operations.conv2d(together, flat, steps[1:], padding, dilations=rates[1:])
    return reshape(y, [batch, made, *y.dims[1:]])


def _pool3d(of_images, largest):
    def pool(x, ksize, strides, padding, last=True):
        window, steps = _triples(ksize, last), _triples(strides, last)
        batch, depth, rows, columns, channels = x.dims
        y = of_images(reshape(x, [batch * depth, rows, columns, channels]), window[1:], steps[1:], padding)
        y = reshape(y, [batch, depth, *y.dims[1:]])
        planes, made = _planes(y, window[0], steps[0], 1, padding, float(np.finfo(np.float32).min) if largest else 0.0)
        stacked = operations.stack(planes)
        if largest:
            return reduce_max(stacked, 0)
        ones = np.pad(np.ones(depth, np.float32), _depths(depth, window[0], steps[0], padding)[1])
        counts = np.float32([ones[first:first + window[0]].sum() for first in range(0, made * steps[0], steps[0])])
        return divide(reduce_sum(stacked, 0), counts[:, None, None, None])
    return pool


conv3d = _in_volumes(_conv3d)
max_pool3d = _in_volumes(_pool3d(nn_operations.max_pool, True))
avg_pool3d = _in_volumes(_pool3d(nn_operations.avg_pool, False))


def convolution(input, filters=None, strides=None, padding="VALID", data_format=None, dilations=None, name=None, filter=None,
                dilation_rate=None):
    """Of one, two or three dimensions, as the filters say."""
    w, rates = convert(filter if filters is None else filters), dilations if dilation_rate is None else dilation_rate
    function = {3: nn_operations.conv1d, 4: nn_operations.conv2d, 5: conv3d}[len(w.dims)]
    order = {"data_format": data_format} if data_format else {}
    return function(input, w, 1 if strides is None else strides, padding, dilations=rates, **order)


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
        from . import failures
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
             "unsorted_segment_sqrt_n": _root_of_segments, "rint": lambda x, name=None: MATH["round"](x),
             "conj": lambda x, name=None: identity(x), "real": lambda input, name=None: identity(input)},
    "nn": {"log_poisson_loss": log_poisson_loss, "weighted_moments": weighted_moments, "sufficient_statistics": sufficient_statistics,
           "normalize_moments": normalize_moments, "batch_norm_with_global_normalization": batch_norm_with_global_normalization,
           "atrous_conv2d": atrous_conv2d, "conv3d": conv3d, "max_pool3d": max_pool3d, "avg_pool3d": avg_pool3d, "convolution": convolution,
           "space_to_batch": space_to_batch_nd, "scale_regularization_loss": lambda regularization_loss: _scaled(regularization_loss)},
    "linalg": {"cross": cross, "tensor_diag": tensor_diag, "tensor_diag_part": tensor_diag_part, "set_diag": set_diag, "normalize": normalize},
    "": {"truncatediv": truncatediv, "truncatemod": truncatemod, "realdiv": divide, "searchsorted": searchsorted, "unravel_index": unravel_index,
         "unique": unique, "unique_with_counts": unique_with_counts, "dynamic_stitch": dynamic_stitch, "histogram_fixed_width": histogram_fixed_width,
         "tensor_scatter_nd_sub": tensor_scatter_nd_sub, "space_to_batch": space_to_batch_nd, "space_to_batch_nd": space_to_batch_nd,
         "batch_to_space": batch_to_space_nd, "parallel_stack": lambda values, name=None: operations.stack(list(values)),
         "scalar_mul": array_operations.MATH_MORE["scalar_mul"]}}
_TABLES = {below: {name: lifted(function) for name, function in table.items()} for below, table in _LIFTED.items()}


def _scaled(loss):
    from . import strategy
    return multiply(reduce_sum(loss), 1.0 / strategy.current_or_none().num_replicas_in_sync)


def add_names():
    for module in ("tensorflow", "tensorflow.compat.v1"):
        for below, table in _TABLES.items():
            names.module(f"{module}.{below}".rstrip("."), table)
        names.module(module, half=dtypes.ALL["float16"], double=dtypes.ALL["float64"], no_op=graph.group,
                     tuple=lambda tensors, name=None, control_inputs=None: [None if each is None else identity(each) for each in tensors],
                     broadcast_static_shape=lambda shape_x, shape_y: dtypes.TensorShape(np.broadcast_shapes(tuple(shape_x), tuple(shape_y))))
    names.module("tensorflow.compat.v1", {name: _TABLES["math"][name] for name in (
        "conj", "real", "rint", "invert_permutation", "is_non_decreasing", "is_strictly_increasing")},
        {name: array_operations.MATH_MORE[name] for name in ("confusion_matrix", "logical_xor", "log_sigmoid", "accumulate_n", "bincount")},
        {name: array_operations.LINALG[name] for name in ("matrix_transpose", "trace")}, cross=_TABLES["linalg"]["cross"],
        setdiff1d=setdiff1d, batch_to_space_nd=_TABLES[""]["batch_to_space"], matrix_set_diag=_TABLES["linalg"]["set_diag"], ceil=MATH["ceil"],
        reciprocal=MATH["reciprocal"], floor_div=MATH["floordiv"], batch_gather=lambda params, indices, name=None: gather(
            params, indices, batch_dims=len(convert(indices).dims) - 1))
