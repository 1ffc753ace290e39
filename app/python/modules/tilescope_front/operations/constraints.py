# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of variables: what an update makes of them in the end."""
from . import recipes
from ..configured import Configured, family, snake_case
from ..identifiers import Kind, both_cases
from ..tensors import graph

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


def _settings_of(constraint):
    """As the engine takes them."""
    settings = dict(constraint.settings)
    axis = settings.pop("axis", None)
    settings = {name: float(value) for name, value in settings.items()}
    if axis is not None:
        settings["axes"] = [int(each) for each in (axis if isinstance(axis, (list, tuple)) else [axis])]
    return settings


def constrain(build, number, constraint):
    """Says to the engine what a variable is after each update."""
    if constraint is not None and not is_own(constraint):
        build.constrain(number, snake_case(type(constraint).__name__), _settings_of(constraint))


def applied(constraint, w):
    """What a constraint of Keras makes of a tensor."""
    return recipes.constrained(snake_case(type(constraint).__name__), _settings_of(constraint), graph.convert(w))
