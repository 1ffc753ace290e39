# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of variables: what an update makes of them in the end."""
import numpy as np

from . import elementary as operations
from ..configured import Configured, family, snake_case
from ..identifiers import Kind, both_cases
from ..tensors import graph

EPSILON = 1e-7


class Constraint(Configured):
    """What an update makes of a variable in the end; called, of a tensor."""

    def __call__(self, w):
        return applied(self, w)


CONSTRAINTS = family(Constraint, {
    "MaxNorm": "max_value=2, axis=0", "MinMaxNorm": "min_value=0.0, max_value=1.0, rate=1.0, axis=0", "NonNeg": "",
    "UnitNorm": "axis=0", "RadialConstraint": ""}, "Keras' constraint")
KIND = Kind("constraint", both_cases(CONSTRAINTS))


def is_own(constraint):
    """Whether a constraint is a function or a class of the script's own."""
    return callable(constraint) and constraint not in CONSTRAINTS.values() and type(constraint) not in CONSTRAINTS.values()


def get_constraint(identifier):
    """A constraint by name, as an object or a function."""
    return KIND.get(identifier)


def constrain(build, number, constraint):
    """Says to the engine what a variable is after each update."""
    if constraint is not None and not is_own(constraint):
        settings = {name: value for name, value in constraint.settings.items()}
        axis = settings.pop("axis", None)
        settings = {name: float(value) for name, value in settings.items()}
        if axis is not None:
            settings["axes"] = [int(each) for each in (axis if isinstance(axis, (list, tuple)) else [axis])]
        build.constrain(number, snake_case(type(constraint).__name__), settings)


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
