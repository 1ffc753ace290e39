# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of Keras that are made of operations here: ConvLSTM1D and 2D, whose loop is unrolled, and LocallyConnected1D and 2D."""
import numpy as np

from . import cells as keras_cells, objects as keras_objects
from .. import configured, failures
from ..operations import elementary as operations, keras_initializers, nn as nn_operations, random as random_operations
from ..tensors import graph
from ..dtypes import TensorShape
from .layer_table import KERNEL
from .layers import LAYERS, Layer
from .stateful import Stateful
from ..structure import flatten


def _list_of(given, rank):
    return [int(given)] * rank if isinstance(given, (int, np.integer)) else [int(each) for each in given]


class Composed(Layer):
    """A layer of `rank` dimensions beside samples and channels."""

    is_described = True
    rank = 2

    def _extents(self, name):
        return _list_of(self.settings[name], self.rank)

    channels_first = property(lambda self: self.settings["data_format"] == "channels_first")

    def _channels_last(self, x):
        """The same with the channels last, as it is computed; they are first before the extents."""
        rank, before = len(x.dims), len(x.dims) - self.rank - 1
        return operations.transpose(x, [*range(before), *range(before + 1, rank), before]) if self.channels_first else x

    def _as_given(self, x):
        rank, before = len(x.dims), len(x.dims) - self.rank - 1
        return operations.transpose(x, [*range(before), rank - 1, *range(before, rank - 1)]) if self.channels_first else x

    def _weight(self, name, shape, setting=None, initializer=None):
        setting = setting or name
        return self.add_weight(name, shape, initializer=initializer or self.settings[f"{setting}_initializer"],
                               regularizer=self.settings[f"{setting}_regularizer"], constraint=self.settings[f"{setting}_constraint"])

    def _refuse(self, **only):
        for name, (value, reason) in only.items():
            if self.settings[name] != value:
                raise failures.refused(f"{type(self).__name__}({name}={self.settings[name]!r})", reason)


class _ConvLSTM(Stateful, Composed):
    """i, f, o = r(W x + U h + b), c = f c + i a(W x + U h + b), h = o a(c), with convolutions for the products."""

    outputs_count = 1

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.size, self.strides, self.rates = (self._extents(name) for name in ("kernel_size", "strides", "dilation_rate"))

    def build(self, input_shape):
        shape = list(TensorShape(input_shape[0] if isinstance(input_shape, list) else input_shape))
        channels, filters = shape[2 if self.channels_first else -1], self.settings["filters"]
        self.kernel = self._weight("kernel", [*self.size, channels, 4 * filters])
        self.recurrent_kernel = self._weight("recurrent_kernel", [*self.size, filters, 4 * filters], "recurrent")
        if self.settings["use_bias"]:
            first = keras_initializers.KIND.get(self.settings["bias_initializer"])
            if self.settings["unit_forget_bias"]:
                values = keras_initializers.first_values(first, (4 * filters,), "float32", f"{self.name}/bias").copy()
                values[filters:2 * filters] = 1
                first = lambda shape, dtype=None: operations.constant(values)
            self.bias = self._weight("bias", [4 * filters], initializer=first)
        self.built = True

    def _convolved(self, x, kernel, strides, padding, rates):
        if self.rank == 1:
            return nn_operations.conv1d(x, kernel, strides, padding, dilations=rates)
        return nn_operations.conv2d(x, kernel, strides, padding, dilations=rates)

    def call(self, inputs, training=None, mask=None):
        x, *states = flatten(inputs)
        inner, outer = (keras_objects.ACTIVATIONS.get(self.settings[name]) for name in ("activation", "recurrent_activation"))
        ones, around = [1] * self.rank, self.settings["padding"].upper()

        def step(x, states):
            h, c = states
            # As it stands: a convolution of this step's input, and one of the state before.
            total = self._of_gates(x, masks[0], self.kernel, self.strides, around, self.rates)
            if self.settings["use_bias"]:
                total = operations.add(total, self.bias)
            total = operations.add(total, self._of_gates(h, masks[1], self.recurrent_kernel, ones, "SAME", ones))
            i, f, g, o = operations.TOP["split"](total, 4, -1)
            c = operations.add(operations.multiply(outer(f), c), operations.multiply(outer(i), inner(g)))
            h = operations.multiply(outer(o), inner(c))
            return h, [h, c]
        steps = [self._channels_last(each) for each in keras_cells.steps_of(x)]
        made = self._convolved(steps[0], self.kernel, self.strides, around, self.rates).dims  # of which nothing else is wanted
        shape, self.shape_ = [*made[:-1], self.settings["filters"]], self._as_given_shape(made[1:-1])
        kept = self.begun(shape[0]) if self.stateful else ()
        states = [self._channels_last(operations.cast(each, steps[0].dtype)) for each in states or kept] or [operations.zeros(shape, steps[0].dtype)] * 2
        masks = [self._masks(each, rate, training) for each, rate in (
            (steps[0], self.settings["dropout"]), (states[0], self.settings["recurrent_dropout"]))]
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        outputs, states = keras_cells.unrolled(step, steps, states, mask, self.settings["go_backwards"])
        y = operations.stack([self._as_given(each) for each in outputs], 1) if self.settings["return_sequences"] else \
            self._as_given(outputs[-1])
        states = [self._as_given(each) for each in states]
        self.left(kept, states)
        return [y, *states] if self.settings["return_state"] else y

    def _as_given_shape(self, extents):
        filters = [self.settings["filters"]]
        return [*filters, *extents] if self.channels_first else [*extents, *filters]

    def _state_shapes(self):
        return [vars(self).get("shape_")] * 2

    def _masks(self, x, rate, training):
        """For each gate what is kept of inputs or of h, the same in all steps; none where nothing is dropped."""
        if not rate or not training:
            return []
        return [random_operations.dropout(operations.ones_like(x), float(rate)) for _ in range(4)]

    def _of_gates(self, x, masks, kernel, *settings):
        """The products of all gates; where they see different parts of x, each has a convolution of its own."""
        if not masks:
            return self._convolved(x, kernel, *settings)
        parts = operations.TOP["split"](kernel, 4, -1)
        return operations.concat([self._convolved(operations.multiply(x, mask), part, *settings) for mask, part in zip(masks, parts)], -1)

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        return mask if self.settings["return_sequences"] else None


