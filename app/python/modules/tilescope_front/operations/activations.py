# SPDX-License-Identifier: GPL-3.0-or-later
"""Activations by the names that Keras has for them."""
from . import nn as nn_operations, elementary as operations
from ..identifiers import Kind
from ..tensors.graph import apply


def _functions():
    unary = {name: operations.UNARY_MORE[name] for name in ("hard_sigmoid", "mish")}
    unary.update(softsign=operations.MATH["softsign"], exponential=operations.MATH["exp"])
    unary.update({name: nn_operations.NN[name] for name in ("sigmoid", "tanh", "softplus", "selu", "swish")})
    made = {name: named(name, lambda x, function=function: function(x)) for name, function in unary.items()}
    made.update(relu=named("relu", operations.relu), linear=named("linear", lambda x: x),
                softmax=named("softmax", lambda x, axis=-1: operations.softmax(x, axis)),
                elu=named("elu", lambda x, alpha=1.0: operations.lifted(_elu)(x, alpha)),
                gelu=named("gelu", lambda x, approximate=False: nn_operations.NN["gelu"](x, approximate)))
    return made


def _elu(x, alpha):
    return apply("elu", [x], {"alpha": float(alpha)})[0]


def named(name, function):
    function.__name__ = name
    return operations.lifted(function)


FUNCTIONS = _functions()
KIND = Kind("activation", FUNCTIONS, FUNCTIONS["linear"])
