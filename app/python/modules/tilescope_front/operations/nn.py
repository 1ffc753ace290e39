# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of `tf.nn`: convolutions, poolings, losses, statistics."""
import numpy as np

from . import outside
from .. import failures, ipu_config, strategies
from .control_flow import stop_gradient
from .array import in_top_k, in_top_k_1, size, zero_fraction
from ..dtypes import int32
from ..tensors.graph import apply, convert
from .elementary import (
    MATH, add, cast, elu, expand_dims, gather, gelu, leaky_relu, lifted, log_softmax, matmul, maximum, minimum, multiply, negative, reduce_mean,
    reduce_sum, relu, relu6, reshape, selu, sigmoid, softmax, softplus, squeeze, subtract, swish, tanh, top_k, transpose, truediv, wholes)
from .random import dropout, dropout_1


def softmax_cross_entropy_with_logits_1(labels=None, logits=None, dim=-1, name=None, axis=None):
    """TensorFlow 1's, which holds the labels fixed."""
    return softmax_cross_entropy_with_logits(stop_gradient(labels), logits, dim if axis is None else axis, name)


def relu_layer(x, weights, biases, name=None):
    return relu(xw_plus_b(x, weights, biases))


def bias_add(value, bias, data_format=None, name=None):
    x = convert(value)
    if data_format is not None and data_format.startswith("NC"):
        bias = reshape(bias, [-1] + [1] * (len(x.dims) - 2))
    return add(x, bias)


def xw_plus_b(x, weights, biases, name=None):
    return add(matmul(x, weights), biases)


