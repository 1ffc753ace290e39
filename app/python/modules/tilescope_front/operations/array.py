# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of `tf` and `tf.math` that others are put together into: indices, orders, sums along axes."""
import numpy as np

from . import outside, recipes
from .. import errors, failures
from ..tensors import graph
from ..dtypes import as_dtype, int32
from ..tensors.graph import EagerTensor, apply, convert, is_symbolic
from ..tensors.open_shapes import is_open
from .elementary import (
    MATH, add, along_last, axis_of, broadcast_to, cast, concat, constant, divide, equal, expand_dims, gather, greater_equal, identity, known,
    known_or_none, less, lifted, logical_and, matmul, maximum, minimum, multiply, negative, not_equal, one_hot, ones_like, ordered, pad,
    reduce_max, reduce_min, reduce_prod, reduce_sum, reshape, shape as shape_, slice_of, split, squeeze, stack, subtract, taken, transpose, unstack,
    where, whole, wholes, zeros, zeros_like)


def size(input, name=None, out_type=int32):
    x = convert(input)
    if is_open(x):  # a session counts them
        return reduce_prod(shape_(x, out_type=out_type))
    return constant(np.asarray(int(np.prod(x.dims)), as_dtype(out_type).as_numpy_dtype))


def rank(input, name=None):
    return constant(np.int32(len(convert(input).dims)))


def reverse(tensor, axis, name=None):
    x = convert(tensor)
    for each in np.ravel(known(axis)):
        if x.dims is None:
            raise ValueError(f"tf.reverse of {x.name}, whose rank is open: give the placeholder a shape")
        extent = x.dims[int(each)]
        x = taken(x, int(each), None if extent is None else range(extent - 1, -1, -1))
    return x


_backwards = reverse


def reverse_sequence(input, seq_lengths=None, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None):
    """The first seq_lengths[i] steps of each sample the other way round."""
    x = convert(input)
    steps = axis_of(seq_dim if seq_axis is None else seq_axis, len(x.dims))
    batch = axis_of((batch_dim or 0) if batch_axis is None else batch_axis, len(x.dims))
    order = [batch, steps, *(i for i in range(len(x.dims)) if i not in (batch, steps))]
    moved = transpose(x, order)
    lengths = expand_dims(cast(seq_lengths, "int32"), -1)
    step = broadcast_to(constant(np.arange(moved.dims[1], dtype=np.int32)[None]), list(moved.dims[:2]))
    places = where(less(step, lengths), subtract(subtract(lengths, 1), step), step)
    return transpose(gather(moved, places, batch_dims=1), [order.index(i) for i in range(len(order))])


def roll(input, shift, axis, name=None):
    x = convert(input)
    for by, each in zip(np.ravel(known(shift)), np.ravel(known(axis))):
        x = taken(x, int(each), np.roll(np.arange(x.dims[int(each)]), int(by)))
    return x


def repeat(input, repeats, axis=None, name=None):
    """Each slice several times; how often is known beforehand."""
    x = convert(input)
    if axis is None:
        x, axis = reshape(x, [-1]), 0
    return taken(x, axis, np.repeat(np.arange(x.dims[axis]), known(repeats)))


def strided_slice(input_, begin, end, strides=None, name=None, **masks):
    if any(masks.values()):
        raise failures.refused("tf.strided_slice with masks", "write it with brackets: x[a:b:c]")
    begin, end = wholes(begin), wholes(end)
    return slice_of(convert(input_), tuple(map(slice, begin, end, [1] * len(begin) if strides is None else wholes(strides))))


def eye(num_rows, num_columns=None, batch_shape=None, dtype=graph.DEFAULT, name=None):
    one = np.eye(whole(num_rows), None if num_columns is None else whole(num_columns), dtype=as_dtype(dtype).as_numpy_dtype)
    return constant(np.broadcast_to(one, tuple(wholes(batch_shape or ())) + one.shape).copy())