_OF_RECURRENT = KERNEL.replace("bias_initializer='zeros', ", "recurrent_initializer='orthogonal', bias_initializer='zeros', unit_forget_bias=True, ") \
    .replace("bias_regularizer=None, ", "recurrent_regularizer=None, bias_regularizer=None, ", 1) \
    .replace("bias_constraint=None", "recurrent_constraint=None, bias_constraint=None")


class _LocallyConnected(Composed):
    """A convolution whose filters are others at each place: kernel [places, numbers of a window, filters], bias [extents, filters]."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.settings["padding"] != "valid":
            raise ValueError(f"Invalid border mode for {type(self).__name__} (only \"valid\" is supported if implementation is 1): "
                             f"{self.settings['padding']}")
        self._refuse(implementation=(1, "leave it at 1: the others have their kernels in other shapes"))
        self.size, self.strides = self._extents("kernel_size"), self._extents("strides")

    def build(self, input_shape):
        shape = list(TensorShape(input_shape))
        channels, extents = (shape[1], shape[2:]) if self.channels_first else (shape[-1], shape[1:-1])
        if any(each is None for each in extents):
            raise ValueError(f"The spatial dimensions of the inputs to {type(self).__name__} should be fully-defined, but layer received an "
                             f"inputs shape {tuple(shape)}")
        self.made = [(extent - size) // step + 1 for extent, size, step in zip(extents, self.size, self.strides)]
        filters = self.settings["filters"]
        self.kernel = self._weight("kernel", [int(np.prod(self.made)), int(np.prod(self.size)) * channels, filters])
        if self.settings["use_bias"]:
            self.bias = self._weight("bias", [*self.made, filters])
        self.built = True

    def call(self, inputs):
        x = self._channels_last(graph.convert(inputs))
        windows = []  # what each place has of the kernel under it: a slice of the image
        for at in np.ndindex(*self.size):
            places = [slice(first, first + (count - 1) * step + 1, step) for first, count, step in zip(at, self.made, self.strides)]
            windows.append(operations.slice_of(x, (slice(None), *places)))
        batch, places = x.dims[0], int(np.prod(self.made))
        rows = operations.reshape(operations.concat(windows, -1), [batch, places, -1])
        y = operations.matmul(operations.transpose(rows, [1, 0, 2]), self.kernel)
        y = operations.reshape(operations.transpose(y, [1, 0, 2]), [batch, *self.made, self.settings["filters"]])
        if self.settings["use_bias"]:
            y = operations.add(y, self.bias)
        return self._as_given(keras_objects.ACTIVATIONS.get(self.settings["activation"])(y))


def _made(base, kind, rank, parameters):
    return type(kind, (base,), {"rank": rank, "parameters": parameters, "__doc__": f"Keras' layer {kind}({parameters})",
                                "__signature__": configured.signature_of(parameters)})


_LSTM = ("filters, kernel_size, strides={s}, padding='valid', data_format=None, dilation_rate={s}, activation='tanh', "
         "recurrent_activation='hard_sigmoid', use_bias=True, " + _OF_RECURRENT + ", return_sequences=False, return_state=False, "
         "go_backwards=False, stateful=False, dropout=0.0, recurrent_dropout=0.0")
_LOCAL = "filters, kernel_size, strides={s}, padding='valid', data_format=None, activation=None, use_bias=True, " + KERNEL + ", implementation=1"
COMPOSED = {kind + f"{rank}D": _made(base, kind + f"{rank}D", rank, parameters.format(s=1 if rank == 1 else (1, 1)))
            for kind, base, parameters in (("ConvLSTM", _ConvLSTM, _LSTM), ("LocallyConnected", _LocallyConnected, _LOCAL)) for rank in (1, 2)}


def add_names():
    from .. import names
    LAYERS.update(COMPOSED)
    for below in ("layers", "layers.convolutional", "layers.local", "layers.convolutional_recurrent"):
        names.module(f"tensorflow.keras.{below}", COMPOSED)
    names.refuse("tensorflow.keras.layers.ConvLSTM3D", "use ConvLSTM2D of each plane, or Conv3D")
