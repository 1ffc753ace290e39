# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of `tf` that name what they give as TensorFlow does."""
import functools
import inspect

from . import names
from .tensors import graph, model_tensors, operation_names
from .structure import flatten


def as_listed(function, path):
    """One that is in the table under `path`, for what calls it within."""
    return named(function, operation_names.FUNCTIONS[path])


def named(function, name):
    """The same function, whose results have TensorFlow's name in a graph, or the one that is given; what it makes on the way
    is in a scope of that name."""
    parameters = inspect.signature(function).parameters
    argument = next((each for each in ("name", "scope") if each in parameters), "name")
    by_place = [each.name for each in parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    place = by_place.index(argument) if argument in by_place else None
    first, _, below = name.partition("/")

    @functools.wraps(function)
    def with_names(*args, **kwargs):
        if graph.executing_eagerly() or model_tensors.first_of(flatten([*args, *kwargs.values()])) is not None:
            return function(*args, **kwargs)
        given = kwargs.get(argument)
        if place is not None and place < len(args):
            given, args = args[place], (*args[:place], None, *args[place + 1:])
        elif given is not None:
            kwargs = {**kwargs, argument: None}
        here = graph.current()
        scope = here.unique(given if isinstance(given, str) and given else first)
        with here.made_within(scope) as operations:
            made = function(*args, **kwargs)
        results = list(dict.fromkeys(each.op for each in flatten(made) if graph.is_symbolic(each) and each.op in operations))
        for number, operation in enumerate(results if below else results[:1]):
            operation.name = f"{scope}/{below}" + (f"_{number}" if number else "") if below else scope
        return made
    return with_names


def add_names():
    """Each function of the table is one that gives its results their names, in all modules that have it."""
    tables = {module: table for module, table in names.tables().items() if module.startswith("tensorflow")}
    of_1 = {module for module in tables if module.startswith("tensorflow.compat.v1")}
    made = {}  # by function and name: one for both versions
    for top, modules, own in (("tensorflow.compat.v1", of_1, {}), ("tensorflow", set(tables) - of_1, operation_names.IN_VERSION_2)):
        replaced = {}
        for path, name in {**operation_names.FUNCTIONS, **own}.items():
            below, _, last = path.rpartition(".")
            found = tables.get(f"{top}.{below}".rstrip("."), {}).get(last)
            if found is not None:
                replaced[id(found)] = made.setdefault((found, name), named(found, name))
        for module in modules:
            tables[module].update({key: replaced[id(value)] for key, value in tables[module].items() if id(value) in replaced})
