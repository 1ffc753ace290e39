# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of Keras' models."""
import numpy as np

import tilescope_engine as engine

from . import like_named
from ..tensors import graph
from .variable_base import HostVariable


_STATISTICS = {"moving_mean", "moving_variance", "renorm_mean", "mean", "variance", "count"}  # what the engine's layers have that is never trained


class Variable(HostVariable):
    """A weight of a model, as Keras lists it."""

    is_trained = None  # of each: whether its layer is, too

    def __init__(self, model, name, is_trained):
        self.model, self.key, self.is_trained = model, name, is_trained

    @property
    def trainable(self):
        """As it was made: in Keras 2 what `trainable` of a layer says counts in its lists alone, and tapes watch the weights of frozen layers."""
        of_script = getattr(self.model, "trainable_of_", {}).get(self.key)
        return bool(self.is_trained or (self.key.rpartition("/")[2] not in _STATISTICS if of_script is None else of_script))

    name = property(lambda self: self.model.shown_name(self.key) + ":0")
    dims = property(lambda self: self.first_values().shape)
    size = property(lambda self: self.first_values().size)
    dtype = property(lambda self: graph.as_dtype(self.first_values().dtype))
    layer = property(lambda self: self.key.rpartition("/")[0])

    def adopt(self, store):
        """It is in its model's already."""

    def first_values(self):
        return self.model.store.get(self.key)

    def numpy(self):
        return self.first_values()

    def put(self, value):
        self.model.store.set(self.key, np.asarray(value))

    def takes_now(self, value):
        """The same; in a graph of TensorFlow 1 around models also what is known as it is made."""
        return super().takes_now(value) or not (graph.current().of_program or graph.is_symbolic(value))

    def __eq__(self, other):
        return isinstance(other, Variable) and (self.key, self.model) == (other.key, other.model)

    def __hash__(self):
        return hash((self.key, id(self.model)))


def common_store(models, prefixes=None):
    """The weights of models in one place, in the same memory; beside those of one model its optimiser's state is as well. `prefixes`: what names
    there begin with."""
    for model in models:
        model.variables_list()
    if len(models) == 1:
        return models[0].store
    kept = models[0].__dict__.setdefault("common_", {}) if models else {}  # with the state that optimisers have there
    begins = {model: "" if prefixes is None else prefixes(model) for model in models}
    made, owners = kept.setdefault(frozenset(begins.items()), engine.Weights()), {}
    for model, prefix in begins.items():
        for name, _, _ in model.variables_list():
            if owners.setdefault(prefix + name, model) is not model and not made.is_shared(prefix + name, model.store):
                raise like_named.refused(name)
            made.share(prefix + name, model.store, name)
    return made