def linspace(start, stop, num, name=None, axis=0):
    first = convert(start)
    dtype = first.dtype.as_numpy_dtype if first.dtype.is_floating else np.float32
    return constant(np.linspace(known(first), known(stop), whole(num), axis=axis).astype(dtype))


def meshgrid(*args, indexing="xy", name=None):
    vectors = [convert(each) for each in args]
    extents, made = [v.dims[0] for v in vectors], []
    for i, vector in enumerate(vectors):
        along = reshape(vector, [-1 if i == k else 1 for k in range(len(vectors))])
        grid = broadcast_to(along, extents)
        made.append(transpose(grid, [1, 0, *range(2, len(vectors))]) if indexing == "xy" and len(vectors) > 1 else grid)
    return made


def sequence_mask(lengths, maxlen=None, dtype=None, name=None):
    counts = cast(lengths, int32)
    most = int(np.max(known(lengths))) if maxlen is None else whole(maxlen)
    mask = less(constant(np.arange(most, dtype=np.int32)), expand_dims(counts, -1))
    return mask if dtype is None or as_dtype(dtype).name == "bool" else cast(mask, dtype)


def boolean_mask(tensor, mask, axis=None, name=None):
    x, mask = convert(tensor), convert(mask)
    axis = 0 if axis is None else int(axis) % len(x.dims)
    if is_symbolic(mask):
        raise failures.refused("tf.boolean_mask of a mask that the device computes", "shapes are static on the IPU; use tf.where "
                               "with three arguments")
    if mask.value.ndim > 1:
        x = reshape(x, list(x.dims[:axis]) + [-1] + list(x.dims[axis + mask.value.ndim:]))
    return taken(x, axis, np.flatnonzero(mask.value))


def boolean_mask_1(tensor, mask, name="boolean_mask", axis=None):
    """As TensorFlow 1 has it."""
    return boolean_mask(tensor, mask, axis, name)


def scatter_nd(indices, updates, shape, name=None):
    """Where indices are equal their updates are added up."""
    values = convert(updates)
    return scattered(zeros(wholes(shape), values.dtype), indices, values, "add")


def scattered(x, indices, updates, reduction):
    """`x` with updates at indices, which have to be inside where the host has them."""
    x = convert(x)
    outside.of_blocks(indices, x.dims)
    return _put(x, indices, updates, reduction)


def _put(x, indices, updates, reduction):
    return apply("scatter_nd", [x, cast(indices, int32), updates], {"reduction": reduction})[0]


def _tensor_scatter(reduction):
    return lambda tensor, indices, updates, name=None: scattered(tensor, indices, updates, reduction)


def _segments(reduction, empty):
    def of_segments(data, segment_ids, num_segments=None, name=None):
        """One slice for each segment, of the slices that belong to it."""
        x = convert(data)
        count = int(np.max(known(segment_ids))) + 1 if num_segments is None else whole(num_segments)
        first = constant(np.full([count] + list(x.dims[1:]), empty(x.dtype), x.dtype.as_numpy_dtype))
        outside.of_rows(segment_ids, count, "segment_ids", -np.inf, "out of range")
        ids = cast(segment_ids, int32)
        ids = where(less(ids, 0), count, ids)  # slices of negative segments are left out, as those beyond the last
        return _put(first, expand_dims(ids, -1), x, reduction)
    return of_segments


def _least(dtype):
    return np.finfo(dtype.as_numpy_dtype).min if dtype.is_floating else np.iinfo(dtype.as_numpy_dtype).min


def _most(dtype):
    return np.finfo(dtype.as_numpy_dtype).max if dtype.is_floating else np.iinfo(dtype.as_numpy_dtype).max


_sums = _segments("add", lambda t: 0)


