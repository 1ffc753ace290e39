# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Keras that are their class' name and their settings."""
import inspect
import re


def snake_case(name):
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def signature_of(parameters):
    """The signature of "units, activation=None"."""
    return inspect.signature(eval(f"lambda {parameters}: None", {}))  # pylint: disable=eval-used


def bind(kind, signature, args, kwargs):
    """The arguments of a call by name, with the defaults; a wrong one is Python's own TypeError."""
    from . import failures
    if not any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values()):
        failures.check_arguments(kind, kwargs, signature.parameters)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{kind}.__init__(): {error}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


def plain(value):
    """A setting as Keras writes it into JSON: objects by class and settings, functions by name."""
    if hasattr(value, "document"):
        return value.document()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "as_numpy_dtype"):
        return value.name
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        return {"abs_": "abs"}.get(name, name)
    if hasattr(value, "tolist"):
        return value.tolist()
    return value


class Configured:
    """An object that is its class' name and its settings."""

    parameters = ""
    settings = {}  # of a class of the script's own whose __init__ does not call this one
    kind_name = property(lambda self: type(self).__name__)  # of what is derived from one of a family, the name of that

    def __init__(self, *args, **kwargs):
        self.settings = bind(type(self).__name__, signature_of(self.parameters), args, kwargs)

    def get_config(self):
        return {key: plain(value) for key, value in self.settings.items()}

    @classmethod
    def known(cls):
        """The names of its settings."""
        return set(signature_of(cls.parameters).parameters)

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def document(self):
        return {"class_name": type(self).__name__,
                "config": {key: value for key, value in self.get_config().items() if value is not None}}


def family(base, table, doc):
    """Classes by name, from their parameters."""
    made = {}
    for name, parameters in table.items():
        made[name] = type(name, (base,), {"parameters": parameters, "kind_name": name, "__doc__": f"{doc} {name}({parameters})",
                                          "__signature__": signature_of(parameters)})
    return made
