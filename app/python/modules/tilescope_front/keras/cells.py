# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of Keras' recurrent layers that are called step by step, several in a stack or the script's own, and what RNN makes of them.
Cells of the engine in a stack are recurrent layers one after another; of others the loop is unrolled, as far as the sequence is long."""
import inspect

import numpy as np

from .. import failures, host
from ..operations import elementary as operations
from ..tensors import graph
from ..dtypes import TensorShape
from .layer_table import CELLS
from .layers import Layer
from ..configured import signature_of
from .stateful import Stateful
from ..structure import flatten, pack_like

MOST_STEPS = 1000


def zeros_of(state_size, batch, dtype):
    """States that are 0. `state_size`: how many numbers each has for a sample, or which shape, nested as the states are."""
    if isinstance(state_size, (list, tuple)) and not isinstance(state_size, TensorShape):
        return [zeros_of(each, batch, dtype) for each in state_size]
    shape = [state_size] if isinstance(state_size, (int, np.integer)) else list(TensorShape(state_size))
    return operations.zeros([batch, *shape], dtype)


def listed(states):
    """As cells are given them: a list also of one."""
    return list(states) if isinstance(states, (list, tuple)) else [states]


def steps_of(sequence):
    """The steps of [batch, steps, …]. Errors: refused where they are more than can be unrolled."""
    sequence = graph.convert(sequence)
    if sequence.dims[1] is None or sequence.dims[1] > MOST_STEPS:
        raise failures.refused(f"a recurrent layer of {sequence.dims[1] or 'an open number of'} steps of cells of the script's own",
                               f"it is unrolled, up to {MOST_STEPS}; use LSTM, GRU or SimpleRNN")
    host.tell_once("tilescope: recurrent layers of cells of the script's own, and ConvLSTM, are unrolled; LSTM, GRU and SimpleRNN are a "
                   "loop on the device")
    return operations.unstack(sequence, axis=1)


def unrolled(step, steps, states, mask=None, backwards=False):
    """(the outputs of the steps, the states after the last) of `step`: (x, states) -> (output, states). Where `mask`, [batch, steps], is
    False the states stay, and the output is that of the step before, or 0."""
    masks = [None] * len(steps) if mask is None else operations.unstack(mask, axis=1)
    outputs, last = [], None
    for x, runs in reversed(list(zip(steps, masks))) if backwards else zip(steps, masks):
        y, after = step(x, states)
        y = graph.convert(y)
        if runs is not None:
            def chosen(new, old):
                of_samples = operations.reshape(runs, [runs.dims[0]] + [1] * (len(new.dims) - 1))
                return operations.where(of_samples, new, old)
            y = chosen(y, operations.zeros_like(y) if last is None else last)
            after = pack_like(after, [chosen(graph.convert(new), graph.convert(old))
                                      for new, old in zip(flatten(after), flatten(states))])
        outputs.append(y)
        states, last = after, y
    return outputs, states


class Cell(Layer):
    """What a cell is: called with what one step is given and the states, it gives the step's output and the next states."""

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        batch = graph.convert(inputs).dims[0] if inputs is not None else batch_size
        return zeros_of(self.state_size, batch, dtype or "float32")


class EngineCell(Cell):
    """LSTMCell, GRUCell or SimpleRNNCell. One step is a sequence of one, of a recurrent layer that has its weights."""

    kind = property(lambda self: type(self).__name__.removesuffix("Cell"))
    output_size = property(lambda self: self.settings["units"])
    state_size = property(lambda self: [self.settings["units"]] * 2 if self.kind == "LSTM" else self.settings["units"])
    in_loop = False  # whether an RNN has its weights
    alone = None  # the layer that has them where it is called itself
    weights = variables = property(lambda self: self.alone.weights if self.alone is not None else [])

    def __call__(self, inputs, states=None, training=None):
        from .layers import LAYERS
        if self.in_loop:
            raise failures.refused(f"{type(self).__name__}() called on one step, which a keras.layers.RNN has", "make another cell for it")
        if self.alone is None:
            self.alone = LAYERS[self.kind](**self.settings, return_state=True, name=self.name, dtype=self.policy_, of_cell=True)
        one = operations.TOP["expand_dims"](inputs, 1)
        output, *after = self.alone([one, *flatten(states)] if states is not None else one, training=training)
        return output, after


CELL_CLASSES = {kind: type(kind, (EngineCell,), {"parameters": each, "__doc__": f"Keras' cell {kind}({each})", "__signature__": signature_of(each)})
                for kind, each in CELLS.items()}


class AbstractRNNCell(Cell):
    """keras.layers.AbstractRNNCell: base of cells of the script's own."""

    state_size = output_size = property(lambda self: (_ for _ in ()).throw(NotImplementedError("Abstract method")))


class StackedRNNCells(Cell):
    """Cells of which each is given what the one before makes of the step."""

    parameters = "cells, reverse_state_order=False"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.settings["cells"] = list(self.settings["cells"])
        for each in self.settings["cells"]:
            if not hasattr(each, "state_size"):
                raise ValueError("All cells must have a `state_size` attribute. Received cells without a `state_size`: " + str(each))
        if self.settings["reverse_state_order"]:
            raise failures.refused("keras.layers.StackedRNNCells(reverse_state_order=True)", "take the states in the order of the cells")

    cells = property(lambda self: self.settings["cells"])
    state_size = property(lambda self: tuple(each.state_size for each in self.cells))
    output_size = property(lambda self: getattr(self.cells[-1], "output_size", None) or flatten(self.cells[-1].state_size)[0])

    def call(self, inputs, states, training=None):
        return called(self, inputs, states, training)


