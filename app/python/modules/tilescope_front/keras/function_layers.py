# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that are a function: Keras' Lambda, and what operations of `tf` on Keras tensors make."""
from .layers import Layer, unique_name
from .tensors import KerasTensor, name_of_operation
from ..structure import flatten, pack_like


class Lambda(Layer):
    """Keras' layer Lambda: a function of the script's own."""

    parameters = "function, output_shape=None, mask=None, arguments=None"

    def call(self, inputs):
        return self.settings["function"](inputs, **(self.settings["arguments"] or {}))


class TFOpLambda(Layer):
    """An operation of `tf` that was called on Keras tensors."""

    def __init__(self, function, args, kwargs, of_operator=False):
        super().__init__(name=unique_name(name_of_operation(function, of_operator)))
        self.function, self.form = function, (list(args), dict(kwargs))

    def call(self, inputs):
        given = iter(flatten(inputs))
        fill = lambda each: next(given) if isinstance(each, KerasTensor) else each
        args, kwargs = pack_like(self.form, [fill(each) for each in flatten(self.form)])
        return self.function(*args, **kwargs)

    def on_tensors(self):
        return self([each for each in flatten(self.form) if isinstance(each, KerasTensor)])