def _sum_of_segments(data, segment_ids, num_segments=None, name=None):
    """One sum for each segment, of the slices that belong to it; the gradient of a slice is that of its segment's sum."""
    from .custom_gradients import custom_gradient
    def gradient(dy):  # 0 of what is left out
        return apply("gather", [dy, cast(segment_ids, int32)], {"axis": 0})[0]
    return custom_gradient(lambda x: (_sums(x, segment_ids, num_segments, name), gradient))(data)


def _extremes(reduction, empty):
    """The largest or smallest of each segment; those that are share its gradient."""
    found = _segments(reduction, empty)

    def of_segments(data, segment_ids, num_segments=None, name=None):
        from .custom_gradients import custom_gradient
        ids = cast(segment_ids, int32)

        def rows(values):
            return apply("gather", [values, ids], {"axis": 0})[0]

        def with_gradient(x):
            made = found(x, segment_ids, num_segments, name)

            def gradient(dy):
                inside = reshape(greater_equal(ids, 0), list(ids.dims) + [1] * (len(x.dims) - len(ids.dims)))
                chosen = cast(logical_and(equal(x, rows(made)), inside), x.dtype)
                counts = maximum(_sums(chosen, segment_ids, made.dims[0]), 1.0)
                return multiply(chosen, rows(divide(dy, counts)))
            return made, gradient
        return custom_gradient(with_gradient)(data)
    return of_segments


def _sorted_extremes(found):
    """The same of segments in order, whose numbers are known: 0 of one that has no slices."""
    def of_segments(data, segment_ids, name=None):
        made = found(data, segment_ids, None, name)
        counts = np.bincount(known(segment_ids), minlength=made.dims[0])
        return made if counts.all() else where(constant(counts.reshape([-1] + [1] * (len(made.dims) - 1)) > 0), made, zeros_like(made))
    return of_segments


SEGMENTS = {"sum": _sum_of_segments, "prod": _segments("mul", lambda t: 1), "max": _extremes("max", _least), "min": _extremes("min", _most)}


def _mean_of_segments(data, segment_ids, num_segments=None, name=None):
    total = SEGMENTS["sum"](data, segment_ids, num_segments)
    counts = SEGMENTS["sum"](constant(np.ones(convert(data).dims[0], np.float32)), segment_ids, num_segments)
    shape = [-1] + [1] * (len(total.dims) - 1)
    return divide(total, cast(reshape(maximum(counts, 1.0), shape), total.dtype))


def tensordot(a, b, axes, name=None):
    a, b = convert(a), convert(b)
    if isinstance(axes, (int, np.integer)):
        axes = [list(range(len(a.dims) - axes, len(a.dims))), list(range(axes))]
    of_a, of_b = ([int(i) % len(x.dims) for i in np.ravel(each)] for x, each in zip((a, b), axes))
    rest_a, rest_b = ([i for i in range(len(x.dims)) if i not in of] for x, of in ((a, of_a), (b, of_b)))
    inner = int(np.prod([a.dims[i] for i in of_a]))
    rows, columns = reshape(transpose(a, rest_a + of_a), [-1, inner]), reshape(transpose(b, of_b + rest_b), [inner, -1])
    return reshape(matmul(rows, columns), [a.dims[i] for i in rest_a] + [b.dims[i] for i in rest_b])


def _explicit(equation, ranks):
    """The letters of each operand and of the result; those of `...` are digits."""
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    most = max(r - len(t.replace("...", "")) for t, r in zip(terms, ranks))
    filled = [t.replace("...", "0123456789"[:most][most - (r - len(t.replace("...", ""))):]) for t, r in zip(terms, ranks)]
    if arrow:
        return filled, output.replace("...", "0123456789"[:most])
    letters = "".join(filled)
    return filled, "0123456789"[:most] + "".join(sorted(c for c in set(letters) if letters.count(c) == 1 and c.isalpha()))


