# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.layers of TensorFlow 1 that are convolutions and poolings of one and three dimensions, separable or transposed."""
from . import layers as layers_1, train as train_1
from ..tracing import graph_variables as variables, variable_scopes
from ..tensors import graph
from .. import failures, names
from ..operations import nn_by_formula, nn as nn_operations, volumes


def _convolutional(base, rank, convolve):
    def layer(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None, use_bias=True,
              kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
              kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
        train_1._refuse(base, activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint, bias_constraint=bias_constraint,
                        data_format=None if data_format == "channels_last" else data_format)
        x = graph.symbolic(inputs)
        size = [kernel_size] * rank if isinstance(kernel_size, int) else list(kernel_size)
        with variable_scopes.variable_scope(train_1._layer_name(name, base), reuse=reuse):
            kernel = variables.get_variable("kernel", size + [x.dims[-1], filters], x.dtype, kernel_initializer, kernel_regularizer, trainable)
            y = convolve(x, kernel, strides, padding.upper(), dilations=dilation_rate)
            y = train_1._biased(y, use_bias, bias_initializer, bias_regularizer, trainable)
        return train_1._activated(y, activation)
    layer.__name__ = base
    return layer


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1), depth_multiplier=1,
                     activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None, bias_initializer=None,
                     depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                     depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    """tf.layers.separable_conv2d: a filter for each channel, and then one of single pixels."""
    train_1._refuse("separable_conv2d", activity_regularizer=activity_regularizer, depthwise_constraint=depthwise_constraint,
                    pointwise_constraint=pointwise_constraint, bias_constraint=bias_constraint,
                    data_format=None if data_format == "channels_last" else data_format)
    x = graph.symbolic(inputs)
    size = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    with variable_scopes.variable_scope(train_1._layer_name(name, "separable_conv2d"), reuse=reuse):
        depthwise = variables.get_variable("depthwise_kernel", size + [x.dims[-1], depth_multiplier], x.dtype, depthwise_initializer,
                                           depthwise_regularizer, trainable)
        pointwise = variables.get_variable("pointwise_kernel", [1, 1, x.dims[-1] * depth_multiplier, filters], x.dtype, pointwise_initializer,
                                           pointwise_regularizer, trainable)
        steps = [1, *([strides] * 2 if isinstance(strides, int) else strides), 1]
        y = nn_operations.separable_conv2d(x, depthwise, pointwise, steps, padding.upper(), rate=dilation_rate)
        y = train_1._biased(y, use_bias, bias_initializer, bias_regularizer, trainable)
    return train_1._activated(y, activation)


def _pooling(base, pool, orders):
    def layer(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        return pool(inputs, pool_size, strides, padding.upper(), data_format=orders[data_format == "channels_first"])
    layer.__name__ = base
    return layer


def _shape_of_transposed(extent, kernel, stride, padding):
    return extent * stride if padding.upper() == "SAME" else extent * stride + max(kernel - stride, 0)


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", activation=None,
                     use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    """tf.layers.conv2d_transpose."""
    x = graph.symbolic(inputs)
    train_1._refuse("conv2d_transpose", activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint,
                    bias_constraint=bias_constraint)
    if data_format == "channels_first":
        raise failures.refused("tf.layers.conv2d_transpose(data_format='channels_first')", "use channels_last, or tf.nn.conv2d_transpose")
    size, steps = ([each] * 2 if isinstance(each, int) else list(each) for each in (kernel_size, strides))
    with variable_scopes.variable_scope(train_1._layer_name(name, "conv2d_transpose"), reuse=reuse):
        kernel = variables.get_variable("kernel", size + [filters, x.dims[-1]], x.dtype, kernel_initializer, kernel_regularizer, trainable)
        made = [_shape_of_transposed(*each, padding) for each in zip(x.dims[1:3], size, steps)]
        y = nn_operations.conv2d_transpose(x, kernel, [x.dims[0], *made, filters], steps, padding.upper())
        y = train_1._biased(y, use_bias, bias_initializer, bias_regularizer, trainable)
    return train_1._activated(y, activation)


_1D, _3D = ("NWC", "NCW"), ("NDHWC", "NCDHW")
LAYERS = {each.__name__: each for each in (
    _convolutional("conv1d", 1, nn_operations.conv1d), _convolutional("conv3d", 3, volumes.conv3d), separable_conv2d, conv2d_transpose,
    _pooling("max_pooling1d", nn_by_formula.NN["max_pool1d"], _1D), _pooling("average_pooling1d", nn_by_formula.NN["avg_pool1d"], _1D),
    _pooling("max_pooling3d", volumes.max_pool3d, _3D), _pooling("average_pooling3d", volumes.avg_pool3d, _3D))}
CLASSES = {kind: type(kind, (layers_1.Layer,), {"function": staticmethod(LAYERS[base]), "base": base, "__doc__": f"tf.layers.{base} as a class"})
           for kind, base in (("Conv1D", "conv1d"), ("Conv3D", "conv3d"), ("SeparableConv2D", "separable_conv2d"), ("Conv2DTranspose", "conv2d_transpose"),
                              ("MaxPooling1D", "max_pooling1d"),
                              ("AveragePooling1D", "average_pooling1d"), ("MaxPooling3D", "max_pooling3d"), ("AveragePooling3D", "average_pooling3d"))}


def add_names():
    names.module("tensorflow.compat.v1.layers", LAYERS, CLASSES)
