# SPDX-License-Identifier: GPL-3.0-or-later
"""Scopes of variables in TensorFlow 1's graphs: their names, and what variables made within them inherit."""
import contextlib
import functools

from ..tensors import graph, repeated_steps


class VariableScope:
    """What variables made within it inherit."""

    def __init__(self, name, above, initializer, reuse, use_resource, custom_getter, dtype, regularizer):
        self.name = name
        self.initializer = initializer if initializer is not None or above is None else above.initializer
        self.reuse = reuse or (above.reuse if above else False)
        self.resource = use_resource if use_resource is not None else above.resource if above else None
        self.custom_getter = _getter_within(custom_getter, above.custom_getter if above else None)
        self.dtype = dtype or (above.dtype if above else None)
        self.regularizer = regularizer if regularizer is not None or above is None else above.regularizer

    original_name_scope = ""  # the scope of names that was opened for it

    def set_use_resource(self, use_resource):
        self.resource = use_resource

    def reuse_variables(self):
        self.reuse = True


def _getter_within(getter, above):
    """What a custom getter calls is that of the scope around it."""
    if getter is None or above is None:
        return getter or above
    return lambda true, *args, **kwargs: getter(functools.partial(above, true), *args, **kwargs)


AUTO_REUSE = "AUTO_REUSE"


def get_variable_scope():
    scopes = graph.current().variable_scopes
    if not scopes:
        scopes.append(VariableScope("", None, None, None, None, None, None, None))
    return scopes[-1]


def numbered(name, above=""):
    """A name that each use of it counts up."""
    return repeated_steps.name_in_step((name, above), lambda: _numbered(name, above))


def _numbered(name, above):
    counts = graph.current().outermost().__dict__.setdefault("numbered_names", {})
    full = f"{above}/{name}"
    counts[full] = counts.get(full, -1) + 1
    return f"{name}_{counts[full]}" if counts[full] else name


def opened():
    """How often each scope has been opened since the one around it was: as in TensorFlow a scope that is left and opened again by its name gives
    what is made in it the names that it gave before."""
    return graph.current().outermost().__dict__.setdefault("opened_scopes", {})


def open_again(counts):
    """Takes back which scopes have been opened, to what opened() gave."""
    graph.current().outermost().opened_scopes = dict(counts)


def unused(name, others=()):
    """A scope's default name: the first that was not opened yet, beside `others`."""
    above = get_variable_scope().name
    return repeated_steps.name_in_step((name, above, "scope"), lambda: _unused(name, above, others))


def full_name(above, name):
    return "/".join(part for part in (above, name) if part)


def _unused(name, above, others):
    counts, number, made = opened(), 0, name
    while counts.get(full_name(above, made)) or made in others:
        number += 1
        made = f"{name}_{number}"
    return made


def note_opened(full):
    opened()[full] = opened().get(full, 0) + 1


def _leave(full, saved):
    """`saved`: what counted before a scope was opened as such, not by its name."""
    if saved is not None:
        open_again(saved)
        return
    for each in opened():
        if each.startswith(full + "/"):
            opened()[each] = 0


@contextlib.contextmanager
def variable_scope(name_or_scope, default_name=None, values=None, initializer=None, regularizer=None,
                   caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None,
                   use_resource=None, auxiliary_name_scope=True):
    above = get_variable_scope()
    if name_or_scope is None and default_name:
        default_name = unused(default_name)
    name = name_or_scope.name if isinstance(name_or_scope, VariableScope) else name_or_scope or default_name or ""
    full = name if isinstance(name_or_scope, VariableScope) else full_name(above.name, name)
    above = name_or_scope if isinstance(name_or_scope, VariableScope) else above
    scope = VariableScope(full, above, initializer, reuse, use_resource, custom_getter, dtype, regularizer)
    here = graph.current()
    here.variable_scopes.append(scope)
    note_opened(full)
    saved = dict(opened()) if isinstance(name_or_scope, VariableScope) else None
    try:
        own = name.rpartition("/")[2] if isinstance(name_or_scope, VariableScope) else name
        prefix = here.unique(own) + "/" if own and auxiliary_name_scope else here.prefix
        scope.original_name_scope = prefix
        with here.with_(prefix=prefix):
            yield scope
    finally:
        here.variable_scopes.pop()
        _leave(full, saved)
