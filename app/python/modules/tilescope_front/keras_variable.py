# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of Keras' models."""
import numpy as np

from . import graph
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
        here = graph.current()
        if graph.executing_eagerly():
            return graph.EagerTensor(self.numpy())
        if self in here.__dict__.get("assigned", {}):
            return here.assigned[self]
        return here.add("read", [], {"variable": self}, [(self.dtype, self.dims)], self.key).outputs[0]

    read_value = value = tensor_of_variable

    def first_values(self):
        return self.numpy()

    def __eq__(self, other):
        return isinstance(other, Variable) and (self.key, self.model) == (other.key, other.model)

    def __hash__(self):
        return hash((self.key, id(self.model)))

    def numpy(self):
        return self.model.store.get(self.key)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        if not graph.values_at_hand() and (graph.current().of_program or graph.is_symbolic(value)):
            return self._assign_in_step(value)
        self.put(value)
        return self

    def put(self, value):
        """Takes values that are at hand, also while a program is being traced."""
        if graph.current().of_tape:
            graph.current().replace(self)
        check_assigned(self, np.shape(value))
        self.model.store.set(self.key, np.asarray(value))

    def _assign_in_step(self, value):
        from .control_flow import guarded
        here = graph.current()
        tensor = graph.symbolic(guarded(self, graph.convert(value, like=self)), like=self)
        check_assigned(self, tensor.dims)
        made = here.add("assign", [tensor], {"variable": self}, [(self.dtype, self.dims)], "Assign").outputs[0]
        here.__dict__.setdefault("assigned", {})[self] = made
        return made

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        return self.assign(self + delta)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        return self.assign(self - delta)

    handle = property(lambda self: self)
    device = "/device:IPU:0"

    def __array__(self, dtype=None):
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    size = property(lambda self: self.numpy().size)
    dtype = property(lambda self: graph.as_dtype(self.numpy().dtype))

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype}, numpy={self.numpy()[()]!r}>"
