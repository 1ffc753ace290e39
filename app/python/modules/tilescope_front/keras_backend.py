# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.backend, keras.mixed_precision: Keras' names for operations of tf, and the element types that layers compute with."""
import numpy as np

from . import array_operations, functions, graph, keras_layers, nn_operations, operations, random_operations
from .operations import lifted

EPSILON = 1e-7


class Policy:
    """keras.mixed_precision.Policy: "float32", "float16", or "mixed_float16", whose variables are of float32."""

    def __init__(self, name):
        if name not in ("float32", "float16", "mixed_float16"):
            from . import failures
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
    return lambda x, axis=None, keepdims=False: function(x, axis, keepdims=keepdims)


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
        from . import failures
        raise failures.refused("keras.backend.relu(threshold=…)", "use tf.where")
    y = nn_operations.NN["leaky_relu"](x, alpha) if alpha else nn_operations.NN["relu"](x)
    return y if max_value is None else operations.minimum(y, float(max_value))


def l2_normalize(x, axis=None):
    return operations.MATH["l2_normalize"](x, axis)


_MATH = operations.MATH
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
    "hard_sigmoid": operations.UNARY_MORE["hard_sigmoid"]}


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return random_operations.normal(shape, mean, stddev, dtype=dtype or keras_layers.floatx(), seed=seed)


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    return random_operations.uniform(shape, minval, maxval, dtype=dtype or keras_layers.floatx(), seed=seed)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return random_operations.truncated_normal(shape, mean, stddev, dtype=dtype or keras_layers.floatx(), seed=seed)


def _get_value(x):
    return x.numpy() if hasattr(x, "numpy") else x


def add_names():
    from . import control_flow, names
    names.module("tensorflow.keras.backend", {name: lifted(function) for name, function in _LIFTED.items()})
    names.module("tensorflow.keras.backend", {
        "int_shape": lambda x: tuple(x.shape), "ndim": lambda x: len(x.shape), "dtype": lambda x: x.dtype.name,
        "random_normal": random_normal, "random_uniform": random_uniform, "truncated_normal": truncated_normal,
        "backend": lambda: "tensorflow", "epsilon": lambda: EPSILON, "variable": functions.EagerVariable,
        "get_value": _get_value, "eval": _get_value, "set_value": lambda x, value: x.assign(value),
        "batch_get_value": lambda tensors: [_get_value(each) for each in tensors],
        "stop_gradient": control_flow.NAMES["stop_gradient"], "is_keras_tensor": lambda x: isinstance(
            x, keras_layers.KerasTensor), "count_params": lambda x: int(np.prod(x.shape))})
    policies = {"Policy": Policy, "set_global_policy": set_global_policy, "global_policy": global_policy}
    names.module("tensorflow.keras.mixed_precision", policies)
    names.module("tensorflow.keras.mixed_precision.experimental", Policy=Policy, set_policy=set_global_policy,
                 global_policy=global_policy)
