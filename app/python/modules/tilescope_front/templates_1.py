# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.make_template of TensorFlow 1."""
from . import graph, names, variables


class _Template:
    """A function whose variables are those of its first call."""

    def __init__(self, name, function, settings):
        self.name, self.function, self.settings, self.scope = name, function, settings, None

    def __call__(self, *args, **kwargs):
        given = {**self.settings, **kwargs}
        if self.scope is None:
            with variables.variable_scope(None, default_name=self.name) as self.scope:
                return self.function(*args, **given)
        with variables.variable_scope(self.scope, reuse=True):
            return self.function(*args, **given)

    variable_scope = property(lambda self: self.scope)
    variables = global_variables = property(lambda self: [] if self.scope is None else [
        each for key, each in graph.current().outermost().variables.items() if key.startswith(self.scope.name + "/")])
    trainable_variables = property(lambda self: [each for each in self.variables if each.trainable])


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    made = _Template(unique_name_ or name_, func_, kwargs)
    if create_scope_now_:
        with variables.variable_scope(None, default_name=made.name) as made.scope:
            made.scope = variables.VariableScope(made.scope.name, made.scope, None, variables.AUTO_REUSE, None, custom_getter_, None, None)
    return made


def add_names():
    names.module("tensorflow.compat.v1", make_template=make_template)
