# SPDX-License-Identifier: GPL-3.0-or-later
"""What `import` gives a script: the modules of the tables of names, before any that may be installed."""
import importlib.abc
import importlib.machinery
import sys
import types

from . import dialect, failures, names

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


class Standin(types.ModuleType):
    """A module whose unknown names are told with the nearest that it has."""

    def __getattr__(self, name):
        full = f"{self.__name__}.{name}"
        if full == "tensorflow.compat.v1.compat":  # tf.compat.v1 of `import tensorflow.compat.v1 as tf`
            return __import__("tensorflow.compat", fromlist=["_"])
        if full in _OTHERS:
            return importlib.import_module(full)
        if names.is_there(full):
            return sys.modules.get(full) or __import__(full, fromlist=["_"])
        if name.startswith("__"):
            raise AttributeError(name)
        if names.reason(full):
            raise failures.refused(full, names.reason(full))
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
    below = names.modules_below(module.__name__)
    own = [name for name in vars(module) if not name.startswith("_")]
    return sorted(set(own) | {name for name in below if "." not in name})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the tables before any that may be installed."""

    def find_spec(self, name, path=None, target=None):
        root = name.split(".")[0]
        if root in PACKAGES:
            if dialect.only_asks(sys._getframe(1)):
                return None
            if dialect.can_do_without(sys._getframe(1)):
                raise failures.refused_module(name, PACKAGES[root])
            return self._refused(name, PACKAGES[root])
        for other in _OTHERS:
            if name == other or name.startswith(other + "."):
                same = importlib.import_module("tensorflow" + name[len(other):])
                return importlib.machinery.ModuleSpec(name, _Same(same), is_package=True)
        if names.is_there(name):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if names.is_ours(name):
            parts = name.split(".")
            for known in (".".join(parts[:end]) for end in range(len(parts), 1, -1)):
                if names.reason(known) and ".contrib" in known:  # which TensorFlow 2 has not, either
                    raise failures.refused_module(known, names.reason(known))
                if names.reason(known):
                    return self._refused(name, names.reason(known))
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
        vars(made).update(names.names_in(made.__name__))


class _Same(importlib.abc.Loader):
    """Gives a module that is there under another name."""

    def __init__(self, module):
        self.module = module

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        """It has been made."""
