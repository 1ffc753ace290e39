# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' tensors, and what Python's operators make of them: layers with the names that Keras 2.6 gives them."""
from ..dtypes import TensorShape, as_dtype
from ..tensors.model_tensors import ModelTensor

_OPERATORS = {"add": "__operators__.add", "slice_of": "__operators__.getitem", "equal": "__operators__.eq", "not_equal": "__operators__.ne"}
_OF_MODULES = {"math": ("abs", "acos", "add", "add_n", "argmax", "argmin", "ceil", "cos", "cumsum", "divide", "equal", "erf", "exp", "floor", "floordiv",
                        "floormod", "greater", "greater_equal", "less", "less_equal", "log", "logical_and", "logical_not", "logical_or", "maximum",
                        "minimum", "multiply", "negative", "not_equal", "pow", "reciprocal", "reduce_all", "reduce_any", "reduce_max", "reduce_mean",
                        "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "round", "rsqrt", "sigmoid", "sign", "sin",
                        "softplus", "sqrt", "square", "squared_difference", "subtract", "tanh", "truediv", "l2_normalize", "top_k"),
               "nn": ("relu", "relu6", "softmax", "log_softmax", "gelu", "leaky_relu", "elu", "selu", "swish", "bias_add", "conv2d", "max_pool2d",
                      "avg_pool2d"), "linalg": ("matmul",)}
_CANONICAL = {name: f"{module}.{name}" for module, names in _OF_MODULES.items() for name in names}


def name_of_operation(function, of_operator=False):
    """What Keras calls the layer of an operation, after its canonical name in `tf`."""
    name = function.__name__.strip("_")
    return "tf." + (_OPERATORS.get(name) if of_operator and name in _OPERATORS else _CANONICAL.get(name, name))


def operated(function, *args):
    """What an operator of Python's makes of Keras tensors."""
    from .layers import TFOpLambda
    return TFOpLambda(function, args, {}, True).on_tensors()


class KerasTensor(ModelTensor):
    """What a call of a layer gives while a model is put together."""

    __array_priority__ = 100

    def __init__(self, layer, call, index, dtype="float32", known=None, numbers=None):
        self.layer, self.call, self.index, self.dtype = layer, call, index, as_dtype(dtype)
        self.known = known  # its shape, where it is not the engine's layers alone that give it
        self.told = None  # else, once it has been worked out
        self.numbers = numbers  # what keras_traced.infer() knows it to be, of numbers that follow from shapes

    node = property(lambda self: [self.layer.name, self.call, self.index, {}])

    @property
    def shape(self):
        from . import model as keras_model
        known = self.told if self.known is None else self.known
        return TensorShape(keras_model.shape_of(self) if known is None else known)

    name = property(lambda self: self.layer.name)

    def get_shape(self):
        return self.shape

    def with_operation(self, function, args, kwargs):
        from .layers import TFOpLambda
        return TFOpLambda(function, args, kwargs).on_tensors()

    def __getitem__(self, index):
        from ..operations import elementary as operations
        return operated(operations.slice_of, self, index)

    def __neg__(self):
        from ..operations import elementary as operations
        return operated(operations.negative, self)

    def __abs__(self):
        from ..operations import elementary as operations
        return operated(operations.abs_, self)

    def __invert__(self):
        from ..operations import elementary as operations
        return operated(operations.MATH["logical_not"], self)

    def __repr__(self):
        return f"<KerasTensor: shape={self.shape} dtype={self.dtype.name} (created by layer '{self.layer.name}')>"


def _arithmetic(name, function, layer=None):
    """Operators of Keras tensors: Keras' layers between two of one shape, else the operation itself."""
    def forward(self, other):
        from ..operations import elementary as operations
        if layer is not None and isinstance(other, KerasTensor) and self.dtype == other.dtype and tuple(self.shape) == tuple(other.shape) != ():
            from .layers import LAYERS, unique_name
            made = LAYERS[layer](name=unique_name(name_of_operation(getattr(operations, function), True)))
            made.shown_kind = "TFOpLambda"
            return made([self, other])
        return operated(getattr(operations, function), self, other)

    def backward(self, other):
        from ..operations import elementary as operations
        return operated(getattr(operations, function), other, self)
    setattr(KerasTensor, f"__{name}__", forward)
    setattr(KerasTensor, f"__r{name}__", backward)


for _name, *_rest in (("add", "add", "Add"), ("sub", "subtract", "Subtract"), ("mul", "multiply", "Multiply"),
                      ("truediv", "truediv"), ("floordiv", "floordiv"), ("mod", "floormod"), ("pow", "pow_"),
                      ("matmul", "matmul"), ("and", "logical_and"), ("or", "logical_or")):
    _arithmetic(_name, *_rest)


def _comparison(name, function):
    def compare(self, other):
        from ..operations import elementary as operations
        from ..tensors import graph
        if function in ("equal", "not_equal") and (other is None or not graph.has_equality()):
            return (self is other) == (function == "equal")
        return operated(getattr(operations, function), self, other)
    setattr(KerasTensor, f"__{name}__", compare)


for _name, _function in (("eq", "equal"), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
                         ("ge", "greater_equal")):
    _comparison(_name, _function)
KerasTensor.__hash__ = object.__hash__
