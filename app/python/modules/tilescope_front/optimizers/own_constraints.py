# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of the weights of layers and models, and those that are functions of the script's own."""
import numpy as np

from .. import failures
from ..operations.constraints import get_constraint, is_own
from ..tensors import graph
from ..tracing import lowering


def own_of_layers(layers):
    """Each constraint of the script's own that layers have, by the names that weights have."""
    return _of_weights(layers, is_own)


def _of_weights(layers, wanted):
    layers = list(layers)
    return layers[0].settings_of_weights(layers, "_constraint", wanted) if layers else {}


def of_variables(variables):
    """The constraint of each variable, which for a model's weight its layer has; None where there is none."""
    of_models = {id(each.model): each.model for each in variables if hasattr(each, "model")}
    of_models = {key: _of_weights(model.layers, lambda each: each is not None) for key, model in of_models.items()}
    return [get_constraint(of_models[id(each.model)].get(each.key)) if hasattr(each, "model") else getattr(each, "constraint", None)
            for each in variables]


def own_of_update(op, names):
    """The constraints of the script's own, by the names of the variables, of an update in a graph."""
    layers = dict.fromkeys(layer for each in op.graph.operations_ if each.kind == "keras" for layer in (
        [each.attributes["layer"]] if "layer" in each.attributes else each.attributes["model"].layers))
    listed = own_of_layers(layers)
    read = {each.attributes["variable"].key: each.attributes["variable"] for each in op.graph.operations_ if each.kind == "read"}
    own = {name: getattr(read.get(name), "constraint", None) for name in names}
    own = {name: each for name, each in own.items() if is_own(each)}
    return {**own, **{name: listed[name] for name in names if name in listed}}


def apply_own_now(variables):
    """The same of variables that the host has updated."""
    for variable, constraint in zip(variables, of_variables(variables)):
        if is_own(constraint):
            with graph.at_once():
                variable.assign(np.asarray(constraint(graph.EagerTensor(np.asarray(variable)))))


def refused(name):
    return failures.refused(f"the constraint of {name}, a function of the script's own, with accumulated gradients",
                            "use those of keras.constraints, or an update for each step")


def apply_own(lowered, own, shard):
    """After an update, what is computed next reads: variables as the script's functions make them."""
    for name, constraint in own.items():
        number = lowered.build.variable_named(name)
        dtype, dims = lowered.build.type(number)
        inner = graph.Graph()
        inner.of_program, inner.shard = True, shard
        with inner.as_default():
            argument = inner.add("argument", [], {"index": 0}, [(dtype, dims)], name).outputs[0]
            made = graph.symbolic(constraint(argument))
        if tuple(made.dims) != tuple(dims):
            raise ValueError(f"the constraint of {name} gives {list(made.dims)} where the variable has the shape {list(dims)}")
        lowered.ids[(argument.op.number, id(inner), 0)] = lowered.build.now(number)
        for op in lowering.reachable([made], lambda _: True):
            if op.kind != "argument":
                lowered.add(op)
        lowered.kept_graphs.append(inner)  # whose identities are keys
        lowered.build.set_updated(number, lowered.copied(lowered.id_of(made), f"{name}/constrained"))
