# SPDX-License-Identifier: GPL-3.0-or-later
"""What names and configurations of Keras' objects mean: tables of each kind, and the classes of the script's own that configurations
name."""
import difflib

from . import configured, failures

_custom = {}  # classes and functions of the script's own, by name
_registered = {}  # their registered names


def get_custom_objects():
    return _custom


class CustomObjectScope:
    """keras.utils.custom_object_scope: names of the script's own that configurations within may have."""

    def __init__(self, *args):
        self.given, self.before = args, None

    def __enter__(self):
        self.before = dict(_custom)
        for each in self.given:
            _custom.update(each)
        return self

    def __exit__(self, *exception):
        _custom.clear()
        _custom.update(self.before)


def register_keras_serializable(package="Custom", name=None):
    def register(arg):
        _registered[arg] = f"{package}>{name or arg.__name__}"
        _custom[_registered[arg]] = arg
        return arg
    return register


def get_registered_name(obj):
    return _registered.get(obj, obj.__name__)


def get_registered_object(name, custom_objects=None, module_objects=None):
    return {**(module_objects or {}), **_custom, **(custom_objects or {})}.get(name)


def own(name, custom_objects=None):
    """What of the script's own a configuration calls so, with or without the package that it was registered in."""
    known = {**_custom, **(custom_objects or {})}
    return known.get(name, known.get(name.rpartition(">")[2]))


def class_of(name, what, table, custom_objects=None):
    """The class or the function that a configuration calls `name`."""
    found = own(name, custom_objects)
    for known in (name, name.rpartition(">")[2]) if found is None else ():
        found = table.get(known, found)
    if found is None:
        near = difflib.get_close_matches(name, [*table, *_custom, *(custom_objects or ())], 1)
        raise failures.refused(f"the {what} {name}", (f"the nearest that is there is {near[0]}; " if near else "") +
                               "a class of the script's own goes into custom_objects")
    return found


def checked(config, what):
    """(class, settings) of a configuration."""
    if not isinstance(config, dict) or not {"class_name", "config"} <= set(config):
        raise ValueError(f"Improper config format for {what}: {config}. Expecting python dict contains `class_name` and `config` "
                         "as keys")
    return config["class_name"], config["config"]


def serialize(value):
    """The configuration of an object, or the name of a function."""
    if hasattr(value, "document"):
        return value.document()
    if callable(value):
        return _registered.get(value) or configured.plain(value)
    if value is None or isinstance(value, str):
        return value
    if hasattr(value, "get_config"):
        return {"class_name": get_registered_name(type(value)), "config": value.get_config()}
    raise ValueError(f"Cannot serialize {value}: it has no get_config()")


def described(value):
    """A setting of a layer as it is written into files: a layer, an object or a function; itself where it has no name."""
    if hasattr(value, "described"):
        return value.described()
    if hasattr(value, "document") and value.__class__ in _registered:
        return {**value.document(), "class_name": _registered[value.__class__]}
    if callable(value) and not hasattr(value, "document"):
        if hasattr(value, "get_config"):
            return {"class_name": get_registered_name(type(value)), "config": value.get_config()}
        return _registered.get(value) or (configured.plain(value) if hasattr(value, "__name__") else value)
    return configured.plain(value)


class Kind:
    """One kind of Keras' objects. `table`: what its module has, by all names that it may be given by."""

    def __init__(self, what, table, nothing=None):
        self.what, self.table, self.nothing = what, table, nothing

    def get(self, identifier):
        """What an identifier means: a name, a configuration, an object or a function."""
        if identifier is None:
            return self.nothing
        if isinstance(identifier, dict):
            return self.deserialize(identifier)
        if isinstance(identifier, str):
            return self.named(identifier)
        if callable(identifier):
            return identifier() if isinstance(identifier, type) else identifier
        raise ValueError(f"Could not interpret {self.what} identifier: {identifier}")

    def named(self, name, custom_objects=None):
        found = own(name, custom_objects)
        if found is None and name not in self.table:
            raise failures.not_there(name, self.table, f"the {self.what}")
        found = self.table[name] if found is None else found
        return found() if isinstance(found, type) else found

    def deserialize(self, config, custom_objects=None):
        if config is None:
            return self.nothing
        if isinstance(config, str):
            return self.named(config, custom_objects)
        if not isinstance(config, dict) and callable(config):
            return config
        name, settings = checked(config, f"{'an' if self.what[0] in 'aeio' else 'a'} {self.what}")
        found = class_of(name, self.what, self.table, custom_objects)
        return self.made(found, settings, custom_objects)

    def made(self, found, settings, custom_objects):
        return found.from_config(settings) if hasattr(found, "from_config") else found


def both_cases(table):
    return {**table, **{configured.snake_case(name): made for name, made in table.items()}}
