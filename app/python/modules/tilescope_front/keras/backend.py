# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.backend, keras.mixed_precision: Keras' names for operations of tf, and the element types that layers compute with."""
import numpy as np

from . import cells as keras_cells, layers as keras_layers, traced as keras_traced
from .. import failures
from ..operations import (
    array as array_operations, nn as nn_operations, elementary as operations, printing, random as random_operations, tensor_arrays,
    volumes)
from ..tracing import functions, gradients
from ..tensors import graph
from ..operations.elementary import lifted
from ..structure import flatten as leaves_of

EPSILON = 1e-7

_MATH = operations.MATH


class Policy:
    """keras.mixed_precision.Policy: "float32", "float16", or "mixed_float16", whose variables are of float32."""

    def __init__(self, name):
        if name not in ("float32", "float16", "mixed_float16"):
            raise failures.refused(f"keras.mixed_precision.Policy({name!r})", "use float32, float16 or mixed_float16")
        self.name = name

    compute_dtype = property(lambda self: self.name.replace("mixed_", ""))
    variable_dtype = property(lambda self: "float32" if self.name.startswith("mixed_") else self.name)

    def document(self):
        return self.name

    def __repr__(self):
        return f'<Policy "{self.name}">'


def set_global_policy(policy):
    keras_layers.set_policy((policy if isinstance(policy, Policy) else Policy(policy)).name)


def global_policy():
    return Policy(keras_layers.policy())


def _reduce(name):
    function = operations.MATH.get(name) or array_operations.MATH_MORE[name]

    def reduced(x, axis=None, keepdims=False):
        return function(x, axis, keepdims=keepdims)
    reduced.__name__ = name  # that of the layer which it makes of Keras tensors
    return reduced


def clip(x, min_value=None, max_value=None):
    x = x if max_value is None else operations.minimum(x, max_value)
    return x if min_value is None else operations.maximum(x, min_value)


def dot(x, y):
    return array_operations.tensordot(x, y, [[len(graph.convert(x).dims) - 1], [max(len(graph.convert(y).dims) - 2, 0)]])


def flatten(x):
    return operations.reshape(x, [-1])


def batch_flatten(x):
    return operations.reshape(x, [graph.convert(x).dims[0], -1])


def binary_crossentropy(target, output, from_logits=False):
    """Of each number; probabilities are kept from 0 and 1."""
    if from_logits:
        return nn_operations.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    log, share = operations.MATH["log"], clip(output, EPSILON, 1 - EPSILON)
    yes = operations.multiply(target, log(operations.add(share, EPSILON)))
    no = operations.multiply(operations.subtract(1.0, target), log(operations.add(operations.subtract(1.0, share), EPSILON)))
    return operations.negative(operations.add(yes, no))


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    if threshold:
        raise failures.refused("keras.backend.relu(threshold=…)", "use tf.where")
    y = nn_operations.NN["leaky_relu"](x, alpha) if alpha else nn_operations.NN["relu"](x)
    return y if max_value is None else operations.minimum(y, float(max_value))


def l2_normalize(x, axis=None):
    return operations.MATH["l2_normalize"](x, axis)


def batch_dot(x, y, axes=None):
    """The product of each pair of a batch along one axis of each: of x without that axis, and then of y."""
    x, y = graph.convert(x), graph.convert(y)
    rank_x, rank_y = len(x.dims), len(y.dims)
    if axes is None:
        axes = [rank_x - 1, rank_y - 1 if rank_y == 2 else rank_y - 2]
    of_x, of_y = (operations.axis_of(each, rank) for each, rank in zip([axes] * 2 if isinstance(axes, int) else axes, (rank_x, rank_y)))
    if 0 in (of_x, of_y):
        raise ValueError("Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch dimension to your inputs.")
    rest_x, rest_y = ([i for i in range(1, rank) if i != axis] for rank, axis in ((rank_x, of_x), (rank_y, of_y)))
    rows = operations.reshape(operations.transpose(x, [0, *rest_x, of_x]), [x.dims[0], -1, x.dims[of_x]])
    columns = operations.reshape(operations.transpose(y, [0, of_y, *rest_y]), [y.dims[0], y.dims[of_y], -1])
    shape = [x.dims[0], *(x.dims[i] for i in rest_x), *(y.dims[i] for i in rest_y)]
    return operations.reshape(operations.matmul(rows, columns), shape if len(shape) > 1 else [*shape, 1])


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """Of shares that are made to sum to 1, and are kept from 0 and 1."""
    if from_logits:
        return nn_operations.softmax_cross_entropy_with_logits(labels=target, logits=output, axis=axis)
    share = operations.divide(output, operations.reduce_sum(output, axis, keepdims=True))
    log = _MATH["log"](clip(share, EPSILON, 1 - EPSILON))
    return operations.negative(operations.reduce_sum(operations.multiply(target, log), axis))


def rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, unroll=False, input_length=None, time_major=False,
        zero_output_for_mask=False):
    """(the last output, all outputs, the last states) of a function of a step's inputs and the states before it, step after step."""
    if zero_output_for_mask and mask is not None:
        raise failures.refused("keras.backend.rnn(zero_output_for_mask=True)", "multiply the outputs by the mask")
    x = graph.convert(inputs)
    turned = [1, 0, *range(2, len(x.dims))]
    held = list(constants or ())
    if mask is not None:
        mask = operations.cast(mask, "bool")
        mask = operations.squeeze(mask, [-1]) if len(mask.dims) == 3 else mask
        mask = operations.transpose(mask, [1, 0]) if time_major else mask
    outputs, states = keras_cells.unrolled(
        lambda each, before: step_function(each, list(before) + held), keras_cells.steps_of(operations.transpose(x, turned) if time_major else x),
        list(initial_states), mask, go_backwards)
    return outputs[-1], operations.stack(outputs, 0 if time_major else 1), states


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    if not from_logits:
        output = _MATH["log"](clip(output, EPSILON, 1 - EPSILON))
    labels = graph.convert(target)
    labels = operations.squeeze(labels, [-1]) if len(labels.dims) == len(graph.convert(output).dims) else labels
    return nn_operations.sparse_softmax_cross_entropy_with_logits(labels=operations.cast(labels, "int32"), logits=output)


def _first(data_format):
    return data_format == "channels_first"


def _convolution(function, orders):
    return lambda x, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1: function(
        x, kernel, strides, padding.upper(), data_format=orders[_first(data_format)], dilations=dilation_rate)