def called(cell, x, states, training):
    """(output, states) of a step of a cell, or of those of a stack."""
    if not isinstance(cell, StackedRNNCells):
        if isinstance(cell, EngineCell):
            return cell(x, listed(states), training=training)
        takes = inspect.signature(cell.call if isinstance(cell, Layer) else cell.__call__).parameters
        return cell(x, listed(states), **({"training": training} if "training" in takes else {}))
    after = []
    for each, own in zip(cell.cells, states):
        x, made = called(each, x, own, training)
        after.append(made)
    return x, tuple(after)


def leaves(cell):
    return [leaf for each in cell.cells for leaf in leaves(each)] if isinstance(cell, StackedRNNCells) else [cell]


class RNN(Layer):
    """Keras' layer RNN: what a cell makes of step after step."""

    parameters = "cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False, time_major=False"
    cell = property(lambda self: self.settings["cell"])

    def __new__(cls, *args, **kwargs):
        cell = kwargs["cell"] if "cell" in kwargs else args[0] if args else None
        one = isinstance(cell, EngineCell) and cell.alone is None
        return super().__new__(cls if one or cls is not RNN else SteppedRNN)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if isinstance(self.cell, EngineCell) and not isinstance(self, SteppedRNN):
            self.cell.in_loop = True
            self.renamed = {"": self.cell.name + "/"}

    def count_outputs(self, told=None):
        return 1 + (len(flatten([self.cell.state_size])) if self.settings["return_state"] else 0)


def shapes_of(state_size):
    """[…] of each state of a sample."""
    if isinstance(state_size, (list, tuple)) and not isinstance(state_size, TensorShape):
        return [shape for each in state_size for shape in shapes_of(each)]
    return [[int(state_size)] if isinstance(state_size, (int, np.integer)) else list(TensorShape(state_size))]


class SteppedRNN(Stateful, RNN):
    """The same of several cells, or of the script's own."""

    def __init__(self, cell, *args, **kwargs):
        super().__init__(StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell, *args, **kwargs)
        if not hasattr(self.cell, "state_size"):
            raise ValueError("The RNN cell should have an attribute `state_size` (tuple of integers, one integer per RNN state).")
        if self.settings["time_major"]:
            raise failures.refused("keras.layers.RNN(time_major=True) of several cells, or of one of the script's own", "give samples first")
        cells = leaves(self.cell)
        self.layers_ = None
        if len(cells) > 1 and all(isinstance(each, EngineCell) and each.alone is None for each in cells):
            self.layers_ = [RNN(each, True, True, name=each.name) for each in cells]
            for each in self.layers_:
                each.renamed = {}

    def call(self, inputs, training=None, mask=None):
        x, *given = flatten(inputs)
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        kept = self.begun(graph.convert(x).dims[0]) if self.stateful else ()
        given = given or list(kept)
        y, states = (self._in_layers if self.layers_ else self._in_steps)(x, given, training, mask)
        if not self.settings["return_sequences"]:
            y = y[-1] if isinstance(y, list) else operations.slice_of(y, (slice(None), -1))
        elif isinstance(y, list):
            y = operations.stack(y, 1)
        self.left(kept, flatten(states))
        return [y, *flatten(states)] if self.settings["return_state"] else y

    def _state_shapes(self):
        return shapes_of(self.cell.state_size)

    def _in_layers(self, x, given, training, mask):
        """Backwards, the sequence is turned round, and what comes of it is as it is."""
        from . import masks as keras_masks
        from ..operations import array as array_operations
        turned = (lambda each: array_operations.TOP_MORE["reverse"](each, [1])) if self.settings["go_backwards"] else (lambda each: each)
        states, begins = [], given
        x = turned(x) if mask is None else keras_masks.given(turned(x), turned(mask))
        for layer in self.layers_:
            count = layer.count_outputs() - 1
            x, *after = layer([x, *begins[:count]] if begins else x, training=training)
            begins = begins[count:]
            states += after
        return x, states

    def _in_steps(self, x, given, training, mask):
        steps = steps_of(x)
        size = self.cell.state_size
        if given:
            states = pack_like(_nest(size), [operations.cast(each, steps[0].dtype) for each in given])
        elif hasattr(self.cell, "get_initial_state") and not isinstance(self.cell, StackedRNNCells):
            states = self.cell.get_initial_state(inputs=x, batch_size=steps[0].dims[0], dtype=steps[0].dtype)
        else:
            states = zeros_of(size, steps[0].dims[0], steps[0].dtype)
        return unrolled(lambda each, before: called(self.cell, each, before, training), steps, states, mask, self.settings["go_backwards"])

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        return mask if self.settings["return_sequences"] else None


def _nest(size):
    """What is nested as states of these sizes."""
    if isinstance(size, (list, tuple)) and not isinstance(size, TensorShape):
        return [_nest(each) for each in size]
    return 0


SteppedRNN.__name__ = "RNN"
