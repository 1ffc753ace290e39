# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of TensorFlow 1 for what has others now, and what its scripts ask of collections of variables."""
from ..tracing import graph_variables as variables
from ..tensors import graph
from .. import names
from ..operations import array as array_operations, checks, initializers, elementary as operations, random as random_operations
from ..operations.elementary import cast

MATH = operations.MATH


def _add_to_collections(names_, value):
    for each in [names_] if isinstance(names_, str) else names_:
        graph.current().add_to_collection(each, value)


def div(x, y, name=None):
    """The quotient; that of whole numbers is rounded down."""
    a, b = operations._pair(x, y)
    return operations.floordiv(a, b, name) if a.dtype.is_integer else operations.divide(a, b, name)


TOP = {
    "div": div,
    "verify_tensor_all_finite": lambda t=None, msg=None, name=None, x=None, message=None: checks.finite(t if x is None else x, msg or message),
    "add_check_numerics_ops": lambda: graph.group(), "tables_initializer": lambda name="init_all_tables": graph.group(), "all_variables": variables.global_variables,
    "arg_max": lambda input, dimension, output_type="int64", name=None: MATH["argmax"](input, dimension, output_type=output_type),
    "arg_min": lambda input, dimension, output_type="int64", name=None: array_operations.argmin(input, dimension, output_type=output_type),
    "to_int64": lambda x, name=None: cast(x, "int64"), "to_double": lambda x, name=None: cast(x, "float64"),
    "multinomial": lambda logits, num_samples, seed=None, name=None, output_dtype="int64": random_operations.categorical(
        logits, num_samples, output_dtype, seed), "scatter_sub": lambda ref, indices, updates, use_locking=None, name=None:
    array_operations.TOP_1["scatter_add"](ref, indices, MATH["negative"](updates)), "add_to_collections": _add_to_collections,
    "get_collection_ref": lambda key: graph.current().collections.setdefault(key, []), "model_variables": lambda scope=None:
    variables.get_collection("model_variables", scope), "moving_average_variables": lambda scope=None: variables.get_collection(
        "moving_average_variables", scope), "uniform_unit_scaling_initializer": lambda factor=1.0, seed=None, dtype="float32":
    initializers.INITIALIZERS["variance_scaling"](scale=float(factor)**2, mode="fan_in", distribution="uniform", seed=seed),
    "dimension_value": lambda dimension: getattr(dimension, "value", dimension), "executing_eagerly_outside_functions": graph.executing_eagerly}


def add_names():
    names.module("tensorflow.compat.v1", TOP)
