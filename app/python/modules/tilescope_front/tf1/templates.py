# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.make_template of TensorFlow 1."""
from .. import names
from ..tensors import graph
from ..tracing import variable_scopes


class _Template:
    """A function whose variables are those of its first call."""

    def __init__(self, name, function, settings, getter):
        self.name, self.function, self.settings, self.getter, self.scope, self.called = name, function, settings, getter, None, False

    def make_scope(self):
        with variable_scopes.variable_scope(None, default_name=self.name, custom_getter=self.getter) as self.scope:
            pass

    def __call__(self, *args, **kwargs):
        if self.scope is None:
            self.make_scope()
        reuse, self.called = self.called, True
        with variable_scopes.variable_scope(self.scope, reuse=reuse):
            return self.function(*args, **{**self.settings, **kwargs})

    variable_scope = property(lambda self: self.scope)
    variables = global_variables = property(lambda self: [] if self.scope is None else [
        each for key, each in graph.current().outermost().variables.items() if key.startswith(self.scope.name + "/")])
    trainable_variables = property(lambda self: [each for each in self.variables if each.trainable])


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    made = _Template(unique_name_ or name_, func_, kwargs, custom_getter_)
    if create_scope_now_:
        made.make_scope()
    return made


def add_names():
    names.module("tensorflow.compat.v1", make_template=make_template)