def einsum(equation, *inputs, optimize=None, name=None):
    """One operand after another, by the engine's recipe."""
    tensors = [convert(each) for each in inputs]
    wanted = equation.partition("->")[0].count(",") + 1
    if wanted != len(tensors):
        raise ValueError(f"Got {len(tensors)} inputs for equation {equation!r}, expecting {wanted}")
    for each in tensors:
        if each.dims is None:
            raise ValueError(f"tf.einsum of {each.name}, whose rank is open: give the placeholder as many extents as it has, None for those that are open")
    terms, output = _explicit(equation, [len(t.dims) for t in tensors])
    if any(len(set(t)) != len(t) for t in terms):
        raise failures.refused(f"tf.einsum({equation!r})", "take diagonals beforehand, with tf.linalg.diag_part")
    others = [c for c in output if c not in "".join(terms)]
    if others:
        raise ValueError(f"The output of the equation {equation!r} has {', '.join(map(repr, others))}, which none of its inputs has.")
    return recipes.einsum(tensors, terms, output)


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """In steps, so that what is infinite changes only the sums that it is in."""
    x = convert(x)
    axis, extent = int(axis) % max(len(x.dims), 1), x.dims[int(axis)]
    if not is_symbolic(x):
        turned = np.flip(x.value, axis) if reverse else x.value
        sums = np.cumsum(turned, axis, dtype=turned.dtype)
        if exclusive:
            sums = np.concatenate([np.zeros_like(np.take(sums, [0], axis)), np.delete(sums, -1, axis)], axis) if extent else sums
        return EagerTensor(np.flip(sums, axis) if reverse else sums)
    return together(x, axis, exclusive, reverse, add, zeros_like)


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    x = convert(x)
    return together(x, axis_of(axis, len(x.dims)), exclusive, reverse, multiply, ones_like)


def together(x, axis, exclusive, reverse, operation, nothing):
    """Each element with those before it, in steps of 1, 2, 4, 8 … `nothing`: what changes no element."""
    extent = x.dims[axis]
    turned = (lambda each: _backwards(each, [axis])) if reverse else (lambda each: each)

    def behind(values, steps):
        """Values so many places further on, behind ones."""
        parts = split(values, [extent - steps, steps], axis)
        return concat([nothing(parts[1]), parts[0]], axis)
    made, step = turned(x), 1
    if exclusive and extent > 0:
        made = behind(made, 1) if extent > 1 else nothing(made)
    while step < extent:
        made, step = operation(made, behind(made, step)), 2 * step
    return turned(made)


def band_part(input, num_lower, num_upper, name=None):
    """Matrices with what is beyond so many diagonals below and above the main one set to 0; all are kept of a negative number."""
    x = convert(input)
    rows, columns = x.dims[-2:]
    below = np.subtract.outer(np.arange(rows), np.arange(columns))
    lower, upper = whole(num_lower), whole(num_upper)
    kept = ((lower < 0) | (below <= lower)) & ((upper < 0) | (-below <= upper))
    return where(constant(kept), x, zeros_like(x))


def finite_or_zero(x):
    return where(_is_finite(x), x, zeros_like(x))


def _logical(reduction):
    def reduce(input_tensor, axis=None, keepdims=False, name=None, keep_dims=None):
        found = reduction(cast(input_tensor, "float32"), axis, keepdims=bool(keepdims or keep_dims))
        return MATH["greater"](found, 0.5)
    return reduce


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    """The largest is taken out first where it is finite, so that no power overflows."""
    from .control_flow import stop_gradient
    x = convert(input_tensor)
    most = stop_gradient(finite_or_zero(reduce_max(x, axis, keepdims=True)))
    summed = add(MATH["log"](reduce_sum(MATH["exp"](subtract(x, most)), axis, keepdims=True)), most)
    axes = list(range(len(x.dims))) if axis is None else [int(a) for a in np.ravel(axis)]
    return summed if keepdims else squeeze(summed, axes)


def count_nonzero(input, axis=None, keepdims=False, dtype="int64", name=None):
    return cast(reduce_sum(cast(not_equal(input, zeros_like(input)), "float32"), axis, keepdims=keepdims), dtype)


