# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.normalization_ops: normalisations that have variables."""
from ..operations import initializers, nn as nn_operations, elementary as operations
from ..tensors import graph
from ..tracing import variable_scopes, graph_variables as variables


def _scale_and_shift(x, axes, center, scale, shape):
    """beta and gamma, in the form of `x`."""
    made = []
    for name, wanted, first in (("beta", center, "zeros"), ("gamma", scale, "ones")):
        made.append(operations.reshape(variables.get_variable(name, shape, x.dtype, initializers.INITIALIZERS[first]()), axes)
                    if wanted else None)
    return made


def layer_norm(inputs, channels_axis=-1, center=True, scale=True, epsilon=1.53e-5, param_initializers=None,
               reuse=None, variables_collections=None, training=True, trainable=True, scope=None):
    """Over all but the batch."""
    x = graph.convert(inputs)
    with variable_scopes.variable_scope(scope, "LayerNorm", reuse=reuse):
        axes = list(range(1, len(x.dims)))
        mean, variance = nn_operations.moments(x, axes, keepdims=True)
        ends = _scale_and_shift(x, [1] * (len(x.dims) - 1) + [x.dims[-1]], center, scale, [x.dims[-1]])
        return nn_operations.batch_normalization(x, mean, variance, *ends, epsilon)


def group_norm(inputs, groups=2, channels_axis=-1, center=True, scale=True, epsilon=1.53e-5, param_initializers=None,
               reuse=None, variables_collections=None, training=True, trainable=True, scope=None,
               strided_channel_grouping=True):
    """Over the channels of each group and all places of a sample; the channels stand last. Strided, channel c is in group
    c mod `groups`."""
    x = graph.convert(inputs)
    rank = len(x.dims)
    if channels_axis not in (-1, rank - 1):
        order = [each for each in range(rank) if each != channels_axis % rank] + [channels_axis % rank]
        made = group_norm(operations.transpose(x, order), groups, -1, center, scale, epsilon, param_initializers, reuse,
                          variables_collections, training, trainable, scope, strided_channel_grouping)
        return operations.transpose(made, [order.index(each) for each in range(rank)])
    channels = x.dims[-1]
    if channels % groups:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    with variable_scopes.variable_scope(scope, "GroupNorm", reuse=reuse):
        size = channels // groups
        parts = operations.reshape(x, list(x.dims[:-1]) + ([size, groups] if strided_channel_grouping else [groups, size]))
        axes = list(range(1, len(x.dims) - 1)) + [len(x.dims) - 1 if strided_channel_grouping else len(x.dims)]
        mean, variance = nn_operations.moments(parts, axes, keepdims=True)
        parts = nn_operations.batch_normalization(parts, mean, variance, None, None, epsilon)
        ends = _scale_and_shift(x, [1] * (len(x.dims) - 1) + [channels], center, scale, [channels])
        normal = operations.reshape(parts, list(x.dims))
        normal = normal if ends[1] is None else operations.multiply(normal, ends[1])
        return normal if ends[0] is None else operations.add(normal, ends[0])


def instance_norm(inputs, channels_axis=-1, **settings):
    """Each channel of each sample by itself."""
    channels = graph.convert(inputs).dims[channels_axis]
    return group_norm(inputs, groups=channels, channels_axis=channels_axis, **settings)


TABLE = {"layer_norm": layer_norm, "group_norm": group_norm, "instance_norm": instance_norm}
