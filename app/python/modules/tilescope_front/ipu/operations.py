# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of `tensorflow.python.ipu` that have variables or layers in them: normalisations, recurrent layers, images."""
import numpy as np

from . import replica as replica_operations, shard as shard_operations, slices_and_counts
from .. import host
from ..keras import masks as keras_masks, parts as keras_parts
from ..operations import control_flow, initializers, nn as nn_operations, elementary as operations
from ..tf1 import rnn as rnn_1, variables
from ..tracing import graph, variable_scopes
from ..dtypes import as_dtype
from ..keras.layers import LAYERS


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


def normalise_image(image, channel_offsets, channel_scales, scale=1, name=None):
    """(image * scale - offsets) * scales, padded from three channels to four."""
    x = operations.cast(image, channel_offsets.dtype if hasattr(channel_offsets, "dtype") else "float32")
    y = operations.multiply(operations.subtract(operations.multiply(x, float(scale)), channel_offsets), channel_scales)
    return operations.pad(y, [[0, 0]] * (len(y.dims) - 1) + [[0, 1]])


class _Popnn:
    """A recurrent layer over [steps, batch, features]. It begins as IPU TensorFlow's (ipu/ops/rnn_ops.py): one initialiser,
    Glorot uniform, for features and state together, and biases of 0; its variables are those of Keras' layer, gates in
    Keras' order."""

    kind, gates, settings = "", 0, {}

    def __init__(self, num_units, dtype="float32", partials_dtype="float32", seed=None, weights_initializer=None,
                 bias_initializer=None, activation="tanh", recurrent_activation="sigmoid", return_state=True, name=None,
                 options=None, options_bwd=None):
        self.units, self.dtype, self.returns_state = num_units, as_dtype(dtype), return_state
        if self.dtype.name not in ("float16", "float32"):
            raise ValueError(f"Only support float16, float32, provided {self.dtype}")
        self.initializer = weights_initializer or initializers.INITIALIZERS["glorot_uniform"](seed=seed)
        self.begun = None  # [features + units, gates * units]
        self.layer = LAYERS[self.kind](
            num_units, activation=activation, recurrent_activation=recurrent_activation, return_sequences=True,
            return_state=True, name=name, dtype=self.dtype.name, of_cell=True, **self.settings,
            kernel_initializer=lambda shape, dtype=None: self._first(shape[0])[:shape[0]],
            recurrent_initializer=lambda shape, dtype=None: self._first(None)[-shape[0]:],
            bias_initializer="zeros" if bias_initializer is None else bias_initializer)

    def _first(self, features):
        if self.begun is None:
            features = self.features if features is None else features
            self.begun = keras_parts.first_values(self.initializer, (features + self.units, self.gates * self.units), "float32",
                                                  f"{self.layer.name}/kernel")
        return self.begun

    def _states(self, initial_state):
        return [initial_state]

    def __call__(self, inputs, initial_state=None, training=True, options=None):
        return self._run(inputs, initial_state)

    def _run(self, inputs, initial_state, lengths=None):
        """`lengths`: of the samples' sequences; beyond them outputs are 0, and states stay."""
        x = operations.cast(inputs, self.dtype)
        self.features = int(x.dims[-1])
        given = [] if initial_state is None else self._states(initial_state)
        x, mask = operations.transpose(x, [1, 0, 2]), None
        if lengths is not None:
            steps = operations.constant(np.arange(x.dims[1], dtype=np.int32)[None, :])
            mask = operations.less(steps, operations.expand_dims(operations.cast(lengths, "int32"), 1))
            x = keras_masks.given(x, mask)
        outputs, *states = self.layer(x, initial_state=given or None)
        if mask is not None:
            outputs = operations.multiply(outputs, operations.expand_dims(operations.cast(mask, self.dtype), -1))
        outputs = operations.transpose(outputs, [1, 0, 2])
        return (outputs, self._left(states, initial_state)) if self.returns_state else outputs

    def _left(self, states, initial_state):
        return states[0]


class PopnnLSTM(_Popnn):
    __doc__, kind, gates, settings = _Popnn.__doc__, "LSTM", 4, {"unit_forget_bias": False}

    def _states(self, initial_state):
        """h before c. A tuple that is no LSTMStateTuple has them so, as SDK 1 had."""
        if isinstance(initial_state, rnn_1.LSTMStateTuple):
            return [initial_state.h, initial_state.c]
        if not isinstance(initial_state, tuple):
            raise ValueError(f"Invalid initial_state type: `{type(initial_state)}`, expecting `LSTMStateTuple`.")
        host.log("WARNING", "Passing a tuple as a `initial_state` to PopnnLSTM is deprecated and will be removed in the future. "
                 "Pass an `LSTMStateTuple` instead.")
        return list(initial_state)

    def _left(self, states, initial_state):
        if isinstance(initial_state, tuple) and not isinstance(initial_state, rnn_1.LSTMStateTuple):
            return tuple(states)
        return rnn_1.LSTMStateTuple(*states[::-1])


