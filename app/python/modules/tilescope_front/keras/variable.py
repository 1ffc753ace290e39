# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of Keras' models."""
import numpy as np

from ..tracing import graph
from ..tracing.variable_base import HostVariable


class Variable(HostVariable):
    """A weight of a model, as Keras lists it."""

    def __init__(self, model, name, trainable):
        self.model, self.key, self.trainable = model, name, trainable

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
