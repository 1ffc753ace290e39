# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' recurrent layers, and what they keep from batch to batch where they are stateful: each batch begins with the states
that the one before has left, which are variables beside the weights."""
import numpy as np

from . import failures, graph
from .keras_cells import CELL_CLASSES
from .keras_layers import Layer
from .structure import flatten


class Recurrent(Layer):
    """LSTM, GRU or SimpleRNN."""

    inner = False  # while the engine's layer is told, which keeps nothing

    stateful = property(lambda self: bool(self.settings.get("stateful")))
    traced = property(lambda self: self.stateful and not self.inner)
    of_engine = True
    weights = variables = property(lambda self: self.model_.variables_of(self.name) if getattr(self, "model_", None) is not None else [])
    states = property(lambda self: list(vars(self).get("states_", [None] * self._states_count())))

    def get_config(self):
        config = super().get_config()
        return {**config, "stateful": False, "return_state": True} if self.inner else config

    def _states_count(self):
        return 2 if "LSTM" in self.document()["class_name"] else 1

    def count_outputs(self):
        return 1 + (self._states_count() if self.inner or self.settings.get("return_state") else 0)

    def connect(self, inputs, given, training=None, args=(), kwargs=None):
        if self.stateful:
            self._take_batch(given)
        return super().connect(inputs, given, training, args, kwargs)

    def _take_batch(self, given):
        """How many samples a batch has, as the inputs of the model say."""
        from . import keras_model
        found = [each.layer.batch for each in keras_model.inputs_of(given) if each.layer.batch is not None]
        if not found:
            raise ValueError("If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input tensors: \n"
                             "- If using a Sequential model, specify the batch size by passing a `batch_input_shape` argument to your "
                             "first layer.\n- If using the functional API, specify the batch size by passing a `batch_shape` argument "
                             "to your Input layer.")
        self.batch = found[0]

    def call(self, inputs, training=None):
        """Where it is stateful, in a graph."""
        from . import control_flow, keras_traced
        if graph.executing_eagerly():
            raise failures.refused(f"{type(self).__name__}(stateful=True) called on values", "put it into a model, and call that")
        tensors = [graph.symbolic(each) for each in flatten(inputs)]
        batch, of_shapes = tensors[0].dims[0], graph.current().name == keras_traced.SCRATCH
        if not of_shapes and getattr(self, "batch", batch) != batch:
            raise ValueError(f"the layer {self.name} is stateful for batches of {self.batch} samples, and gets {batch}: give fit(), "
                             f"evaluate() and predict() batch_size={self.batch}")
        states = [] if of_shapes else self.kept(batch)
        begin = tensors[1:] or states or [np.zeros([batch, self.settings["units"]], np.float32)] * self._states_count()
        self.inner = True
        try:
            made = keras_traced.layer_in_graph(self, [tensors[0], *begin], bool(training))
        finally:
            self.inner = False
        for state, after in zip(states, made[1:]):
            state.assign(control_flow.stop_gradient(after))
        return made if self.settings.get("return_state") else made[0]

    def kept(self, batch):
        """Its states, as variables."""
        from . import functions
        if "states_" not in vars(self):
            shape = [batch, self.settings["units"]]
            self.states_ = tuple(functions.EagerVariable(np.zeros(shape, np.float32), trainable=False, name=f"state_{i}",
                                                         key=f"{self.name}/state_{i}") for i in range(self._states_count()))
            for each in self.states_:
                each.hidden = True  # it is none of the weights
        return self.states_

    def reset_states(self, states=None):
        """The next batch begins with zeros, or with these states."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if "states_" not in vars(self) and not hasattr(self, "batch"):
            raise ValueError("If a RNN is stateful, it needs to know its batch size: call it in a model first.")
        kept = self.kept(getattr(self, "batch", None))
        given = [np.zeros(each.shape, np.float32) for each in kept] if states is None else flatten(states)
        if len(given) != len(kept):
            raise ValueError(f"Layer {self.name} expects {len(kept)} states, but it received {len(given)} state values.")
        for variable, value in zip(kept, given):
            if tuple(np.shape(value)) != tuple(variable.shape):
                raise ValueError(f"State of layer {self.name} is incompatible: expected shape={tuple(variable.shape)}, found "
                                 f"shape={tuple(np.shape(value))}")
            variable.assign(value)

    def own_variables(self):
        return []


class Bidirectional(Layer):
    """Keras' layer Bidirectional: a recurrent layer, and one that begins at the end."""

    parameters = "layer, merge_mode='concat', weights=None, backward_layer=None"

    def get_config(self):
        return {key: value for key, value in super().get_config().items() if key != "weights"}

    def count_outputs(self):
        return 2 * self.settings["layer"].count_outputs() - 1  # with the states of both


RECURRENT = ("LSTM", "GRU", "SimpleRNN", *CELL_CLASSES)


def _stateful(model):
    return [layer for layer in model.leaves() if isinstance(layer, Recurrent) and layer.stateful]


def reset_states(model):
    for layer in _stateful(model):
        layer.reset_states()


def names_of_states(model):
    """The names that the states of its layers have beside its weights."""
    return {each.key for layer in _stateful(model) for each in vars(layer).get("states_", ())}


def check(model):
    """That states from batch to batch are those of one replica."""
    layers = _stateful(model)
    if layers and model.replicas() > 1:
        raise failures.refused(f"the stateful layer {layers[0].name} on {model.replicas()} replicas", "each would have states of its own: "
                               "choose one IPU")
