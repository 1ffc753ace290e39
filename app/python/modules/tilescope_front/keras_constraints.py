# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of variables: what an update makes of them in the end."""
from . import failures
from .keras_parts import CONSTRAINTS, snake_case


def get_constraint(identifier, of="keras.constraints.get"):
    """A constraint of Keras by name or as an object. `of`: what it is for, to say so where it is refused."""
    if isinstance(identifier, str):
        named = {**{snake_case(name): made for name, made in CONSTRAINTS.items()}, **CONSTRAINTS}
        if identifier not in named:
            raise failures.not_there(identifier, named, "the constraint")
        return named[identifier]()
    identifier = identifier() if isinstance(identifier, type) else identifier
    if identifier is not None and type(identifier) not in CONSTRAINTS.values():
        raise failures.refused(f"{of}(constraint=…) of a function of the script's own", "the update has those of keras.constraints: "
                               + ", ".join(CONSTRAINTS))
    return identifier


def constrain(build, number, variable):
    """Says to the engine what a variable is after each update."""
    constraint = getattr(variable, "constraint", None)
    if constraint is not None:
        settings = {name: value for name, value in constraint.settings.items()}
        axis = settings.pop("axis", None)
        settings = {name: float(value) for name, value in settings.items()}
        if axis is not None:
            settings["axes"] = [int(each) for each in (axis if isinstance(axis, (list, tuple)) else [axis])]
        build.constrain(number, snake_case(type(constraint).__name__), settings)
