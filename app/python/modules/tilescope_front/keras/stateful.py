# SPDX-License-Identifier: GPL-3.0-or-later
"""What recurrent layers of Keras keep from batch to batch where they are stateful: each batch begins with the states that the one
before has left, which are variables beside the weights."""
import numpy as np

from .. import failures
from ..tensors import graph
from ..structure import flatten


class Stateful:
    """A layer with the setting `stateful`, whose class says which shapes the states of a sample have."""

    stateful = property(lambda self: bool(self.settings.get("stateful")))
    states = property(lambda self: list(vars(self).get("states_", [None] * self._states_count())))

    def _state_shapes(self):
        """[…] of each state of a sample, once it is known what the layer is called on."""
        raise NotImplementedError

    def _states_count(self):
        return len(self._state_shapes())

    def connect(self, inputs, given, training=None, args=(), kwargs=None):
        if self.stateful:
            self._take_batch(given)
        return super().connect(inputs, given, training, args, kwargs)

    def _take_batch(self, given):
        """How many samples a batch has, as the inputs of the model say."""
        from . import model as keras_model
        found = [each.layer.batch for each in keras_model.inputs_of(given) if each.layer.batch is not None]
        if not found:
            raise ValueError("If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input tensors: \n"
                             "- If using a Sequential model, specify the batch size by passing a `batch_input_shape` argument to your "
                             "first layer.\n- If using the functional API, specify the batch size by passing a `batch_shape` argument "
                             "to your Input layer.")
        self.batch = found[0]

    def begun(self, batch):
        """The states that a call begins with, as variables; none where only shapes are wanted."""
        from . import traced as keras_traced
        if graph.executing_eagerly():
            raise failures.refused(f"{type(self).__name__}(stateful=True) called on values", "put it into a model, and call that")
        if graph.current().name == keras_traced.SCRATCH:
            return ()
        if getattr(self, "batch", batch) != batch:
            raise ValueError(f"the layer {self.name} is stateful for batches of {self.batch} samples, and gets {batch}: give fit(), "
                             f"evaluate() and predict() batch_size={self.batch}")
        return self.kept(batch)

    @staticmethod
    def left(states, after):
        """What the next batch begins with."""
        from ..operations import control_flow, elementary as operations
        for state, value in zip(states, after):
            state.assign(control_flow.stop_gradient(operations.cast(value, state.dtype)))

    def kept(self, batch):
        """Its states, as variables."""
        from ..tracing import functions
        if "states_" not in vars(self):
            self.states_ = tuple(functions.EagerVariable(np.zeros([batch, *shape], np.float32), trainable=False, name=f"state_{i}",
                                                         key=f"{self.name}/state_{i}") for i, shape in enumerate(self._state_shapes()))
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


def _layers(model):
    return [layer for layer in model.leaves() if isinstance(layer, Stateful) and layer.stateful]


def reset_states(model):
    for layer in _layers(model):
        layer.reset_states()


def names_of_states(model):
    """The names that the states of its layers have beside its weights."""
    return {each.key for layer in _layers(model) for each in vars(layer).get("states_", ())}


def check(model):
    """That states from batch to batch are those of one replica."""
    layers = _layers(model)
    if layers and model.replicas() > 1:
        raise failures.refused(f"the stateful layer {layers[0].name} on {model.replicas()} replicas", "each would have states of its own: "
                               "choose one IPU")
