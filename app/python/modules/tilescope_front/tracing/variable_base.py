# SPDX-License-Identifier: GPL-3.0-or-later
"""What variables have of whatever kind they are: of a graph of TensorFlow 1, of TensorFlow 2, of a model of Keras."""
import types

from ..tensors import graph, known_values
from ..tensors.graph import EagerTensor, Tensor
from .parts_of_variables import OfParts
from ..operations.control_flow import guarded
from . import tape_begins


def check_assigned(variable, dims):
    """ValueError where a variable cannot have a value of this shape."""
    if dims is not None and None not in dims and tuple(dims) != tuple(variable.dims):
        raise ValueError(f"Cannot assign value to variable '{variable.name}': Shape mismatch. The variable shape "
                         f"{tuple(variable.dims)}, and the assigned value shape {tuple(dims)} are incompatible.")


class BaseVariable(OfParts, Tensor):
    """A variable, which is its own handle."""

    handle = property(lambda self: self)
    device = "/device:IPU:0"
    of_layer = None  # that has it, and whose `trainable` counts as well
    is_trained = property(lambda self: self.trainable and getattr(self.of_layer, "trainable", True))

    def read_value(self):
        return self.tensor_of_variable()

    value = read_value

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        return self.assign(self + delta)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        return self.assign(self - delta)


class HostVariable(BaseVariable):
    """One whose values the host has between programs: first_values() gives and put() takes them."""

    shaped = True  # whether its shape stays
    op = property(lambda self: types.SimpleNamespace(name=self.name.partition(":")[0], type="VarHandleOp"))

    def tensor_of_variable(self):
        here = graph.current()
        if graph.executing_eagerly():
            return EagerTensor(self.first_values())
        assigned = here.__dict__.get("assigned", {})
        if self in assigned:
            return tape_begins.read_again(here, self, assigned[self])
        settled = known_values.settled(self)
        if settled is not None:
            return settled
        return here.add("read", [], {"variable": self}, [(self.dtype, self.dims)], self.key).outputs[0]

    def numpy(self):
        return self.first_values()[()]

    def __array__(self, dtype=None):
        return self.first_values() if dtype is None else self.first_values().astype(dtype)

    def __float__(self):
        return float(self.read_value())

    def __int__(self):
        return int(self.read_value())

    def __bool__(self):
        return bool(self.read_value())

    def assign(self, value, use_locking=None, name=None, read_value=True):
        value = graph.convert(value, like=self)
        if self.shaped:
            check_assigned(self, value.dims)
        if graph.current().of_tape:
            graph.current().replace(self)
        if self.takes_now(value):
            self.put(value.value)
            return self
        return self._assign_in_step(value)

    def takes_now(self, value):
        """Whether it has this value from here on, and not in each step of what is being traced."""
        return graph.values_at_hand()

    def _assign_in_step(self, value):
        here = graph.current()
        tensor = graph.symbolic(guarded(self, value), like=self)
        made = here.add("assign", [tensor], {"variable": self}, [(self.dtype, self.dims)], "Assign").outputs[0]
        here.__dict__.setdefault("assigned", {})[self] = made
        return made

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, numpy={self.numpy()!r}>"
