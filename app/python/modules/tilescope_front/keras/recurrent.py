# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' recurrent layers that the engine has."""
import numpy as np

from ..tensors import graph
from .cells import CELL_CLASSES
from .layers import Layer, unique_name
from .stateful import Stateful
from ..structure import flatten


class Recurrent(Stateful, Layer):
    """LSTM, GRU or SimpleRNN."""

    inner = False  # while the engine's layer is told, which keeps nothing

    def __init__(self, *args, of_cell=False, **kwargs):
        """`of_cell`: whether it is what a cell is that is called by itself, or Poplar's layer, whose weights are its own."""
        super().__init__(*args, **kwargs)
        kind = self.engine_class().__name__
        self.renamed = {} if of_cell or kind.startswith("Popnn") else {"": unique_name(kind + "Cell") + "/"}

    traced = property(lambda self: self.stateful and not self.inner)
    of_engine = True
    weights = variables = property(lambda self: self.model_.variables_of(self.name) if getattr(self, "model_", None) is not None else [])

    def get_config(self):
        config = super().get_config()
        return {**config, "stateful": False, "return_state": True} if self.inner else config

    def _state_shapes(self):
        return [[self.settings["units"]]] * (2 if "LSTM" in self.document()["class_name"] else 1)

    def get_initial_state(self, inputs):
        """Zeros, for what it is called on."""
        from ..operations import elementary as operations
        batch = graph.convert(inputs).dims[0]
        return [operations.zeros([batch, *shape], self.compute_dtype or "float32") for shape in self._state_shapes()]

    def count_outputs(self, told=None):
        return 1 + (self._states_count() if self.inner or self.settings.get("return_state") else 0)

    def call(self, inputs, training=None):
        """Where it is stateful, in a graph."""
        from . import traced as keras_traced
        batch = graph.convert(flatten(inputs)[0]).dims[0]
        states = self.begun(batch)
        tensors = [graph.symbolic(each) for each in flatten(inputs)]
        begin = tensors[1:] or states or [np.zeros([batch, *shape], np.float32) for shape in self._state_shapes()]
        self.inner = True
        try:
            made = keras_traced.layer_in_graph(self, [tensors[0], *begin], bool(training))
        finally:
            self.inner = False
        self.left(states, made[1:])
        return made if self.settings.get("return_state") else made[0]

    def own_variables(self):
        return []


def _begin(layer, is_anew):
    """What the names of weights of a recurrent layer begin with after its own; `is_anew`: of one like it."""
    begin = layer.renamed.get("", "")
    return unique_name(type(layer).__name__ + "Cell") + "/" if begin and is_anew and isinstance(layer, Recurrent) else begin


class Bidirectional(Layer):
    """Keras' layer Bidirectional: a recurrent layer, and one that begins at the end."""

    parameters = "layer, merge_mode='concat', weights=None, backward_layer=None"

    def __init__(self, *args, **kwargs):
        """Its layers are made anew, with cells of their own; but for a `backward_layer`, which is as it was given."""
        super().__init__(*args, **kwargs)
        layer, backward = self.settings["layer"], self.settings["backward_layer"]
        self.renamed = {f"{part}/": f"{part}_{each.name}/{begin}" for part, each, begin in (
            ("forward", layer, _begin(layer, True)), ("backward", backward or layer, _begin(backward or layer, backward is None)))}

    def get_config(self):
        return {key: value for key, value in super().get_config().items() if key != "weights"}

    def count_outputs(self, told=None):
        return 2 * self.settings["layer"].count_outputs() - 1  # with the states of both


RECURRENT = ("LSTM", "GRU", "SimpleRNN", *CELL_CLASSES)
