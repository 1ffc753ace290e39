# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.rnn_ops: Poplar's recurrent layers of TensorFlow 1, which compute what Keras' do."""
import numpy as np

from . import masks as keras_masks
from .layers import LAYERS
from .. import host
from ..dtypes import as_dtype
from ..operations import elementary as operations, initializers, keras_initializers
from ..tf1 import rnn as rnn_1


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
            self.begun = keras_initializers.first_values(self.initializer, (features + self.units, self.gates * self.units), "float32",
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


TABLE = {each.__name__: each for each in (PopnnLSTM, PopnnGRU, PopnnDynamicLSTM, PopnnDynamicGRU)}
