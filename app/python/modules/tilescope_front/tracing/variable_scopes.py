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


def unused(name, above=""):
    """A scope's default name, which each use of it counts up."""
    return repeated_steps.name_in_step((name, above), lambda: _unused(name, above))


def _unused(name, above):
    counts = graph.current().outermost().__dict__.setdefault("default_scopes", {})
    full = f"{above}/{name}"
    counts[full] = counts.get(full, -1) + 1
    return f"{name}_{counts[full]}" if counts[full] else name


@contextlib.contextmanager
def variable_scope(name_or_scope, default_name=None, values=None, initializer=None, regularizer=None,
                   caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None,
                   use_resource=None, auxiliary_name_scope=True):
    above = get_variable_scope()
    if name_or_scope is None and default_name:
        default_name = unused(default_name, above.name)
    name = name_or_scope.name if isinstance(name_or_scope, VariableScope) else name_or_scope or default_name or ""
    full = name if isinstance(name_or_scope, VariableScope) else "/".join(p for p in (above.name, name) if p)
    above = name_or_scope if isinstance(name_or_scope, VariableScope) else above
    scope = VariableScope(full, above, initializer, reuse, use_resource, custom_getter, dtype, regularizer)
    here = graph.current()
    here.variable_scopes.append(scope)
    try:
        own = name.rpartition("/")[2] if isinstance(name_or_scope, VariableScope) else name
        prefix = here.unique(own) + "/" if own and auxiliary_name_scope else here.prefix
        scope.original_name_scope = prefix
        with here.with_(prefix=prefix):
            yield scope
    finally:
        here.variable_scopes.pop()
