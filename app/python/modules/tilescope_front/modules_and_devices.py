# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.Module, which has the variables of its attributes, tf.config of what a script may ask about devices, and what has no effect here."""
import contextlib
import functools

from . import host, ipu_config, names, scopes
from .keras import layers as keras_layers
from .tracing import functions
from .configured import snake_case


class Module:
    """tf.Module: what its attributes hold of variables and modules, by the names of the attributes."""

    def __init__(self, name=None):
        self._name = name or snake_case(type(self).__name__)

    name = property(lambda self: self.__dict__.get("_name") or snake_case(type(self).__name__))

    @property
    def name_scope(self):
        return scopes.name_scope(self.name)

    @classmethod
    def with_name_scope(cls, method):
        @functools.wraps(method)
        def within(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)
        return within

    def _held(self):
        """Variables, modules and layers in its attributes, each once."""
        kept, seen = [], set()

        def visit(value):
            if id(value) in seen:
                return
            if isinstance(value, (functions.EagerVariable, Module, keras_layers.Layer)):
                seen.add(id(value))
                kept.append(value)
            elif isinstance(value, dict):
                for key in sorted(value, key=str):
                    visit(value[key])
            elif isinstance(value, (list, tuple)):
                for each in value:
                    visit(each)
        for _, value in sorted(vars(self).items()):
            visit(value)
        return kept

    @property
    def variables(self):
        """Its own, then those of the modules and layers within."""
        held = self._held()
        found = [each for each in held if isinstance(each, functions.EagerVariable)]
        for each in held:
            if not isinstance(each, functions.EagerVariable):
                found += each.variables
        def key(each):
            return ("eager", id(each)) if isinstance(each, functions.EagerVariable) else ("of a layer", hash(each))
        return tuple({key(each): each for each in found}.values())

    trainable_variables = property(lambda self: tuple(each for each in self.variables if each.trainable))
    non_trainable_variables = property(lambda self: tuple(each for each in self.variables if not each.trainable))

    @property
    def submodules(self):
        within = [each for each in self._held() if not isinstance(each, functions.EagerVariable)]
        return tuple(within) + tuple(inner for each in within if isinstance(each, Module) for inner in each.submodules)


class PhysicalDevice:
    """tf.config.PhysicalDevice."""

    def __init__(self, name, device_type):
        self.name, self.device_type = name, device_type

    def __repr__(self):
        return f"PhysicalDevice(name='{self.name}', device_type='{self.device_type}')"

    def __eq__(self, other):
        return isinstance(other, PhysicalDevice) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))


class LogicalDevice(PhysicalDevice):
    """tf.config.LogicalDevice."""

    def __repr__(self):
        return f"LogicalDevice(name='{self.name}', device_type='{self.device_type}')"


def _lister(kind, place):
    def devices(device_type=None):
        """The host, and the IPU devices that are configured: one at first."""
        counts = {"CPU": 1, "IPU": len(ipu_config.ipus())}
        return [kind(f"/{place}:{each}:{number}", each) for each, count in counts.items() if device_type in (None, each)
                for number in range(count)]
    return devices


def _without_effect(name, why=""):
    def accept(*args, **kwargs):
        host.tell_once(f"tilescope: tf.{name}() has no effect here{why}")
        return contextlib.nullcontext()
    return accept


_PROFILED = ": every run is profiled"
_OTHERS = {  # by the modules of what says how TensorFlow runs, or traces, what is run otherwise here
    "autograph": {name: _without_effect(f"autograph.{name}") for name in ("set_verbosity", "trace")},
    "profiler.experimental": {name: _without_effect(f"profiler.experimental.{name}", _PROFILED) for name in ("start", "stop", "Profile", "Trace")},
    "summary": {name: _without_effect(f"summary.{name}", _PROFILED) for name in ("trace_on", "trace_off", "trace_export", "flush")}}


def add_names():
    physical, logical = _lister(PhysicalDevice, "physical_device"), _lister(LogicalDevice, "device")
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module, Module=Module)
        names.module(module + ".config", list_physical_devices=physical, list_logical_devices=logical, get_visible_devices=physical,
                     set_visible_devices=_without_effect("config.set_visible_devices"), PhysicalDevice=PhysicalDevice, LogicalDevice=LogicalDevice,
                     set_soft_device_placement=_without_effect("config.set_soft_device_placement"))
        names.module(module + ".config.threading", {name: _without_effect(f"config.threading.{name}") for name in (
            "set_inter_op_parallelism_threads", "set_intra_op_parallelism_threads")})
        names.module(module + ".config.experimental", list_physical_devices=physical, list_logical_devices=logical,
                     set_memory_growth=_without_effect("config.experimental.set_memory_growth"), get_visible_devices=physical)
    for name, table in _OTHERS.items():
        names.module("tensorflow." + name, table)
    names.module("tensorflow.config", functions_run_eagerly=lambda: False, run_functions_eagerly=_without_effect(
        "config.run_functions_eagerly", ": what an IPU runs is traced"))
