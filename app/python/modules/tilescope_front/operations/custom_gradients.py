# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions whose gradients scripts give themselves."""
import functools
import inspect

from . import elementary as operations
from .control_flow import stop_gradient, taken
from ..structure import flatten, pack_like
from ..tensors import graph


class _OwnGradient:
    """A call of a function whose gradient the script gives."""

    def __init__(self, inputs, outputs, gradient, variables):
        self.inputs, self.outputs, self.gradient, self.variables = inputs, outputs, gradient, variables
        self.guards = graph.current().guards

    def of_inputs(self, of_outputs):
        """(tensor or variable, gradient) for each input, and for each variable that the function reads."""
        takes = inspect.signature(self.gradient).parameters
        if self.variables and "variables" in takes:
            made, of_variables = self.gradient(*of_outputs, variables=self.variables)
        else:
            made, of_variables = self.gradient(*of_outputs), []
        made = flatten(made if isinstance(made, (list, tuple)) else [made])
        return [*zip(self.inputs, map(self._of_branch, made)), *zip(self.variables, map(self._of_branch, flatten(of_variables)))]

    def _of_branch(self, gradient):
        """A gradient, which is 0 where the call is of a branch of tf.cond that is not taken."""
        for guard in self.guards if gradient is not None else ():
            parts = gradient, operations.zeros_like(gradient)
            gradient = taken(guard.pred, *(parts if guard.is_taken else parts[::-1]), "tf.cond")
        return gradient


def custom_gradient(f=None):
    """tf.custom_gradient: f gives its value, and a function that makes the gradients by its arguments of that by the value."""
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        if graph.executing_eagerly():
            return f(*[graph.convert(each) for each in args], **kwargs)[0]
        inputs, here = [graph.symbolic(each) for each in args], graph.current()
        begun = len(here.operations_)
        value, gradient = f(*inputs, **kwargs)
        read = {op.attributes["variable"]: None for op in here.operations_[begun:] if op.kind == "read"}
        outputs = [stop_gradient(graph.symbolic(each)) for each in flatten(value)]
        call = _OwnGradient(inputs, outputs, gradient, [v for v in read if v.trainable])
        for output in outputs:
            output.op.own_gradient = call
        return pack_like(value, outputs)
    return decorated
