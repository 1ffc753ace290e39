# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of variables: what an update makes of them in the end."""
import numpy as np

from .. import failures
from ..operations import elementary as operations
from ..tracing import graph, lowering
from .parts import CONSTRAINTS, snake_case

EPSILON = 1e-7


def is_own(constraint):
    """Whether a constraint is a function or a class of the script's own."""
    return callable(constraint) and constraint not in CONSTRAINTS.values() and type(constraint) not in CONSTRAINTS.values()


def get_constraint(identifier):
    """A constraint by name, as an object or a function."""
    from . import objects as keras_objects
    return keras_objects.CONSTRAINTS.get(identifier)


def constrain(build, number, constraint):
    """Says to the engine what a variable is after each update."""
    if constraint is not None and not is_own(constraint):
        settings = {name: value for name, value in constraint.settings.items()}
        axis = settings.pop("axis", None)
        settings = {name: float(value) for name, value in settings.items()}
        if axis is not None:
            settings["axes"] = [int(each) for each in (axis if isinstance(axis, (list, tuple)) else [axis])]
        build.constrain(number, snake_case(type(constraint).__name__), settings)


def own_of_layers(layers):
    """Each constraint of the script's own that layers have, by the names that weights have."""
    from . import within as keras_within
    return keras_within.of_weights(layers, "_constraint", is_own)


def of_variables(variables):
    """The constraint of each variable, which for a model's weight its layer has; None where there is none."""
    from . import within as keras_within
    of_models = {id(each.model): each.model for each in variables if hasattr(each, "model")}
    of_models = {key: keras_within.of_weights(model.layers, "_constraint", lambda each: each is not None) for key, model in of_models.items()}
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


def applied(constraint, w):
    """What a constraint of Keras makes of a tensor."""
    w, settings, kind = graph.convert(w), constraint.settings, type(constraint).__name__
    if kind == "NonNeg":
        return operations.multiply(w, operations.cast(operations.greater_equal(w, 0.0), w.dtype))
    if kind == "RadialConstraint":
        return _radial(w)
    norms = operations.MATH["sqrt"](operations.reduce_sum(operations.multiply(w, w), settings["axis"], keepdims=True))
    if kind == "UnitNorm":
        return operations.divide(w, operations.add(norms, EPSILON))
    least = settings.get("min_value", 0.0)
    wanted = operations.clip_by_value(norms, float(least), float(settings["max_value"]))
    if kind == "MinMaxNorm":
        rate = float(settings["rate"])
        wanted = operations.add(operations.multiply(wanted, rate), operations.multiply(norms, 1.0 - rate))
    return operations.multiply(w, operations.divide(wanted, operations.add(norms, EPSILON)))


def _radial(w):
    """Every place [row, column] with the value that Keras takes for the ring that it is in."""
    n = w.dims[0]
    if len(w.dims) != 4 or w.dims[1] != n:
        raise ValueError(f"RadialConstraint takes kernels of as many rows as columns, [n, n, in, out], and got {list(w.dims)}")
    start, places = n // 2, []
    for row, column in np.ndindex(n, n):
        depth = min(row, column, n - 1 - row, n - 1 - column)
        taken = max(start - 1, 0) if depth == (n - 1) // 2 else start + start - 1 - depth
        places.append(taken * n + taken)
    return operations.reshape(operations.taken(operations.reshape(w, [n * n, *w.dims[2:]]), 0, places), list(w.dims))