def conv1d(x, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Also "causal": what comes after a step is not seen by it."""
    if padding == "causal":
        before = [[0, 0], [dilation_rate * (graph.convert(kernel).dims[0] - 1), 0], [0, 0]]
        x, padding = operations.pad(x, before), "valid"
    return nn_operations.conv1d(x, kernel, strides, padding.upper(), "NCW" if _first(data_format) else "NWC", dilation_rate)


def pool2d(x, pool_size, strides=(1, 1), padding="valid", data_format=None, pool_mode="max"):
    pool = {"max": nn_operations.max_pool, "avg": nn_operations.avg_pool}.get(pool_mode)
    if pool is None:
        raise ValueError("Invalid pooling mode: " + str(pool_mode))
    return pool(x, list(pool_size), list(strides), padding.upper(), data_format="NCHW" if _first(data_format) else "NHWC")


def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
    return nn_operations.batch_normalization(x, mean, var, beta, gamma, epsilon)


def normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=1e-3):
    """(what is normalised, mean, variance) of a batch."""
    mean, variance = nn_operations.moments(x, list(reduction_axes), keepdims=True)
    rank = len(graph.convert(x).dims)
    shape = [1 if i in reduction_axes else extent for i, extent in enumerate(graph.convert(x).dims)]
    ends = [None if each is None or len(graph.convert(each).dims) == rank else operations.reshape(each, shape) for each in (gamma, beta)]
    made = nn_operations.batch_normalization(x, mean, variance, ends[1], ends[0], epsilon)
    return made, operations.squeeze(mean, list(reduction_axes)), operations.squeeze(variance, list(reduction_axes))


def temporal_padding(x, padding=(1, 1)):
    return operations.pad(x, [[0, 0], list(padding), [0, 0]])


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    around = [list(each) for each in padding]
    return operations.pad(x, [[0, 0], [0, 0], *around] if _first(data_format) else [[0, 0], *around, [0, 0]])


def repeat(x, n):
    """Each row of [batch, numbers] as n steps."""
    return operations.tile(operations.expand_dims(x, 1), [1, n, 1])


def eye(size, dtype=None, name=None):
    size = [size, size] if isinstance(size, int) else list(size)
    return array_operations.eye(*size, dtype=dtype or keras_layers.floatx())


def print_tensor(x, message="", summarize=3):
    """As it is; its values are printed."""
    printing.print_2(message, x, summarize=summarize)
    return operations.identity(x)


def gradients_(loss, variables):
    return gradients.gradients_of(loss, list(variables) if isinstance(variables, (list, tuple)) else [variables])


_LIFTED = {
    "clip": clip, "dot": dot, "flatten": flatten, "batch_flatten": batch_flatten, "relu": relu,
    "l2_normalize": l2_normalize, "binary_crossentropy": binary_crossentropy,
    **{theirs: _reduce(ours) for theirs, ours in (
        ("sum", "reduce_sum"), ("mean", "reduce_mean"), ("max", "reduce_max"), ("min", "reduce_min"), ("prod", "reduce_prod"),
        ("std", "reduce_std"), ("var", "reduce_variance"), ("any", "reduce_any"), ("all", "reduce_all"),
        ("logsumexp", "reduce_logsumexp"))},
    **{name: _MATH[name] for name in ("square", "sqrt", "exp", "log", "abs", "sign", "round", "maximum", "minimum", "equal",
                                      "not_equal", "greater", "greater_equal", "less", "less_equal", "sin", "cos", "tanh",
                                      "sigmoid", "softplus", "softsign", "pow")},
    **{name: operations.TOP[name] for name in ("cast", "reshape", "expand_dims", "squeeze", "transpose", "stack", "gather",
                                               "one_hot", "tile", "zeros", "ones", "zeros_like", "ones_like", "constant",
                                               "identity", "shape")},
    **{name: nn_operations.NN[name] for name in ("softmax", "elu", "bias_add")},
    "argmax": lambda x, axis=-1: _MATH["argmax"](x, axis), "argmin": lambda x, axis=-1: array_operations.argmin(x, axis),
    "cumsum": array_operations.cumsum, "concatenate": lambda tensors, axis=-1: operations.concat(tensors, axis),
    "permute_dimensions": lambda x, pattern: operations.transpose(x, pattern), "reverse": lambda x, axes:
    array_operations.reverse(x, axes), "repeat_elements": lambda x, rep, axis: array_operations.repeat(x, rep, axis),
    "switch": lambda condition, then_expression, else_expression: operations.where(
        condition, then_expression() if callable(then_expression) else then_expression,
        else_expression() if callable(else_expression) else else_expression),
    "dropout": lambda x, level, noise_shape=None, seed=None: random_operations.dropout(x, level, noise_shape, seed),
    "hard_sigmoid": operations.UNARY_MORE["hard_sigmoid"],
    "batch_dot": batch_dot, "categorical_crossentropy": categorical_crossentropy, "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "rnn": rnn,
    "conv1d": conv1d, "conv2d": _convolution(nn_operations.conv2d, ("NHWC", "NCHW")), "conv3d": _convolution(volumes.conv3d, ("NDHWC", "NCDHW")),
    "pool2d": pool2d, "batch_normalization": batch_normalization, "normalize_batch_in_training": normalize_batch_in_training,
    "temporal_padding": temporal_padding, "spatial_2d_padding": spatial_2d_padding, "repeat": repeat, "print_tensor": print_tensor,
    "cumprod": lambda x, axis=0: array_operations.MATH_MORE["cumprod"](x, axis),
    "in_top_k": lambda predictions, targets, k: array_operations.MATH_MORE["in_top_k"](targets, predictions, k),
    "cast_to_floatx": lambda x: operations.cast(x, keras_layers.floatx()) if hasattr(x, "dims") else np.asarray(x, keras_layers.floatx())}


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return random_operations.normal(shape, mean, stddev, dtype=dtype or keras_layers.floatx(), seed=seed)


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    return random_operations.uniform(shape, minval, maxval, dtype=dtype or keras_layers.floatx(), seed=seed)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return random_operations.truncated_normal(shape, mean, stddev, dtype=dtype or keras_layers.floatx(), seed=seed)


def _get_value(x):
    return x.numpy() if hasattr(x, "numpy") else x


class Function:
    """keras.backend.function: what Keras tensors are for values of others."""

    def __init__(self, inputs, outputs, updates=None, name=None, **kwargs):
        from . import model as keras_model
        if updates or kwargs:
            raise failures.refused("keras.backend.function(updates=…)", "assign the values in a step of your own")
        self.several = isinstance(outputs, (list, tuple))
        given = [each for each in leaves_of(inputs) if isinstance(each, keras_layers.KerasTensor)]
        self.model = keras_model.Model(given, list(outputs) if self.several else [outputs], name=name)

    def __call__(self, inputs):
        given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        made = leaves_of(self.model([np.asarray(each) for each in given]))
        return [each.numpy() for each in made] if self.several else made[0].numpy()


def _in_train_phase(x, alt, training=None):
    return (x() if callable(x) else x) if keras_traced.training_now(training) else alt() if callable(alt) else alt


def _set_epsilon(value):
    if float(value) != EPSILON:
        raise failures.refused(f"keras.backend.set_epsilon({value})", f"losses of the engine keep shares {EPSILON:g} from 0 and 1; compute the "
                               "loss from logits")


def _set_format(data_format):
    if data_format != "channels_last":
        raise failures.refused(f"keras.backend.set_image_data_format({data_format!r})", "give layers data_format='channels_first'")


def add_names():
    from .. import names
    from ..operations import control_flow
    for name, function in _LIFTED.items():
        if function.__name__ == "<lambda>":
            function.__name__ = name
    names.module("tensorflow.keras.backend", {name: lifted(function) for name, function in _LIFTED.items()})
    names.module("tensorflow.keras.backend", {
        "int_shape": lambda x: tuple(x.shape), "ndim": lambda x: len(x.shape), "dtype": lambda x: x.dtype.name,
        "function": Function, "in_train_phase": _in_train_phase, "in_test_phase": lambda x, alt, training=None: _in_train_phase(alt, x, training),
        "random_normal": random_normal, "random_uniform": random_uniform, "truncated_normal": truncated_normal,
        "backend": lambda: "tensorflow", "epsilon": lambda: EPSILON, "variable": functions.EagerVariable,
        "get_value": _get_value, "eval": _get_value, "set_value": lambda x, value: x.assign(value),
        "batch_get_value": lambda tensors: [_get_value(each) for each in tensors],
        "stop_gradient": control_flow.NAMES["stop_gradient"], "is_keras_tensor": lambda x: isinstance(
            x, keras_layers.KerasTensor), "count_params": lambda x: int(np.prod(x.shape)),
        "eye": eye, "gradients": gradients_, "update": lambda x, new_x: x.assign(new_x), "update_add": lambda x, increment: x.assign_add(increment),
        "update_sub": lambda x, decrement: x.assign_sub(decrement), "moving_average_update": lambda x, value, momentum: x.assign(
            operations.add(operations.multiply(x, momentum), operations.multiply(value, 1.0 - momentum))),
        "batch_set_value": lambda tuples: [variable.assign(value) for variable, value in tuples], "is_sparse": lambda tensor: False,
        "arange": lambda start, stop=None, step=1, dtype="int32": operations.TOP["range"](*((0, start) if stop is None else (start, stop)), step, dtype=dtype),
        "map_fn": lambda fn, elems, name=None, dtype=None: array_operations.map_fn(fn, elems), "foldl": tensor_arrays.NAMES["foldl"],
        "foldr": tensor_arrays.NAMES["foldr"], "set_epsilon": _set_epsilon, "set_image_data_format": _set_format,
        "set_learning_phase": keras_traced.set_training, "manual_variable_initialization": lambda value: None, "reset_uids": keras_layers.clear_session,
        "get_uid": lambda prefix="": int(keras_layers.unique_name(prefix, False).rpartition("_")[2])})
    policies = {"Policy": Policy, "set_global_policy": set_global_policy, "global_policy": global_policy}
    names.module("tensorflow.keras.mixed_precision", policies)
    names.module("tensorflow.keras.mixed_precision.experimental", Policy=Policy, set_policy=set_global_policy,
                 global_policy=global_policy)
