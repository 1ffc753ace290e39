# SPDX-License-Identifier: GPL-3.0-or-later
"""What a function of the script finds that is no name of its own, as lists, and whether it has changed: what is made on the device
once for all steps, or for both branches, may not have such an effect."""
import functools
import inspect
import sys

from ..tensors import graph
from .. import failures
from ..structure import flatten


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@functools.lru_cache(maxsize=None)
def _is_of_script(kind):
    return failures.is_of_script(getattr(sys.modules.get(kind.__module__), "__file__", None) or "<")


@functools.lru_cache(maxsize=None)
def _named_by(kind):
    """The attributes that the code of a class of the script names; None where it may be any, since no base of it is of a library."""
    kinds = [each for each in kind.__mro__ if each is not object]
    if all(map(_is_of_script, kinds)):
        return None
    parts = [getattr(part, "fget", None) or part for each in kinds if _is_of_script(each) for part in vars(each).values()]
    codes = [getattr(inspect.unwrap(part), "__code__", None) for part in parts]
    return {name for code in codes if code is not None for name in code.co_names}


def _attributes(held):
    """Those of an object of the script, without what a base of a library keeps there; None of any other object."""
    if not _is_of_script(type(held)) or not hasattr(held, "__dict__") or isinstance(held, type):
        return None
    named = _named_by(type(held))
    return {name: value for name, value in vars(held).items() if named is None or name in named}


def held_by(frame, objects=True):
    """(a list, a dictionary or an object, a copy of what it holds) of those that a function finds by its names and those of its
    module; the names of the module, too. `objects`: whether also what attributes of the script's objects hold."""
    own = {name: value for name, value in frame.f_globals.items() if not name.startswith("__")}
    found, rest = [(frame.f_globals, own)], [*frame.f_locals.values(), *own.values()]
    seen = {id(frame.f_globals)}
    while rest:
        each = rest.pop()
        if id(each) in seen:
            continue
        if isinstance(each, (list, dict, tuple)):
            copy = dict(each) if isinstance(each, dict) else list(each)
        else:
            copy = _attributes(each) if objects else None
        if copy is None:
            continue
        seen.add(id(each))
        if not isinstance(each, tuple):
            found.append((each, copy))
        rest += copy.values() if isinstance(copy, dict) else copy
    return found


def _is_effect(now, before):
    """Whether an attribute has another value that counts: what a layer makes of itself when it is first called does not."""
    return now is not before and (any(map(graph.is_symbolic, flatten(now))) or (is_number(now) and is_number(before) and now != before))


def _is_as_before(held, before):
    if isinstance(held, list):
        return len(held) == len(before) and all(a is b for a, b in zip(held, before))
    if not isinstance(held, dict):
        return not any(_is_effect(value, before.get(name)) for name, value in _attributes(held).items())
    now = {key: value for key, value in held.items() if key in before or not str(key).startswith("__")}
    return now.keys() == before.keys() and all(value is before[key] for key, value in now.items())


def has_changed(held):
    """Whether one of the lists, dictionaries and objects that held_by() gave now holds other objects."""
    return not all(_is_as_before(each, copy) for each, copy in held)