def argmin(input, axis=None, output_type=None, name=None, dimension=None):
    x = convert(input)
    return MATH["argmax"](negative(x) if x.dtype.is_floating else subtract(0, x), axis, output_type, dimension=dimension)


def _in_order(direction):
    """The pair (values, where they were) of a row in its order, as a function of rows."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: {direction}")
    return lambda x: ordered(x, x.dims[-1], direction == "DESCENDING")


def sort(values, axis=-1, direction="ASCENDING", name=None):
    in_order = _in_order(direction)
    return along_last(lambda rows: in_order(rows)[0], values, axis)


def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    in_order = _in_order(direction)
    return along_last(lambda rows: in_order(rows)[1], values, axis)


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None,
           fn_output_signature=None):
    """Of each slice by itself, side by side."""
    from ..structure import flatten, pack_like
    parts = [unstack(each) for each in flatten(elems)]
    made = [fn(pack_like(elems, list(each)) if isinstance(elems, (list, tuple, dict)) else each[0]) for each in zip(*parts)]
    return pack_like(made[0], [stack(list(column)) for column in zip(*[flatten(each) for each in made])])


def saturate_cast(value, dtype, name=None):
    """cast() of what is first brought between the least and the greatest number of the type."""
    x, wanted = convert(value), as_dtype(dtype)
    least, most = wanted.min, wanted.max
    if x.dtype.is_floating and float(np.asarray(most, x.dtype.as_numpy_dtype)) > most:  # rounded up
        most = float(np.nextafter(np.asarray(most, x.dtype.as_numpy_dtype), x.dtype.as_numpy_dtype(0)))
    if x.dtype.min < least:
        x = maximum(x, least)
    if x.dtype.max > most:
        x = minimum(x, most)
    return cast(x, wanted)


def _in_session(called, function, inp, types, name, of_numpy=False):
    """What a session calls of Python, on the host: tensors of unknown shapes, or the operation where it gives none. What a function
    `of_numpy` gives is of the types that it says."""
    here = graph.current()
    if here.of_program or here.of_tape or "IPU" in (here.device or "").upper():
        raise failures.refused(f"{called} in a program of the device", "the device runs no Python; use it in a data set's map(), or of what a "
                               "session fetches")
    listed = list(types) if isinstance(types, (list, tuple)) else [types]

    def of_arrays(*arrays):
        with graph.at_once():
            made = function(*arrays)
        made = list(made) if isinstance(made, (list, tuple)) else [made] * bool(listed)
        if listed and len(made) != len(listed):
            raise errors.InvalidArgumentError(message=f"{op.name} returns {len(made)} values, but expects to see {len(listed)} values.")
        for number, (each, dtype) in enumerate(zip(made, listed) if of_numpy else ()):
            found = np.asarray(each).dtype
            if found.kind in "biufc" and found != as_dtype(dtype).as_numpy_dtype:
                raise errors.InvalidArgumentError(message=f"{number}-th value returned by {op.name} is {found.name}, but expects "
                                                  f"{as_dtype(dtype).name}")
        return [np.asarray(getattr(each, "value", each), as_dtype(dtype).as_numpy_dtype) for each, dtype in zip(made, listed)]
    op = here.add("python", [graph.symbolic(each) for each in inp or ()], {"function": of_arrays}, [(dtype, None) for dtype in listed],
                  name or "PyFunc")
    return op if not listed else list(op.outputs) if isinstance(types, (list, tuple)) else op.outputs[0]


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):  # pylint: disable=invalid-name
    """A function of NumPy on tensors of the host."""
    if not graph.executing_eagerly():
        return _in_session("tf.numpy_function", lambda *arrays: func(*arrays), inp, Tout, name, True)
    made = func(*[np.asarray(convert(each).value) for each in inp])
    several, wanted = isinstance(made, (list, tuple)), Tout if isinstance(Tout, (list, tuple)) else [Tout]
    arrays = [np.asarray(each) for each in (made if several else [made])]
    for i, (array, dtype) in enumerate(zip(arrays, wanted)):
        if dtype is not None and array.dtype.kind in "fiub" and array.dtype != graph.as_dtype(dtype).as_numpy_dtype:
            found, told = (_OF_C.get(name, name) for name in (array.dtype.name, graph.as_dtype(dtype).name))
            raise errors.InvalidArgumentError(message=f"{i}-th value returned by pyfunc_0 is {found}, but expects {told}")
    return [EagerTensor(each) for each in arrays] if several else EagerTensor(arrays[0])


_OF_C = {"float16": "half", "float32": "float", "float64": "double"}  # element types in TensorFlow's messages


def py_function(func=None, inp=None, Tout=None, name=None):  # pylint: disable=invalid-name
    if not graph.executing_eagerly():
        return _in_session("tf.py_function", lambda *arrays: func(*[EagerTensor(each) for each in arrays]), inp, Tout, name)
    made = func(*[convert(each) for each in inp])
    several, wanted = isinstance(made, (list, tuple)), list(Tout) if isinstance(Tout, (list, tuple)) else [Tout]
    tensors = [each if isinstance(each, EagerTensor) or dtype is None else convert(each, dtype) for each, dtype in zip(
        made if several else [made], wanted + [None] * (len(made) - len(wanted) if several else 0))]
    return [convert(each) for each in tensors] if several else convert(tensors[0])


def py_function_1(func, inp, Tout, stateful=True, name=None):  # pylint: disable=invalid-name
    """tf.py_func of TensorFlow 1, whose function gets arrays."""
    return numpy_function(func, inp, Tout)


def ensure_shape(x, shape, name=None):
    found, wanted = convert(x), graph.TensorShape(shape).dims_
    if wanted is not None and (len(wanted) != len(found.dims) or any(w not in (None, d) for w, d in zip(wanted, found.dims))):
        raise ValueError(f"Shapes {found.shape} and {graph.TensorShape(shape)} are incompatible")
    return found


def _unary(function):
    return lambda x, name=None: function(convert(x))


def xlogy(x, y, name=None):
    none = MATH["equal"](x, zeros_like(x))
    return where(none, zeros_like(x), multiply(x, MATH["log"](where(none, graph.convert(1.0, like=convert(y)), y))))


def logical_xor(x, y, name="LogicalXor"):
    return MATH["not_equal"](cast(x, int32), cast(y, int32))


def zero_fraction(value, name=None):
    return MATH["reduce_mean"](cast(MATH["equal"](value, zeros_like(value)), "float32"))


def in_top_k(targets, predictions, k, name=None):
    """Whether fewer than k of a row are above the one that its target names, which must be a finite number."""
    x = convert(predictions)
    targeted = one_hot(targets, x.dims[-1], dtype="bool")
    own = reduce_sum(where(targeted, x, zeros_like(x)), -1)
    above = reduce_sum(cast(MATH["greater"](x, expand_dims(own, -1)), "float32"), -1)
    return MATH["logical_and"](less(above, float(whole(k))), _is_finite(own))


def in_top_k_1(predictions, targets, k, name=None):
    """As TensorFlow 1 has it."""
    return in_top_k(targets, predictions, k, name)


def _is_finite(x):
    return less(MATH["abs"](x), np.inf)


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=int32, name=None, axis=None, binary_output=False):
    if axis is not None or binary_output:
        raise failures.refused("tf.math.bincount(axis=…, binary_output=…)", "count each row by itself")
    counted = np.bincount(np.ravel(known(arr)), None if weights is None else np.ravel(known(weights)), minlength or 0)
    return constant(counted[:maxlength].astype(as_dtype(dtype).as_numpy_dtype if weights is None else np.float32))


def _pairs(labels, predictions, classes, weights, dtype):
    """How often each label stands beside each prediction, as a program counts it."""
    rows, columns = (one_hot(cast(reshape(convert(each), [-1]), int32), classes) for each in (labels, predictions))
    if weights is not None:
        rows = multiply(rows, expand_dims(cast(reshape(convert(weights), [-1]), "float32"), -1))
    return cast(matmul(rows, columns, transpose_a=True), dtype)


def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=int32, name=None):
    if num_classes is not None and any(known_or_none(each) is None for each in (labels, predictions, 1 if weights is None else weights)):
        return _pairs(labels, predictions, whole(num_classes), weights, dtype)
    rows, columns = np.ravel(known(labels)).astype(int), np.ravel(known(predictions)).astype(int)
    classes = int(max(rows.max(), columns.max())) + 1 if num_classes is None else whole(num_classes)
    counted = np.zeros((classes, classes), as_dtype(dtype).as_numpy_dtype)
    np.add.at(counted, (rows, columns), 1 if weights is None else np.ravel(known(weights)))
    return constant(counted)


def diag(diagonal, name=None, k=0):
    """Matrices with these diagonals, the main ones or `k` above them, 0 elsewhere."""
    x = convert(diagonal)
    extent = x.dims[-1]
    rows = broadcast_to(expand_dims(x, -1), [*x.dims, extent])
    made = where(constant(np.eye(extent, dtype=bool)), rows, zeros_like(rows))
    above, below = max(k, 0), max(-k, 0)
    return pad(made, [[0, 0]] * (len(x.dims) - 1) + [[below, above], [above, below]]) if k else made


def diag_part(input, name=None, k=0):
    x = convert(input)
    x = x[..., max(-k, 0):, max(k, 0):] if k else x
    rows, columns = x.dims[-2:]
    least = min(rows, columns)
    square = x if rows == columns else x[..., :least, :least]
    return reduce_sum(where(constant(np.eye(least, dtype=bool)), square, zeros_like(square)), -1)


def scatter_variable(reduction):
    """tf.scatter_update and the like of TensorFlow 1: a variable with other values in some rows."""
    return lambda ref, indices, updates, use_locking=None, name=None: ref.assign(scattered(
        ref, expand_dims(convert(indices), -1), updates, reduction))


def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):
    """Of vectors along one axis, or of all numbers; of matrices along two axes the "euclidean" and "fro" ones alone."""
    keep, of_matrices = bool(keepdims), isinstance(axis, (list, tuple)) and len(axis) == 2
    if ord in ("euclidean", "fro") or ord == 2 and not of_matrices:
        return MATH["sqrt"](reduce_sum(multiply(tensor, tensor), axis, keepdims=keep))
    if of_matrices or isinstance(ord, str):
        raise failures.refused(f"tf.norm(ord={ord!r}) of matrices", "the euclidean one is")
    if ord == np.inf:
        return reduce_max(MATH["abs"](tensor), axis, keepdims=keep)
    if ord == 1:
        return reduce_sum(MATH["abs"](tensor), axis, keepdims=keep)
    if ord <= 0:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    return MATH["pow"](reduce_sum(MATH["pow"](MATH["abs"](tensor), float(ord)), axis, keepdims=keep), 1.0 / ord)


def identity_n(input, name=None):
    return [identity(each) for each in input]


MATH_MORE = {
    "cumsum": cumsum, "cumprod": cumprod, "reduce_any": _logical(reduce_max), "reduce_all": _logical(reduce_min),
    "reduce_logsumexp": reduce_logsumexp, "reduce_euclidean_norm": lambda input_tensor, axis=None, keepdims=False, name=None:
    norm(input_tensor, axis=axis, keepdims=keepdims), "count_nonzero": count_nonzero,
    "argmin": argmin, "xlogy": xlogy, "logical_xor": logical_xor, "zero_fraction": zero_fraction, "in_top_k": in_top_k,
    "bincount": bincount, "confusion_matrix": confusion_matrix,
    "scalar_mul": lambda scalar, x, name=None: multiply(scalar, x),
    "multiply_no_nan": lambda x, y, name=None: where(MATH["equal"](y, zeros_like(y)), zeros_like(x), multiply(x, y)),
    "log_sigmoid": _unary(lambda x: negative(MATH["softplus"](negative(x)))),
    "tan": _unary(lambda x: divide(MATH["sin"](x), MATH["cos"](x))),
    "cosh": _unary(recipes.hyperbolic("cosh")), "is_nan": _unary(lambda x: not_equal(x, x)),
    "is_inf": _unary(lambda x: MATH["equal"](MATH["abs"](x), np.inf)),
    "is_finite": _unary(_is_finite), "accumulate_n": lambda inputs, *unused, **named:
    MATH["add_n"](inputs),
    **{f"unsorted_segment_{name}": made for name, made in SEGMENTS.items()},
    **{f"segment_{name}": _sorted_extremes(made) if name in ("max", "min") else made for name, made in SEGMENTS.items()},
    "unsorted_segment_mean": _mean_of_segments, "segment_mean": _mean_of_segments}
TOP_MORE = {
    "size": size, "rank": rank, "norm": norm, "reverse": reverse, "reverse_sequence": reverse_sequence, "roll": roll, "repeat": repeat, "strided_slice": strided_slice,
    "eye": eye, "linspace": linspace, "meshgrid": meshgrid, "sequence_mask": sequence_mask, "boolean_mask": boolean_mask,
    "scatter_nd": scatter_nd, "tensor_scatter_nd_add": _tensor_scatter("add"),
    "tensor_scatter_nd_update": _tensor_scatter("none"), "tensor_scatter_nd_max": _tensor_scatter("max"),
    "tensor_scatter_nd_min": _tensor_scatter("min"), "tensordot": tensordot, "einsum": einsum, "sort": sort,
    "argsort": argsort, "map_fn": map_fn, "vectorized_map": lambda fn, elems, fallback_to_while_loop=True: map_fn(fn, elems),
    "saturate_cast": saturate_cast, "numpy_function": numpy_function, "py_function": py_function, "ensure_shape": ensure_shape, "identity_n": identity_n,
    **{name: MATH_MORE[name] for name in ("cumsum", "reduce_any", "reduce_all", "reduce_logsumexp", "argmin", "tan", "cosh")}}
MATH_1 = {"in_top_k": lifted(in_top_k_1)}  # what TensorFlow 1 has differently
def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
    """A matrix times a vector."""
    return squeeze(matmul(a, expand_dims(b, -1), bool(transpose_a or adjoint_a)), [-1])


def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """The last two axes, one for the other."""
    rank = len(convert(a).dims)
    return transpose(a, [*range(rank - 2), rank - 1, rank - 2])


def trace(x, name=None):
    """The sum of the diagonal."""
    return reduce_sum(diag_part(x), -1)


LINALG = {"matvec": lifted(matvec), "matrix_transpose": lifted(matrix_transpose), "adjoint": lifted(matrix_transpose), "trace": lifted(trace), "diag": lifted(diag), "diag_part": lifted(diag_part), "band_part": lifted(band_part)}
TOP_1 = {"matrix_band_part": LINALG["band_part"], **{name: MATH_MORE[name] for name in ("cumprod", "count_nonzero", "is_nan", "is_inf", "is_finite")},
         "boolean_mask": lifted(boolean_mask_1), "diag": diag, "diag_part": diag_part, "matrix_diag": diag,
         "matrix_diag_part": diag_part, "py_func": py_function_1, "scatter_update": scatter_variable("none"),
         "scatter_add": scatter_variable("add"), "scatter_max": scatter_variable("max"), "scatter_min": scatter_variable("min"),
         **{name: made for name, made in MATH_MORE.items() if "segment_" in name}}
for _table in (MATH_MORE, TOP_MORE):
    _table.update({name: lifted(function) for name, function in _table.items()})