class PopnnGRU(_Popnn):
    __doc__, kind, gates = _Popnn.__doc__, "GRU", 3

    def __init__(self, *args, reset_after=False, **kwargs):
        self.settings = {"reset_after": bool(reset_after)}
        super().__init__(*args, **kwargs)


class PopnnDynamicLSTM(PopnnLSTM):
    """The same, with the length of each sample's sequence."""

    def __call__(self, inputs, seq_len, initial_state=None, training=True):  # pylint: disable=arguments-differ
        return self._run(inputs, initial_state, seq_len)


class PopnnDynamicGRU(PopnnGRU):
    """The same. Biases of its gates begin at 1."""

    def __init__(self, num_units, dtype="float32", partials_dtype="float32", seed=None, weights_initializer=None, bias_initializer=None,
                 name=None, reset_after=False):
        super().__init__(num_units, dtype, partials_dtype, seed, weights_initializer, self._first_biases, name=name, reset_after=reset_after)

    @staticmethod
    def _first_biases(shape, dtype=None):
        made = np.ones(shape, np.float32)
        made[..., 2 * (shape[-1] // 3):] = 0
        return made

    def __call__(self, inputs, seq_len, initial_state=None, training=True):  # pylint: disable=arguments-differ
        return self._run(inputs, initial_state, seq_len)


def embedding_lookup(params, ids, name=None, serialization_factor=1, indices_are_sorted=False, one_hot_threshold=None,
                     min_encoding_size=None):
    """Rows of a table, looked up in parts of it, one after another. The last two, of SDK 1, say how, and have no effect."""
    if serialization_factor == 1:
        return operations.gather(params, ids)
    params, ids = graph.convert(params), operations.cast(ids, "int32")
    return graph.apply("embedding_lookup", [params, ids], {"serialization_factor": serialization_factor}, name)[0]


def serialized_matmul(a, b, serialization_factor, serialization_dimension, transpose_a=False, transpose_b=False, name=None):
    """A product in parts, one after another, of m ("a_columns"), k ("a_rows_b_columns") or n ("b_rows")."""
    a, b = operations.matrices(*operations._pair(a, b))
    parts = {} if serialization_factor == 1 else {"serialization_factor": serialization_factor,
                                                  "serialization_dimension": serialization_dimension}
    return graph.apply("matmul", [a, b], {"transpose_a": transpose_a, "transpose_b": transpose_b, **parts}, name)[0]


def multi_conv(func=None, options=None):
    """A function as it is: Poplar does its convolutions side by side, here they follow one another."""
    host.tell_once("tilescope: ipu.nn_ops.multi_conv: the convolutions follow one another here, which Poplar does at once")
    return func if func else lambda given: given


def codelet_expression_op(vertex_expression, *args):
    """ipu.custom_ops': what a function makes of tensors, number by number; no gradient goes through it."""
    tensors = [graph.convert(each) for each in args]
    made = graph.convert(vertex_expression(*tensors))
    if made.dtype != tensors[0].dtype or made.dims != tensors[0].dims:
        raise ValueError(f"codelet_expression_op makes {made.dtype.name} {made.shape} of {tensors[0].dtype.name} {tensors[0].shape}: its function "
                         "is of sums, products and abs() of tensors of one type and shape")
    return control_flow.stop_gradient(made)


TABLES = {
    "custom_ops": {"codelet_expression_op": codelet_expression_op},
    "nn_ops": {"multi_conv": multi_conv},
    "normalization_ops": {"layer_norm": layer_norm, "group_norm": group_norm, "instance_norm": instance_norm},
    "image_ops": {"normalise_image": normalise_image}, "rnn_ops": {each.__name__: each for each in (PopnnLSTM, PopnnGRU, PopnnDynamicLSTM, PopnnDynamicGRU)},
    **slices_and_counts.TABLES,
    "within_replica_ops": shard_operations.TABLE, **replica_operations.TABLES,
    "functional_ops": {"outlined_function": lambda func=None, unique_sharding=False, keep_input_layouts=None, name=None: func if func else (lambda f: f)}}
