# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's recipes, step by step, on tensors of the host or of a program."""
from . import elementary as operations
from .. import host
from ..tensors import graph, open_shapes
from ..tensors.graph import DEVICE_TYPES, convert


def _type_of(x):
    """(dtype, shape) as recipes take it: those that the engine has not are worked out as float32 is."""
    return x.dtype.in_engine if x.dtype.name in DEVICE_TYPES else "float32", list(x.dims)


_BY_KIND = {
    "select": operations.where, "power": operations.pow_, "matmul": operations.matmul,
    "reduce_sum": lambda x, axes, keep_dims: operations.reduce_sum(x, axes, keepdims=keep_dims),
    "reshape": lambda x, shape: operations.reshape(x, shape), "transpose": lambda x, permutation: operations.transpose(x, permutation),
    "take": lambda x, axis, indices: operations.taken(x, axis, indices)}


def _step(kind, operands, attributes, like):
    """One step of a recipe of tensors like `like`, whose type the engine may not have."""
    if kind == "cast":
        return operations.cast(operands[0], like.dtype if attributes["dtype"] == _type_of(like)[0] else attributes["dtype"])
    function = _BY_KIND.get(kind) or operations.MATH.get(kind)
    return function(*operands, **attributes) if function else graph.apply(kind, operands, attributes)[0]


def followed(recipe, tensors):
    """What the last step of a recipe gives, of its inputs."""
    if recipe is None:
        return operations.identity(tensors[0])
    values = list(tensors)
    for kind, operands, attributes in recipe:
        operands = [values[each] if isinstance(each, int) else convert(each.item(), tensors[0].dtype) for each in operands]
        values.append(_step(kind, operands, attributes, tensors[0]))
    return values[-1]


def _of_types(what, recipe_of, types, tensors):
    """What recipe_of(types) gives of tensors, some of whose extents may be open. `what`: names it where that will not do."""
    opened = [each for each in tensors if open_shapes.is_open(each)]
    if not opened:
        return followed(recipe_of(types), tensors)
    found = open_shapes.tried(lambda extent: recipe_of([(dtype, open_shapes.closed(dims, extent)) for dtype, dims in types]))
    if found == [None, None]:  # the first input itself
        return followed(None, tensors)
    steps = found and open_shapes.merged_steps(*found)
    if not steps:
        raise ValueError(f"{what} of {opened[0].name}, whose shape is open: shapes are static on the IPU; give the placeholder a shape")
    return followed(steps, tensors)


def einsum(tensors, letters, result):
    """For tensors of any type, as the engine has it for floats."""
    return _of_types("tf.einsum", lambda types: host.run().einsum_recipe(types, letters, result),
                     [("float32", list(each.dims)) for each in tensors], tensors)


def hyperbolic(function):
    """A function of floats: of halves by way of float32."""
    def of_floats(x):
        x = convert(x)
        wide = operations.cast(x, "float32") if x.dtype.name == "float16" else x
        return operations.cast(followed(host.run().hyperbolic_recipe(function), [wide]), x.dtype)
    return of_floats


def constrained(constraint, settings, weight):
    return followed(host.run().constraint_recipe(constraint, settings, _type_of(weight)), [weight])


def rate(schedule, settings, step):
    """The rate of a schedule at steps, float32."""
    return followed(host.run().schedule_recipe(schedule, settings), [operations.cast(step, "float32")])


def volumes(kind, tensors, settings):
    """"conv3d" of volumes and filters, "max_pool2d" or "average_pool2d" of volumes, with their channels last."""
    return _of_types("tf.nn.conv3d" if kind == "conv3d" else "pooling", lambda types: host.run().volumes_recipe(kind, types, settings),
                     [_type_of(each) for each in tensors], tensors)
