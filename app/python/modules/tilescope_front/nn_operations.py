# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of `tf.nn`: convolutions, poolings, losses, statistics."""
import functools

import numpy as np

from . import graph
from .dtypes import int32
from .graph import apply, convert
from .operations import (MATH, add, cast, elu, equal, expand_dims, gather, gelu, leaky_relu, lifted, log_softmax, matmul,
                         multiply, negative, reduce_mean, reduce_sum, relu, relu6, reshape, selu, sigmoid, softmax,
                         softplus, squeeze, subtract, swish, tanh, top_k, transpose)


def relu_layer(x, weights, biases, name=None):
    return relu(xw_plus_b(x, weights, biases))


def bias_add(value, bias, data_format=None, name=None):
    x = convert(value)
    if data_format is not None and data_format.startswith("NC"):
        bias = reshape(bias, [-1] + [1] * (len(x.dims) - 2))
    return add(x, bias)


def xw_plus_b(x, weights, biases, name=None):
    return add(matmul(x, weights), biases)


def _windows(dims, window, strides, padding):
    """Padding [top, left, bottom, right], as TensorFlow's SAME and VALID have it."""
    if padding.upper() == "VALID":
        return [0, 0, 0, 0]
    before, after = [], []
    for extent, size, stride in zip(dims, window, strides):
        total = max((-(-extent // stride) - 1) * stride + size - extent, 0)
        before.append(total // 2)
        after.append(total - total // 2)
    return before + after


def _spatial(values):
    values = [values] * 2 if isinstance(values, int) else list(values)
    return values if len(values) == 2 else values[1:3]


def _in_nhwc(function):
    """The function for images whose channels stand before their rows as well."""
    @functools.wraps(function)
    def either(value=None, *args, data_format="NHWC", **kwargs):
        if data_format in (None, "NHWC", "channels_last"):
            return function(value, *args, **kwargs)
        for name in ("strides", "ksize", "dilations"):
            if isinstance(kwargs.get(name), (list, tuple)) and len(kwargs[name]) == 4:
                kwargs[name] = list(kwargs[name][2:])
        args = [list(each[2:]) if isinstance(each, (list, tuple)) and len(each) == 4 else each for each in args]
        value = value if value is not None else kwargs.pop("input", None)
        return transpose(function(transpose(value, [0, 2, 3, 1]), *args, **kwargs), [0, 3, 1, 2])
    return either


@_in_nhwc
def conv2d(input=None, filter=None, strides=1, padding="VALID", use_cudnn_on_gpu=True,
           dilations=1, name=None, filters=None):
    x, w = convert(input), convert(filter if filter is not None else filters)
    if hasattr(filters if filter is None else filter, "tensor_of_variable"):
        w = graph.symbolic(w)
    steps, rates = _spatial(strides), _spatial(dilations)
    window = [(w.dims[i] - 1) * rates[i] + 1 for i in (0, 1)]
    attributes = {"strides": steps, "padding": _windows(x.dims[1:3], window, steps, padding), "dilations": rates,
                  "groups": x.dims[3] // w.dims[2]}
    return apply("conv2d", [x, w], attributes, name or "Conv2D")[0]


def _pooled(kind, value, ksize, strides, padding, name):
    x, window, steps = convert(value), _spatial(ksize), _spatial(strides)
    return apply(kind, [x], {"window": window, "strides": steps,
                             "padding": _windows(x.dims[1:3], window, steps, padding)}, name)[0]


@_in_nhwc
def max_pool(value=None, ksize=2, strides=2, padding="VALID", name=None, input=None):
    return _pooled("max_pool2d", value if value is not None else input, ksize, strides, padding, name)


def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    return apply("sparse_categorical_crossentropy", [logits, cast(labels, int32)], {"from_logits": True}, name)[0]


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, axis=-1, name=None, dim=None):
    x, axis = convert(logits), axis if dim is None else dim
    if axis % len(x.dims) != len(x.dims) - 1:
        return negative(reduce_sum(multiply(labels, log_softmax(x, axis)), axis))
    return apply("categorical_crossentropy", [logits, labels], {"from_logits": True}, name)[0]


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    share = rate if rate is not None else 1 - keep_prob
    return apply("dropout", [x], {"rate": float(share), "salt": len(graph.current().operations_)}, name)[0]


def moments(x, axes, shift=None, keepdims=False, name=None, keep_dims=None):
    """(mean, variance), as values that are differentiated."""
    mean = reduce_mean(x, axes, keepdims=True)
    variance = reduce_mean(MATH["squared_difference"](x, mean), axes, keepdims=keepdims or keep_dims)
    return (mean if keepdims or keep_dims else squeeze(mean, axes)), variance


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    y = multiply(subtract(x, mean), MATH["rsqrt"](add(variance, variance_epsilon)))
    y = y if scale is None else multiply(y, scale)
    return y if offset is None else add(y, offset)


def l2_loss(t, name=None):
    return multiply(reduce_sum(multiply(t, t)), 0.5)


def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """max(x, 0) - x t + log(1 + exp(-|x|))."""
    rest = softplus(negative(MATH["abs"](logits)))
    return add(subtract(relu(logits), multiply(logits, labels)), rest)


@_in_nhwc
def avg_pool(value=None, ksize=2, strides=2, padding="VALID", name=None, input=None):
    return _pooled("average_pool2d", value if value is not None else input, ksize, strides, padding, name)


NN = {"relu": relu, "relu6": relu6, "selu": selu, "elu": elu, "leaky_relu": leaky_relu, "gelu": gelu, "swish": swish,
      "silu": swish, "softplus": softplus, "sigmoid": sigmoid, "tanh": tanh, "softmax": softmax,
      "log_softmax": log_softmax, "bias_add": bias_add, "xw_plus_b": xw_plus_b, "conv2d": conv2d,
      "max_pool": max_pool, "max_pool2d": max_pool, "avg_pool": avg_pool, "avg_pool2d": avg_pool, "dropout": dropout,
      "moments": moments, "batch_normalization": batch_normalization, "l2_loss": l2_loss, "l2_normalize": MATH["l2_normalize"],
      "relu_layer": relu_layer, "top_k": top_k, "embedding_lookup": gather,
      "sigmoid_cross_entropy_with_logits": sigmoid_cross_entropy_with_logits,
      "sparse_softmax_cross_entropy_with_logits": sparse_softmax_cross_entropy_with_logits,
      "softmax_cross_entropy_with_logits": softmax_cross_entropy_with_logits,
      "softmax_cross_entropy_with_logits_v2": softmax_cross_entropy_with_logits}
def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum over the batch of all replicas."""
    from . import strategy
    values = convert(per_example_loss)
    values = values if sample_weight is None else multiply(values, sample_weight)
    now = strategy.current()
    size = global_batch_size or values.dims[0] * (now.num_replicas_in_sync if now else 1)
    return multiply(reduce_sum(values), 1.0 / float(size))


NN["compute_average_loss"] = compute_average_loss
NN.update({name: lifted(function) for name, function in NN.items()})
