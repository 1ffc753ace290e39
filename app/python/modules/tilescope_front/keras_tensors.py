# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' tensors, and what Python's operators make of them: layers."""
from .dtypes import TensorShape, as_dtype


class KerasTensor:
    """What a call of a layer gives while a model is put together."""

    __array_priority__ = 100

    def __init__(self, layer, call, index, dtype="float32", known=None):
        self.layer, self.call, self.index, self.dtype = layer, call, index, as_dtype(dtype)
        self.known = known  # its shape, where it is not the engine's layers alone that give it

    node = property(lambda self: [self.layer.name, self.call, self.index, {}])

    @property
    def shape(self):
        from . import keras_model
        return TensorShape(keras_model.shape_of(self) if self.known is None else self.known)

    name = property(lambda self: self.layer.name)

    def get_shape(self):
        return self.shape

    def __getitem__(self, index):
        from . import operations
        return operations.lifted(operations.slice_of)(self, index)

    def __neg__(self):
        from . import operations
        return operations.lifted(operations.negative)(self)

    def __abs__(self):
        from . import operations
        return operations.lifted(operations.abs_)(self)

    def __invert__(self):
        from . import operations
        return operations.lifted(operations.MATH["logical_not"])(self)

    def __repr__(self):
        return f"<KerasTensor: shape={self.shape} dtype={self.dtype.name} (created by layer '{self.layer.name}')>"


def _arithmetic(name, function, layer=None):
    """Operators of Keras tensors: Keras' layers between two of them, else the operation itself."""
    def forward(self, other):
        from . import operations
        if layer is not None and isinstance(other, KerasTensor):
            from .keras_layers import LAYERS
            return LAYERS[layer]()([self, other])
        return operations.lifted(getattr(operations, function))(self, other)

    def backward(self, other):
        from . import operations
        return operations.lifted(getattr(operations, function))(other, self)
    setattr(KerasTensor, f"__{name}__", forward)
    setattr(KerasTensor, f"__r{name}__", backward)


for _name, *_rest in (("add", "add", "Add"), ("sub", "subtract", "Subtract"), ("mul", "multiply", "Multiply"),
                      ("truediv", "truediv"), ("floordiv", "floordiv"), ("mod", "floormod"), ("pow", "pow_"),
                      ("matmul", "matmul"), ("and", "logical_and"), ("or", "logical_or")):
    _arithmetic(_name, *_rest)


def _comparison(name, function):
    def compare(self, other):
        from . import graph, operations
        if function in ("equal", "not_equal") and (other is None or not graph.has_equality()):
            return (self is other) == (function == "equal")
        return operations.lifted(getattr(operations, function))(self, other)
    setattr(KerasTensor, f"__{name}__", compare)


for _name, _function in (("eq", "equal"), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
                         ("ge", "greater_equal")):
    _comparison(_name, _function)
KerasTensor.__hash__ = object.__hash__
