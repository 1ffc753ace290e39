# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that scripts import: made from tables of names, so that what is there can be listed, and what is
not can be named."""
import importlib.abc
import importlib.machinery
import inspect
import sys
import types

from . import failures

ROOTS = ("tensorflow", "keras", "ipu_tensorflow_addons", "popdist", "libpvti")
PACKAGES = {  # that stand on TensorFlow's own insides, or on what is downloaded
    "tensorflow_hub": "nothing is downloaded; load a model's file with keras.models.load_model",
    "tensorflow_datasets": "nothing is downloaded; use keras.datasets, or arrays of your own",
    "tensorflow_probability": "it needs TensorFlow's own insides; write the density with tf.math",
    "tensorflow_addons": "use keras.optimizers, ipu_tensorflow_addons, or a class of your own",
    "tensorflow_text": "it needs TensorFlow's own insides; make arrays of token numbers",
    "popart": "export the model as ONNX, and give it to tilescope profile",
    "popxl": "export the model as ONNX, and give it to tilescope profile",
    "poptorch": "give a torch.nn.Module to tilescope.profile, which exports it as ONNX",
    "horovod": "use ipu.distributed, or popdist with --num-instances"}
_OTHERS = ("tensorflow_core", "tensorflow.compat.v2")  # what `tensorflow` is called, too: within TensorFlow 1.15 and 2.0, and for its version 2
_modules = {}  # by name: the names in it
_reasons = {}  # by full name: why it cannot be there
_aliases = {}  # of modules that have the names of another one


class Standin(types.ModuleType):
    """A module whose unknown names are told with the nearest that it has."""

    def __getattr__(self, name):
        full = f"{self.__name__}.{name}"
        if full == "tensorflow.compat.v1.compat":  # tf.compat.v1 of `import tensorflow.compat.v1 as tf`
            return __import__("tensorflow.compat", fromlist=["_"])
        if full in _OTHERS:
            return importlib.import_module(full)
        if full in _modules:
            return sys.modules.get(full) or __import__(full, fromlist=["_"])
        if name.startswith("__"):
            raise AttributeError(name)
        if _reason(full):
            raise failures.refused(full, _reason(full))
        raise failures.not_there(full, _public_names(self))

    def __dir__(self):
        return _public_names(self)


class Refused(types.ModuleType):
    """What scripts may import and cannot use: its full name and the reason are told as they do."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise failures.refused(f"{self.__name__}.{name}", self.reason)

    def __call__(self, *args, **kwargs):
        raise failures.refused(self.__name__, self.reason)

    __mro_entries__ = __call__  # of what is derived from it


def _public_names(module):
    below = [name[len(module.__name__) + 1:] for name in _modules if name.startswith(module.__name__ + ".")]
    own = [name for name in vars(module) if not name.startswith("_")]
    return sorted(set(own) | {name for name in below if "." not in name})


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


def names_in(name):
    return _modules.get(name, {})


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


def _reason(full_name):
    """Why a name cannot be there, also under the other names of its module; None of any other."""
    originals = (original + full_name[len(name):] for name, original in _aliases.items() if full_name.startswith(name + "."))
    return _reasons.get(full_name) or next(filter(None, map(_reasons.get, originals)), None)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the tables before any that may be installed."""

    def find_spec(self, name, path=None, target=None):
        root = name.split(".")[0]
        if root in PACKAGES:
            from . import dialect
            if dialect.only_asks(sys._getframe(1)):
                return None
            if dialect.can_do_without(sys._getframe(1)):
                raise failures.refused_module(name, PACKAGES[root])
            return self._refused(name, PACKAGES[root])
        for other in _OTHERS:
            if name == other or name.startswith(other + "."):
                same = importlib.import_module("tensorflow" + name[len(other):])
                return importlib.machinery.ModuleSpec(name, _Same(same), is_package=True)
        if name in _modules:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if is_ours(name):
            parts = name.split(".")
            for known in (".".join(parts[:end]) for end in range(len(parts), 1, -1)):
                if _reason(known) and ".contrib" in known:  # which TensorFlow 2 has not, either
                    raise failures.refused_module(known, _reason(known))
                if _reason(known):
                    return self._refused(name, _reason(known))
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return None

    @staticmethod
    def _refused(name, reason):
        made = Refused(name)
        made.reason, made.__path__ = reason, []
        return importlib.machinery.ModuleSpec(name, _Same(made), is_package=True)

    def create_module(self, spec):
        return Standin(spec.name)

    def exec_module(self, made):
        vars(made).update(_modules[made.__name__])


class _Same(importlib.abc.Loader):
    """Gives a module that is there under another name."""

    def __init__(self, module):
        self.module = module

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        """It has been made."""


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
