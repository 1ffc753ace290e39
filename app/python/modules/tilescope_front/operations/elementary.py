# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of `tf` and `tf.math`, in terms of the engine's operators. On tensors of the host NumPy moves
and converts values where no number is computed."""
import collections
import functools

import numpy as np

from . import outside
from .. import errors
from ..tensors import graph, model_tensors, open_shapes
from ..dtypes import TensorShape, as_dtype, int32
from ..tensors.graph import EagerTensor, apply, convert, is_symbolic
from ..tensors.known_values import known, known_or_none  # noqa: F401  pylint: disable=unused-import
from ..naming import named
from ..structure import flatten


def _pair(a, b):
    """Two operands of one type: a Python number takes that of the tensor beside it, and so do numbers of NumPy that are of its kind."""
    first, second = _has_type(a, b), _has_type(b, a)
    if first or not second:
        a = convert(a)
        return a, convert(b, like=None if second else a)
    b = convert(b)
    return convert(a, like=b), b


def _has_type(value, other):
    """Whether a value has its own type beside another one."""
    if not hasattr(value, "dims") and isinstance(value, (np.ndarray, np.generic)) and hasattr(other, "dims"):
        wanted = as_dtype(other.dtype)
        return value.dtype.kind not in ("iuf" if wanted.is_floating else "iu" if wanted.is_integer else "")
    return hasattr(value, "dims") or hasattr(value, "dtype")


def _binary(kind, name):
    def function(x, y, name=None):
        a, b = _pair(x, y)
        return apply(kind, [a, b], None, name)[0]
    function.__name__ = name
    return function


def _unary(kind, name):
    def function(x, name=None):
        return apply(kind, [x], None, name)[0]
    function.__name__ = name
    return function


def _also_of_whole(function, of_whole):
    """A function of floats, which a program has by another one of whole numbers."""
    def either(x, name=None):
        x = convert(x)
        return of_whole(x) if is_symbolic(x) and x.dtype.is_integer else function(x, name)
    either.__name__ = function.__name__
    return either


add, subtract = _binary("add", "add"), _binary("subtract", "subtract")
multiply, divide = _binary("multiply", "multiply"), _binary("divide", "divide")
maximum, minimum, pow_ = _binary("maximum", "maximum"), _binary("minimum", "minimum"), _binary("power", "pow")
equal, not_equal = _binary("equal", "equal"), _binary("not_equal", "not_equal")
less, less_equal = _binary("less", "less"), _binary("less_equal", "less_equal")
greater, greater_equal = _binary("greater", "greater"), _binary("greater_equal", "greater_equal")
logical_and, logical_or = _binary("logical_and", "logical_and"), _binary("logical_or", "logical_or")
negative = _also_of_whole(_unary("negate", "negative"), lambda x: subtract(0, x))
abs_ = _also_of_whole(_unary("abs", "abs"), lambda x: maximum(x, negative(x)))
_UNARY = {name: _unary(name, name) for name in (
    "exp", "log", "sqrt", "rsqrt", "square", "sign", "sin", "cos", "tanh", "sigmoid", "erf", "floor", "ceil", "round",
    "reciprocal", "softplus", "softsign", "logical_not")}
_UNARY["square"] = _also_of_whole(_UNARY["square"], lambda x: multiply(x, x))
_UNARY["sign"] = _also_of_whole(_UNARY["sign"], lambda x: subtract(cast(greater(x, 0), x.dtype), cast(less(x, 0), x.dtype)))
relu, relu6 = _unary("relu", "relu"), _unary("relu6", "relu6")
selu, swish, softplus = _unary("selu", "selu"), _unary("swish", "swish"), _UNARY["softplus"]
sigmoid, tanh = _UNARY["sigmoid"], _UNARY["tanh"]


def gelu(features, approximate=False, name=None):
    return apply("gelu_tanh" if approximate else "gelu", [features], None, name)[0]


def elu(features, name=None):
    return apply("elu", [features], {"alpha": 1.0}, name)[0]


def leaky_relu(features, alpha=0.2, name=None):
    return apply("leaky_relu", [features], {"alpha": float(alpha)}, name)[0]


def along_last(function, x, axis):
    """A function of rows, of those along an axis."""
    x = convert(x)
    rank = len(x.dims)
    axis = rank - 1 if axis is None else axis_of(axis, rank)
    if axis == rank - 1:
        return function(x)
    order = [i for i in range(rank) if i != axis] + [axis]
    return transpose(function(transpose(x, order)), [order.index(i) for i in range(rank)])


def softmax(logits, axis=None, name=None, dim=None):
    return along_last(lambda x: apply("softmax", [x], None, name)[0], logits, dim if axis is None else axis)


def log_softmax(logits, axis=None, name=None, dim=None):
    return along_last(lambda x: apply("log_softmax", [x], None, name)[0], logits, dim if axis is None else axis)


def whole(value):
    """The whole number that a value is while a graph is made."""
    return int(known(value))


def wholes(values):
    """The whole numbers of a list, a tensor or one number."""
    if isinstance(values, (int, np.integer)):
        return [int(values)]
    if hasattr(values, "dims") and not isinstance(values, TensorShape):
        return [int(each) for each in np.ravel(known(values))]
    return [whole(each) if hasattr(each, "dims") else int(each) for each in values]


def floordiv(x, y, name=None):
    """The quotient rounded down."""
    a, b = _pair(x, y)
    if not a.dtype.is_integer:
        return _UNARY["floor"](divide(a, b))
    if not (is_symbolic(a) or is_symbolic(b)):
        if not np.all(b.value):
            raise errors.InvalidArgumentError(message="Integer division by zero")
        return EagerTensor(a.value // b.value)
    quotient = divide(a, b)  # rounded towards 0
    left = subtract(a, multiply(quotient, b))
    divisor, is_negative = known_or_none(b), less(left, 0)
    if divisor is not None and np.all(divisor > 0):
        return subtract(quotient, cast(is_negative, a.dtype))
    differ = not_equal(cast(is_negative, int32), cast(less(b, 0), int32))
    return subtract(quotient, cast(logical_and(not_equal(left, 0), differ), a.dtype))


def floormod(x, y, name=None):
    a, b = _pair(x, y)
    if a.dtype.is_floating:
        return apply("floor_mod", [a, b])[0]
    return subtract(a, multiply(floordiv(a, b), b))


floordiv, floormod = named(floordiv, "floordiv"), named(floormod, "mod")


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    x = convert(input_tensor)
    return reduce_mean(squared_difference(x, reduce_mean(x, axis, keepdims=True)), axis, keepdims=keepdims)


def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    return _UNARY["sqrt"](reduce_variance(input_tensor, axis, keepdims))


def truediv(x, y, name=None):
    """The quotient as Python has it, of whole numbers, too: of 64 bits at once, of 32 in a graph, as the engine has no more."""
    a, b = _pair(x, y)
    if a.dtype.is_integer and not (is_symbolic(a) or is_symbolic(b)):
        with np.errstate(divide="ignore", invalid="ignore"):
            return EagerTensor((a.value / b.value).astype(np.float64 if a.dtype.size >= 4 else np.float32))
    return divide(cast(a, "float32"), cast(b, "float32"), name) if a.dtype.is_integer else divide(a, b, name)


truediv = named(truediv, "truediv")


def divide_no_nan(x, y, name=None):
    a, b = _pair(x, y)
    none = equal(b, zeros_like(b))
    return where(none, zeros_like(divide(a, ones_like(b))), divide(a, where(none, ones_like(b), b)))


def gather_nd(params, indices, batch_dims=0, name=None):
    params = convert(params)
    outside.of_blocks(indices, params.dims, int(batch_dims), "param shape")
    return apply("gather_nd", [params, cast(indices, int32)], {"batch_dims": int(batch_dims)} if batch_dims else {}, name)[0]


TopK = collections.namedtuple("TopKV2", ("values", "indices"))


def ordered(input, k, largest=True, name=None):
    """The largest, or the smallest, of each row in their order, and where they were."""
    values, indices = apply("top_k", [input], {"k": int(k), "largest": largest}, name)
    return TopK(values, cast(indices, int32))


def top_k(input, k=1, sorted=True, name=None):
    return ordered(input, k, name=name)


def axis_of(axis, rank):
    """An axis counted from the first; ValueError where there is none of that number."""
    if not -rank <= int(axis) < rank:
        raise ValueError(f"axis {int(axis)} is not there: the tensor has {rank} dimension{'' if rank == 1 else 's'}" +
                         (f", {-rank} to {rank - 1}" if rank else ""))
    return int(axis) % rank


def _axes(axis, rank):
    if axis is None:
        return None
    axes = [axis] if isinstance(axis, (int, np.integer)) else list(np.asarray(axis))
    return sorted(axis_of(a, rank) for a in axes)


def _reduction(kind):
    def function(input_tensor, axis=None, keepdims=False, name=None, keep_dims=None, reduction_indices=None):
        x = convert(input_tensor)
        axes = _axes(axis if reduction_indices is None else reduction_indices, len(x.dims))
        attributes = {"keep_dims": bool(keepdims or keep_dims)}
        if axes is not None:
            attributes["axes"] = axes
        elif is_symbolic(x):
            graph.current().unique("Const")  # TensorFlow's, of all axes
        return apply(kind, [x], attributes, name)[0]
    function.__name__ = kind
    return function


reduce_sum, reduce_mean, reduce_max = (_reduction(k) for k in ("reduce_sum", "reduce_mean", "reduce_max"))
reduce_min, reduce_prod = _reduction("reduce_min"), _reduction("reduce_prod")


def argmax(input, axis=None, output_type=None, name=None, dimension=None):
    found = apply("argmax", [input], {"axis": int(axis if axis is not None else dimension or 0)}, name)[0]
    return cast(found, output_type or "int64")


def matmul(a, b, transpose_a=False, transpose_b=False, name=None):
    a, b = matrices(*_pair(a, b))
    if a.dtype.is_integer and (is_symbolic(a) or is_symbolic(b)):
        from . import whole as whole_operations
        return whole_operations.product(a, b, transpose_a, transpose_b)
    return apply("matmul", [a, b], {"transpose_a": transpose_a, "transpose_b": transpose_b}, name)[0]


def matrices(a, b):
    """Two tensors of matrices, each repeated as far as the other has more of them."""
    if any(each.dims is None or None in each.dims[:-2] for each in (a, b)) or a.dims[:-2] == b.dims[:-2]:
        return a, b
    try:
        batch = list(np.broadcast_shapes(a.dims[:-2], b.dims[:-2]))
    except ValueError:
        return a, b  # which the engine tells of
    return tuple(each if list(each.dims[:-2]) == batch else broadcast_to(each, batch + list(each.dims[-2:])) for each in (a, b))


def cast(x, dtype, name=None):
    x, dtype = convert(x), as_dtype(dtype)
    if not is_symbolic(x):
        return EagerTensor(x.value.astype(dtype.as_numpy_dtype))
    if x.dtype == dtype:
        return x
    of_engine = dtype.in_engine if dtype.name in graph.DEVICE_TYPES else dtype.name
    return graph.node("cast", [x], {"dtype": of_engine}, name or "Cast", dtype)[0]


def reshape(tensor, shape, name=None):
    x = convert(tensor)
    shape = given_shapes.reshaped(x, shape) if is_symbolic(x) else wholes(shape)
    if not is_symbolic(x):
        return EagerTensor(x.value.reshape(shape))
    return apply("reshape", [x], {"shape": shape}, name)[0]


def expand_dims(input, axis=None, name=None, dim=None):
    x = convert(input)
    axis = axis if axis is not None else dim
    shape = list(x.dims)
    if not -len(shape) - 1 <= axis <= len(shape):
        raise errors.InvalidArgumentError(message=f"Tried to expand dim index {axis} for tensor with {len(shape)} dimensions.")
    shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 1)
    return reshape(x, shape, name)


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    x = convert(input)
    axes = _axes(axis if axis is not None else squeeze_dims, len(x.dims))
    return reshape(x, [d for i, d in enumerate(x.dims) if not (i in axes if axes is not None else d == 1)], name)


def transpose(a, perm=None, conjugate=False, name=None):
    x = convert(a)
    order = [int(p) for p in perm] if perm is not None else list(range(len(x.dims)))[::-1]
    if not is_symbolic(x):
        return EagerTensor(x.value.transpose(order))
    return apply("transpose", [x], {"permutation": order}, name)[0]


def concat(values, axis, name=None):
    tensors = [convert(v) for v in values]
    if not any(is_symbolic(t) for t in tensors):
        return EagerTensor(np.concatenate([t.value for t in tensors], axis))
    return apply("concatenate", tensors, {"axis": int(axis)}, name)[0]


def stack(values, axis=0, name=None):
    return concat([expand_dims(v, axis) for v in values], axis, name)


@graph.provides("packed")
def packed(values, dtype=None):
    """A list of tensors and numbers, or of such lists, as one tensor."""
    leaves = [each for each in flatten(values) if graph.is_tensor(each)]
    dtype = dtype or convert(leaves[0]).dtype
    return stack([packed(each, dtype) if isinstance(each, (list, tuple)) else convert(each) if graph.is_tensor(each) else convert(each, dtype)
                  for each in values])


def split(value, num_or_size_splits, axis=0, num=None, name=None):
    x = convert(value)
    sizes = num_or_size_splits
    if isinstance(sizes, int):
        sizes = [x.dims[axis] // sizes] * sizes
    sizes = [int(s) for s in wholes(sizes)]
    if -1 in sizes:  # what is left
        sizes[sizes.index(-1)] = x.dims[axis] - sum(sizes) - 1
    return apply("split", [x], {"axis": int(axis), "sizes": sizes}, name)


def unstack(value, num=None, axis=0, name=None):
    x = given_shapes.of_number(convert(value), num, axis)
    return [squeeze(part, [axis]) for part in split(x, x.dims[axis], axis)] if x.dims[axis] else []


def slice_(input_, begin, size, name=None):
    x, begin, size = convert(input_), wholes(begin), wholes(size)
    size = [-1 if d is None and s == -1 else d - b if s == -1 else s for b, s, d in zip(begin, size, x.dims)]
    return apply("slice", [x], {"begin": begin, "size": size}, name)[0]


def taken(x, axis, places):
    """The slices of a tensor along an axis at places that are known; None: all of an open axis, backwards."""
    x = convert(x)
    if not is_symbolic(x):
        return EagerTensor(np.take(x.value, list(places), axis))
    return apply("take", [x], {"axis": axis_of(axis, len(x.dims)), "indices": None if places is None else [int(each) for each in places]})[0]


def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    x, places = convert(params), cast(indices, int32)
    axis = int(batch_dims if axis is None else axis)
    outside.of_rows(indices, x.dims[axis_of(axis, len(x.dims))])
    if batch_dims == 0:
        return apply("gather", [x, places], {"axis": axis}, name)[0]
    axis = axis_of(axis, len(x.dims))
    if axis != batch_dims:
        from .. import failures
        raise failures.refused(f"tf.gather(axis={axis}, batch_dims={batch_dims})", "move the axis to follow the batch")
    return apply("gather_nd", [x, expand_dims(places, -1)], {"batch_dims": int(batch_dims)}, name)[0]


def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    paddings = np.asarray(known(paddings)).reshape(-1, 2)
    if mode.upper() != "CONSTANT":
        for axis, (before, after) in enumerate(paddings):
            places = np.pad(np.arange(convert(tensor).dims[axis]), (before, after), mode.lower())
            tensor = taken(tensor, axis, places) if before or after else tensor
        return tensor
    return apply("pad", [tensor], {"before": paddings[:, 0].tolist(), "after": paddings[:, 1].tolist(),
                                   "value": float(known(constant_values))}, name)[0]


def broadcast_to(input, shape, name=None):
    return apply("broadcast_to", [input], {"shape": wholes(shape)}, name)[0]


def where(condition, x=None, y=None, name=None):
    if x is None:
        if is_symbolic(convert(condition)):
            from .. import failures
            raise failures.refused("tf.where() of one argument in a program", "shapes are static on the IPU; give x and y")
        return EagerTensor(np.argwhere(convert(condition).value))
    a, b = _pair(x, y)
    a, b, condition = broadcast_together(a, b, convert(condition))
    return apply("select", [condition, a, b], None, name)[0]


def broadcast_together(*tensors):
    """All of one shape."""
    shapes = [t.dims for t in tensors]
    if any(each is None or None in each for each in shapes) or len(set(map(tuple, shapes))) == 1:
        return tensors
    shape = list(np.broadcast_shapes(*shapes))
    return [t if list(t.dims) == shape else broadcast_to(t, shape) for t in tensors]


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    return maximum(minimum(t, clip_value_max), clip_value_min)


def identity(input, name=None):
    x = convert(input)
    if not is_symbolic(x):
        return EagerTensor(x.value)
    return x.op.graph.add("identity", [x], {}, [(x.dtype, x.dims)], name or "Identity").outputs[0]


def constant(value, dtype=None, shape=None, name=None):
    tensor = convert(value, dtype)
    if shape is not None:
        array = np.broadcast_to(tensor.value, tuple(TensorShape(shape))) if tensor.value.size == 1 \
            else tensor.value.reshape(tuple(TensorShape(shape)))
        tensor = EagerTensor(np.array(array))
    if graph.executing_eagerly():
        return tensor
    if name is not None and not is_symbolic(tensor):
        return graph.current().add("constant", [], {"value": tensor.value}, [(tensor.dtype, tensor.dims)], name).outputs[0]
    return graph.symbolic(tensor)


def _filled(number):
    def function(shape, dtype=graph.DEFAULT, name=None):
        made = given_shapes.filled(shape, number, as_dtype(dtype))
        return constant(np.full(tuple(wholes(shape)), number, as_dtype(dtype).as_numpy_dtype)) if made is None else made
    return function


def _filled_like(number):
    def function(input, dtype=None, name=None, optimize=True):
        x = convert(input)
        if open_shapes.is_open(x):
            none = less(x, x) if x.dtype.name != "bool" else logical_and(x, MATH["logical_not"](x))
            return cast(MATH["logical_not"](none) if number else none, dtype or x.dtype)
        return constant(np.full(x.dims, number, as_dtype(dtype or x.dtype).as_numpy_dtype))
    return function


zeros, ones, zeros_like, ones_like = _filled(0), _filled(1), _filled_like(0), _filled_like(1)


def fill(dims, value, name=None):
    number = convert(known(value))
    made = given_shapes.filled(dims, number.value, number.dtype)
    return constant(np.full(tuple(wholes(dims)), known(value))) if made is None else made


def text_of(given):
    return given.decode() if isinstance(given, bytes) else str(given)


def range_(start, limit=None, delta=1, dtype=None, name=None):
    start, limit = (0, start) if limit is None else (start, limit)
    numbers = [np.asarray(known(each)) for each in (start, limit, delta)]
    if any(each.ndim or each.dtype.kind not in "biuf" for each in numbers):
        raise ValueError(f"tf.range takes numbers (start, limit, delta), and got {', '.join(text_of(each[()]) for each in numbers)}")
    values = np.arange(*(each[()] for each in numbers))
    wide = any(each.dtype.itemsize == 8 for each in numbers)  # no number of Python's
    inferred = as_dtype(("float" if values.dtype.kind == "f" else "int") + ("64" if wide else "32"))
    values = values.astype((as_dtype(dtype) if dtype else inferred).as_numpy_dtype)
    if not graph.executing_eagerly() and values.dtype.kind in "iu" and hasattr(graph.current(), "traced"):
        return graph.over_range(values)
    return constant(values)


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    indices = convert(indices)
    if indices.dtype.is_floating:
        raise TypeError(f"Value passed to parameter 'indices' has DataType {indices.dtype.name} not in list of allowed values: uint8, int32, int64")
    classes = constant(np.arange(whole(depth), dtype=np.int32))
    holds = equal(expand_dims(cast(indices, int32), -1), classes)  # the engine compares no bytes
    rank = len(holds.dims)
    if axis is not None and axis % rank != rank - 1:
        axis = axis % rank
        holds = transpose(holds, [*range(axis), rank - 1, *range(axis, rank - 1)])
    if on_value is None and off_value is None:
        return cast(holds, dtype or graph.DEFAULT)
    on, off = (cast(default if value is None else value, dtype or graph.convert(given).dtype) for value, default in (
        (on_value, 1), (off_value, 0)) for given in [on_value if on_value is not None else off_value])
    return where(holds, on, off)


def shape(input, out_type=int32, name=None):
    x = convert(input)
    if open_shapes.is_open(x):
        return graph.current().add("shape", [x], {}, [(as_dtype(out_type), None if x.dims is None else [len(x.dims)])],
                                   name or "Shape").outputs[0]
    return constant(np.asarray(convert(input).dims, as_dtype(out_type).as_numpy_dtype))


def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None, preferred_dtype=None):
    tensor = convert(value, dtype)
    return tensor if graph.executing_eagerly() else graph.symbolic(tensor)


def global_norm(t_list, name=None):
    """The length of all tensors taken together."""
    return _UNARY["sqrt"](add_n([reduce_sum(multiply(t, t)) for t in t_list if t is not None]))


def clip_by_norm(t, clip_norm, axes=None, name=None):
    length = _UNARY["sqrt"](reduce_sum(multiply(t, t), axes, keepdims=True))
    return multiply(t, divide(clip_norm, maximum(length, clip_norm)))


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """(the tensors clipped by their length taken together, that length)"""
    length = use_norm if use_norm is not None else global_norm(t_list)
    share = divide(clip_norm, maximum(length, clip_norm))
    share = add(share, subtract(length, length))  # of no finite length all is none, as in TensorFlow
    return [None if t is None else multiply(t, share) for t in t_list], length


def add_n(inputs, name=None):
    total = inputs[0]
    for each in inputs[1:]:
        total = add(total, each)
    return total


def lifted(function):
    """The same function, which on Keras tensors makes a layer of itself."""
    @functools.wraps(function)
    def on_any(*args, **kwargs):
        of_model = model_tensors.first_of((*args, *kwargs.values()))
        return function(*args, **kwargs) if of_model is None else of_model.with_operation(function, args, kwargs)
    return on_any


def tile(input, multiples, name=None):
    x = convert(input)
    counts = wholes(multiples)
    if len(counts) != len(x.dims):
        raise errors.InvalidArgumentError(message=f"Expected multiples argument to be a vector of length {len(x.dims)} but got length "
                                          f"{len(counts)}")
    for axis, count in enumerate(counts):
        x = concat([x] * count, axis) if count > 1 else x
    if 0 in counts:
        return constant(np.zeros([n * count for n, count in zip(x.dims, counts)], x.dtype.as_numpy_dtype))
    return x


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    total = reduce_sum(multiply(x, x), axis if axis is not None else dim, keepdims=True)
    return multiply(x, _UNARY["rsqrt"](maximum(total, epsilon)))


def squared_difference(x, y, name=None):
    difference = subtract(x, y)
    return multiply(difference, difference)


UNARY_MORE = {name: _unary(name, name) for name in ("hard_sigmoid", "mish")}

from .brackets import slice_of  # noqa: E402  pylint: disable=wrong-import-position
from . import given_shapes

MATH = {"add": add, "subtract": subtract, "multiply": multiply, "divide": truediv, "truediv": truediv, "maximum": maximum,
        "minimum": minimum, "pow": pow_, "equal": equal, "not_equal": not_equal, "less": less,
        "less_equal": less_equal, "greater": greater, "greater_equal": greater_equal, "logical_and": logical_and,
        "logical_or": logical_or, "negative": negative, "abs": abs_, "reduce_sum": reduce_sum,
        "reduce_mean": reduce_mean, "reduce_max": reduce_max, "reduce_min": reduce_min, "reduce_prod": reduce_prod,
        "argmax": argmax, "add_n": add_n, "floordiv": floordiv, "floormod": floormod, "mod": floormod,
        "reduce_std": reduce_std, "reduce_variance": reduce_variance, "divide_no_nan": divide_no_nan, "top_k": top_k,
        "squared_difference": squared_difference, "l2_normalize": l2_normalize,
        **_UNARY}
TOP = {"matmul": matmul, "cast": cast, "reshape": reshape, "expand_dims": expand_dims,
       "squeeze": squeeze, "transpose": transpose, "concat": concat, "stack": stack, "split": split,
       "unstack": unstack, "slice": slice_, "gather": gather, "pad": pad, "broadcast_to": broadcast_to,
       "where": where, "clip_by_value": clip_by_value, "identity": identity, "constant": constant, "zeros": zeros,
       "ones": ones, "zeros_like": zeros_like, "ones_like": ones_like, "fill": fill, "range": range_,
       "one_hot": one_hot, "shape": shape, "convert_to_tensor": convert_to_tensor, "tile": tile,
       "clip_by_norm": clip_by_norm, "clip_by_global_norm": clip_by_global_norm, "global_norm": global_norm,
       "gather_nd": gather_nd}
for _table in (MATH, TOP):
    _table.update({name: lifted(function) for name, function in _table.items()})
