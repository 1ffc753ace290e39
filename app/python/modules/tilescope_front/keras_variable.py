# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of Keras' models."""
import numpy as np

from . import failures, graph
from .variables import check_assigned


class Variable(graph.Tensor):
    """A weight of a model, as Keras lists it."""

    def __init__(self, model, name, trainable):
        self.model, self.key, self.name, self.trainable = model, name, name + ":0", trainable

    dims = property(lambda self: self.numpy().shape)
    layer = property(lambda self: self.key.rpartition("/")[0])

    def adopt(self, store):
        """It is in its model's already."""

    def tensor_of_variable(self):
        if graph.executing_eagerly():
            return graph.EagerTensor(self.numpy())
        return graph.current().add("read", [], {"variable": self}, [(self.dtype, self.dims)], self.key).outputs[0]

    read_value = value = tensor_of_variable

    def first_values(self):
        return self.numpy()

    def __eq__(self, other):
        return isinstance(other, Variable) and (self.key, self.model) == (other.key, other.model)

    def __hash__(self):
        return hash((self.key, id(self.model)))

    def numpy(self):
        return self.model.store.get(self.key)

    def assign(self, value):
        if graph.is_symbolic(value) and not graph.values_at_hand():
            raise failures.refused("assign() to a model's weight within a step or a compiled function",
                                   "assign it between the steps, in a callback")
        if graph.current().of_tape:
            graph.current().replace(self)
        check_assigned(self, np.shape(value))
        self.model.store.set(self.key, np.asarray(value))

    def __array__(self, dtype=None):
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    size = property(lambda self: self.numpy().size)
    dtype = property(lambda self: graph.as_dtype(self.numpy().dtype))

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype}, numpy={self.numpy()[()]!r}>"