def padding_around(dims, window, strides, padding):
    """What is put before each dimension, then after each, as TensorFlow's SAME and VALID have it, or as given for each."""
    if not isinstance(padding, str):
        return [int(each[end]) for end in (0, 1) for each in padding]
    if padding.upper() not in ("SAME", "VALID"):
        raise ValueError(f"padding must be either 'SAME' or 'VALID', got {padding!r}")
    if padding.upper() == "VALID":
        return [0] * (2 * len(window))
    before, after = [], []
    for extent, size, stride in zip(dims, window, strides):
        if extent is None and stride != 1:
            raise ValueError("padding='SAME' with strides of an image whose extents are open is not known before the program runs: give "
                             "the placeholder a height and a width")
        extent = 1 if extent is None else extent
        total = max((-(-extent // stride) - 1) * stride + size - extent, 0)
        before.append(total // 2)
        after.append(total - total // 2)
    return before + after


def of_images(function, x, data_format, *settings, rank=2):
    """function(images with their channels last, what each of `settings` says of rows and columns), in the order of `x`; of volumes for a
    rank of 3."""
    x, orders = convert(x), {2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}[rank]
    channels_first = data_format in (orders[0], "channels_first")
    if not channels_first and data_format not in (None, orders[1], "channels_last"):
        raise ValueError(f"Unknown data format: {data_format}")

    def spatial(values):
        if isinstance(values, (int, str)):
            return values if isinstance(values, str) else [values] * rank
        values = list(values) * (rank if len(values) == 1 else 1)
        return values if len(values) == rank else values[2:] if channels_first else values[1:1 + rank]
    settings = [spatial(1 if each is None else each) for each in settings]
    if channels_first:
        made = function(transpose(x, [0, *range(2, rank + 2), 1]), *settings)
        return transpose(made, [0, rank + 1, *range(1, rank + 1)])
    return function(x, *settings)


def _convolution(extents, w, steps, rates, around, groups=1):
    """The settings of a convolution of images with these extents by filters w [rows, columns, …]."""
    window = [(w.dims[i] - 1) * rates[i] + 1 for i in (0, 1)]
    return {"strides": steps, "padding": padding_around(extents, window, steps, around), "dilations": rates, "groups": groups}


def conv2d(input, filters, strides=1, padding="VALID", data_format="NHWC", dilations=None, name=None):
    w = convert(filters)

    def convolved(x, steps, rates, around):
        settings = _convolution(x.dims[1:3], w, steps, rates, around, x.dims[3] // w.dims[2])
        return apply("conv2d", [x, w], settings, name or "Conv2D")[0]
    return of_images(convolved, input, data_format, strides, dilations, padding)


def depthwise_conv2d(input, filter, strides, padding, data_format="NHWC", dilations=None, name=None, rate=None):
    """Each channel by filters of its own: [rows, columns, channels, of each]."""
    w = convert(filter)
    grouped = reshape(w, [*w.dims[:2], 1, -1])
    return conv2d(input, grouped, strides, padding, data_format, dilations if rate is None else rate, name)


def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format="NHWC", dilations=None, name=None,
                     rate=None):
    between = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations, None, rate)
    return conv2d(between, pointwise_filter, 1, "VALID", data_format, None, name)


def conv1d(input, filters, stride=1, padding="VALID", data_format="NWC", dilations=None, name=None):
    """Along the middle axis of [batch, steps, channels], or the last of NCW."""
    channels_first, axis = data_format == "NCW", 2 if data_format == "NCW" else 1
    step, rate = (list(np.ravel(1 if each is None else each)) for each in (stride, dilations))
    step, rate = (int(each[axis] if len(each) == 3 else each[0]) for each in (step, rate))
    made = conv2d(expand_dims(input, axis), expand_dims(filters, 0), [1, step], padding, "NCHW" if channels_first else "NHWC",
                  [1, rate], name)
    return squeeze(made, [axis])


def conv1d_1(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format="NWC", name=None, input=None,
             dilations=None):
    """As TensorFlow 1 has it."""
    return conv1d(input if value is None else value, filters, stride, padding, data_format or "NWC", dilations, name)


def conv2d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NHWC", dilations=None, name=None):
    """The gradient of a convolution by its images, which have `output_shape`. Filters are [rows, columns, made, given]."""
    w, made = convert(filters), wholes(output_shape)
    made = [made[i] for i in (0, 2, 3, 1)] if data_format in ("NCHW", "channels_first") else made

    def transposed(x, steps, rates, around):
        settings = _convolution(made[1:3], w, steps, rates, around)
        return apply("conv2d_input_gradient", [x, w], {**settings, "shape": made}, name or "conv2d_transpose")[0]
    return of_images(transposed, input, data_format, strides, dilations, padding)


def conv2d_transpose_1(value=None, filter=None, output_shape=None, strides=None, padding="SAME", data_format="NHWC", name=None,
                       input=None, filters=None, dilations=None):
    """As TensorFlow 1 has it."""
    return conv2d_transpose(input if value is None else value, filters if filter is None else filter, output_shape, strides,
                            padding, data_format, dilations, name)


def conv2d_1(input, filter=None, strides=None, padding="VALID", use_cudnn_on_gpu=True, data_format="NHWC", dilations=None,
             name=None, filters=None):
    """As TensorFlow 1 has it."""
    return conv2d(input, filters if filter is None else filter, strides, padding, data_format, dilations, name)


def _pooling(kind):
    def pool(input=None, ksize=2, strides=2, padding="VALID", data_format="NHWC", name=None, value=None):
        def pooled(x, window, steps, around):
            return apply(kind, [x], {"window": window, "strides": steps,
                                     "padding": padding_around(x.dims[1:3], window, steps, around)}, name)[0]
        return of_images(pooled, value if input is None else input, data_format, ksize, strides, padding)
    return pool


max_pool, avg_pool = _pooling("max_pool2d"), _pooling("average_pool2d")


def sparse_softmax_cross_entropy_with_logits(labels=None, logits=None, name=None):
    logits = convert(logits)
    outside.of_labels(labels, logits.dims[-1])
    return _of_rows("sparse_categorical_crossentropy", logits, cast(labels, int32), name)


def _of_rows(kind, logits, labels, name):
    """The losses [...] of logits [..., classes]."""
    dims = list(logits.dims)
    if len(dims) == 2:
        return apply(kind, [logits, labels], {"from_logits": True}, name)[0]
    rows = reshape(labels, [-1] if len(labels.dims) < len(dims) else [-1, dims[-1]])
    return reshape(apply(kind, [reshape(logits, [-1, dims[-1]]), rows], {"from_logits": True}, name)[0], dims[:-1])


def softmax_cross_entropy_with_logits(labels=None, logits=None, axis=-1, name=None, dim=None):
    x, axis = convert(logits), axis if dim is None else dim
    if axis % len(x.dims) != len(x.dims) - 1:
        return negative(reduce_sum(multiply(labels, log_softmax(x, axis)), axis))
    return _of_rows("categorical_crossentropy", x, convert(labels), name)


def moments(x, axes, shift=None, keepdims=False, name=None, keep_dims=None):
    """(mean, variance), as values that are differentiated."""
    mean = reduce_mean(x, axes, keepdims=True)
    variance = reduce_mean(MATH["squared_difference"](x, mean), axes, keepdims=keepdims or keep_dims)
    return (mean if keepdims or keep_dims else squeeze(mean, axes)), variance


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    y = multiply(subtract(x, mean), MATH["rsqrt"](add(variance, variance_epsilon)))
    y = y if scale is None else multiply(y, scale)
    return y if offset is None else add(y, offset)


def of_population(variance, x, axis=-1):
    """The variance of a batch as TensorFlow's fused batch norm gives it: times n / (n - 1), of n numbers per channel."""
    if None in x.dims:
        n = truediv(cast(size(x), variance.dtype), float(x.dims[axis]))
        return multiply(variance, truediv(n, maximum(subtract(n, 1.0), 1.0)))
    n = int(np.prod(x.dims)) // x.dims[axis]
    return multiply(variance, n / max(n - 1, 1))


def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format="NHWC", is_training=True, name=None,
                     exponential_avg_factor=1.0):
    """(y, mean, variance), where it trains of the batch, the variance times n / (n - 1)."""
    if exponential_avg_factor != 1.0:
        raise failures.refused("tf.nn.fused_batch_norm(exponential_avg_factor=…)", "average mean and variance yourself")
    x = convert(x)
    if data_format == "NCHW":
        x = transpose(x, [0, 2, 3, 1])
    if is_training:
        ipu_config.refuse_norm_groups("tf.nn.fused_batch_norm")
        mean, variance = moments(x, list(range(len(x.dims) - 1)))
    normal = batch_normalization(x, mean, variance, offset, scale, epsilon)
    variance = of_population(variance, x) if is_training else variance
    return (transpose(normal, [0, 3, 1, 2]) if data_format == "NCHW" else normal), mean, variance


def l2_loss(t, name=None):
    return multiply(reduce_sum(multiply(t, t)), 0.5)


def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """max(x, 0) - x t + log(1 + exp(-|x|)), of which at 0 either part has the slope that it has above."""
    rest = softplus(minimum(negative(logits), logits))
    return add(subtract(maximum(logits, 0.0), multiply(logits, labels)), rest)


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum over the batch of all replicas."""
    values = convert(per_example_loss)
    values = values if sample_weight is None else multiply(values, sample_weight)
    size = global_batch_size or values.dims[0] * strategies.replicas()
    return multiply(reduce_sum(values), 1.0 / float(size))


NN = {"relu": relu, "relu6": relu6, "selu": selu, "elu": elu, "leaky_relu": leaky_relu, "gelu": gelu, "swish": swish,
      "silu": swish, "softplus": softplus, "sigmoid": sigmoid, "tanh": tanh, "softmax": softmax,
      "log_softmax": log_softmax, "bias_add": bias_add, "xw_plus_b": xw_plus_b, "conv2d": conv2d,
      "conv1d": conv1d, "depthwise_conv2d": depthwise_conv2d, "separable_conv2d": separable_conv2d,
      "conv2d_transpose": conv2d_transpose,
      "max_pool": max_pool, "max_pool2d": max_pool, "avg_pool": avg_pool, "avg_pool2d": avg_pool, "dropout": dropout,
      "moments": moments, "batch_normalization": batch_normalization, "l2_loss": l2_loss, "l2_normalize": MATH["l2_normalize"],
      "relu_layer": relu_layer, "top_k": top_k, "embedding_lookup": gather,
      "sigmoid_cross_entropy_with_logits": sigmoid_cross_entropy_with_logits,
      "sparse_softmax_cross_entropy_with_logits": sparse_softmax_cross_entropy_with_logits,
      "softmax_cross_entropy_with_logits": softmax_cross_entropy_with_logits,
      "softmax_cross_entropy_with_logits_v2": softmax_cross_entropy_with_logits,
      "in_top_k": in_top_k, "zero_fraction": zero_fraction, "compute_average_loss": compute_average_loss}
NN.update({name: lifted(function) for name, function in NN.items()})
NN_1 = {**NN, **{name: lifted(function) for name, function in (
    ("conv1d", conv1d_1), ("conv2d", conv2d_1), ("conv2d_transpose", conv2d_transpose_1),
    ("depthwise_conv2d_native", depthwise_conv2d), ("fused_batch_norm", fused_batch_norm), ("dropout", dropout_1),
    ("in_top_k", in_top_k_1), ("softmax_cross_entropy_with_logits", softmax_cross_entropy_with_logits_1))}}
