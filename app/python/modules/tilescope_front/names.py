# SPDX-License-Identifier: GPL-3.0-or-later
"""The names that scripts find: tables of the modules that they import, so that what is there can be listed, and what is not can be
named."""
import inspect
import types

ROOTS = ("tensorflow", "keras", "ipu_tensorflow_addons", "popdist", "libpvti")
_modules = {}  # by name: the names in it
_reasons = {}  # by full name: why it cannot be there
_aliases = {}  # of modules that have the names of another one


def module(name, *tables, **more):
    """Adds names to a module; the packages above it come to be as well."""
    parts = name.split(".")
    _reasons.pop(name, None)
    for end in range(1, len(parts)):
        _modules.setdefault(".".join(parts[:end]), {})
    for table_of_names in (*tables, more):
        _modules.setdefault(name, {}).update(table_of_names)
        for each, value in table_of_names.items():
            _name_function(each, value)


def _name_function(name, value):
    """Python's own errors call a function that another one made by the name that scripts find it under."""
    while isinstance(value, types.FunctionType):
        if "<" in value.__qualname__:
            value.__qualname__ = name
        value = getattr(value, "__wrapped__", None)


def is_there(name):
    """Whether it is the name of a module."""
    return name in _modules


def names_in(name):
    return _modules.get(name, {})


def tables():
    """The tables of all modules, by name."""
    return dict(_modules)


def modules_below(name):
    return [each[len(name) + 1:] for each in _modules if each.startswith(name + ".")]


def alias(name, original):
    """The same names, and those of the modules below, under another name."""
    for known in [each for each in _modules if each == original or each.startswith(original + ".")]:
        module(name + known[len(original):], _modules[known])
    _aliases[name] = original


def refuse(full_name, reason):
    parts = full_name.split(".")
    for end in range(1, len(parts)):
        _modules.setdefault(".".join(parts[:end]), {})  # which may be imported
    _reasons[full_name] = reason


def reason(full_name):
    """Why a name cannot be there, also under the other names of its module; None of any other."""
    originals = (original + full_name[len(name):] for name, original in _aliases.items() if full_name.startswith(name + "."))
    return _reasons.get(full_name) or next(filter(None, map(_reasons.get, originals)), None)


def is_ours(name):
    return name.split(".")[0] in ROOTS


def modules_beside(name):
    above = name.rpartition(".")[0]
    return [each.rpartition(".")[2] for each in _modules if each.rpartition(".")[0] == above]


def table():
    """Every module with its names, sorted: what the page about coverage is made of."""
    return {name: sorted(n for n in names if not n.startswith("_")) for name, names in sorted(_modules.items())}


def elsewhere(full_name):
    """Where else, of the modules that scripts import, the last part of a name is found."""
    root, last = full_name.split(".")[0], full_name.rpartition(".")[2]
    return [f"{module}.{last}" for module, names in _modules.items() if last in names and module.split(".")[0] == root]


def _shortest(places):
    """Of the names of one thing the shortest; those of `tensorflow` before those of `keras`."""
    return min(places, key=lambda each: (each.split(".")[0] == "keras", len(each), each))


def _where(holds):
    return [f"{module}.{name}" for module, table_ in _modules.items() for name, value in table_.items() if holds(name, value)]


def name_of(kind):
    """The name under which scripts find a class, or else the first that it is derived from; its own where they find none."""
    for base in kind.__mro__[:-1]:
        found = _where(lambda _, value, base=base: value is base)
        if found:
            return _shortest(found)
    return kind.__name__


def full_name_of(called):
    """The name under which scripts find what ours call "Dense", "keras.Model()" or "Training.fit()"; the same where they find
    none."""
    first, _, rest = called.removesuffix("()").partition(".")
    root = {"keras": "tensorflow.keras", "tf": "tensorflow", "ipu": "tensorflow.python.ipu"}.get(first)
    if root is not None or first in ROOTS:
        return f"{root}.{rest}" + called[len(called.removesuffix("()")):] if root else called
    found = _where(lambda name, value: name == first and callable(value)) or (_where(
        lambda _, value: isinstance(value, type) and any(base.__name__ == first for base in value.__mro__)) if rest else [])
    return _shortest(found) + called[len(first):] if found else called


def full_name(found):
    """The name under which scripts find a function, a class or a method of one; its own where they find none."""
    owner = getattr(found, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return f"{name_of(owner if isinstance(owner, type) else type(owner))}.{found.__name__}"
    if isinstance(found, type):
        return name_of(found)
    places = _where(lambda _, value: value is found)
    return _shortest(places) if places else full_name_of(getattr(found, "__qualname__", str(found)))


def is_of_ours(found):
    return found.__module__.startswith("tilescope_front")


def functions_within(found):
    """The function that runs where a function, a class or a method is called, and those that it wraps."""
    functions, found = [], getattr(found, "__init__", found) if isinstance(found, type) else found
    while isinstance(found, (types.FunctionType, types.MethodType)):
        functions.append(found)
        found = getattr(found, "__wrapped__", None)
    return functions


def called(last):
    """What of ours scripts may call by a name: functions, classes, and methods."""
    found = []
    for name, value in _callables():
        found += [value] if name == last else [getattr(value, last, None)] if isinstance(value, type) else []
    return found


def _callables():
    for names in _modules.values():
        yield from ((name, value) for name, value in names.items() if callable(value))


def _find(qualified_name):
    """The function or method that errors call "compile" or "Training.fit"; None where it is not of ours."""
    parts = qualified_name.split(".")
    owner, last = (parts[-2] if len(parts) > 1 else ""), parts[-1]
    found = []
    for name, value in _callables():
        if not owner and name == last:
            return value
        if owner and isinstance(value, type) and any(base.__name__ == owner for base in value.__mro__):
            found.append(getattr(value, last, None))
    own = [each for each in found if getattr(each, "__qualname__", "") == qualified_name]
    return next(iter(own or found), None)


def arguments_of(qualified_name):
    """The arguments of a function or a method of ours, but for self; None where there is no such."""
    found = _find(qualified_name)
    return None if found is None else arguments_of_object(found)


def arguments_of_object(found):
    try:
        of_names = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return [name for name, each in inspect.signature(found).parameters.items() if name != "self" and each.kind in of_names]
    except (TypeError, ValueError):
        return []
