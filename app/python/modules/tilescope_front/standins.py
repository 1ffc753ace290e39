# SPDX-License-Identifier: GPL-3.0-or-later
"""Which names stand in which module."""
import sys

from . import (dtypes, errors, graph, host, ipu_compiler, ipu_config, names, operations, scopes, session, structure,
               variables)

VERSION = "2.6.3"


def _types():
    return {("string" if name == "string" else name): value for name, value in dtypes.ALL.items()} | {
        "DType": dtypes.DType, "TensorShape": dtypes.TensorShape, "TensorSpec": dtypes.TensorSpec,
        "as_dtype": dtypes.as_dtype, "Tensor": graph.Tensor, "newaxis": None}


def _device_types(of):
    return _types()


def _logging():
    levels = {"DEBUG": 10, "INFO": 20, "WARN": 30, "WARNING": 30, "ERROR": 40, "FATAL": 50}
    return {**levels, "set_verbosity": host.set_log_level,
            "info": lambda text, *args: host.log("INFO", text % args if args else text),
            "warning": lambda text, *args: host.log("WARNING", text % args if args else text),
            "warn": lambda text, *args: host.log("WARNING", text % args if args else text),
            "error": lambda text, *args: host.log("ERROR", text % args if args else text)}


def _ignored(*args, **kwargs):
    """Accepted, without meaning here."""


def _operations_everywhere(module):
    math = operations.MATH
    names.module(module, {**operations.TOP, **{k: v for k, v in math.items() if k not in (
        "log", "erf", "rsqrt", "ceil", "softplus", "softsign", "reciprocal")},
        "nest": None})
    names.module(module + ".math", {**math, "ceil": math["ceil"], "log_softmax": operations.log_softmax,
                                    "softmax": operations.softmax})
    names.module(module + ".nn", operations.NN)
    names.module(module + ".nest", {"flatten": structure.flatten, "map_structure": structure.map_structure,
                                    "pack_sequence_as": structure.pack_like})
    names.module(module + ".dtypes", _types())
    names.module(module + ".errors", errors.NAMES)
    names._modules[module].pop("nest")


def _tensorflow_1():
    module = "tensorflow.compat.v1"
    _operations_everywhere(module)
    math = operations.MATH
    names.module(module, {
        **_types(), "log": math["log"], "erf": math["erf"], "rsqrt": math["rsqrt"], "div": operations.divide,
        "placeholder": graph.placeholder, "Session": session.Session, "InteractiveSession": session.InteractiveSession,
        "ConfigProto": session.ConfigProto, "Graph": graph.Graph, "Operation": graph.Operation,
        "get_default_graph": graph.current, "get_default_session": session.default,
        "reset_default_graph": graph.reset_default, "group": graph.group, "no_op": graph.group,
        "device": scopes.device, "control_dependencies": scopes.control_dependencies,
        "name_scope": scopes.name_scope, "variable_scope": variables.variable_scope,
        "get_variable": variables.get_variable, "get_variable_scope": variables.get_variable_scope,
        "VariableScope": variables.VariableScope, "Variable": variables.variable,
        "AUTO_REUSE": variables.AUTO_REUSE, "global_variables": variables.global_variables,
        "trainable_variables": variables.trainable_variables, "local_variables": variables.local_variables,
        "global_variables_initializer": variables.global_variables_initializer,
        "initialize_all_variables": variables.global_variables_initializer,
        "local_variables_initializer": graph.group, "variables_initializer": variables.variables_initializer,
        "assign": lambda ref, value, **unused: ref.assign(value),
        "assign_add": lambda ref, value, **unused: ref.assign_add(value),
        "assign_sub": lambda ref, value, **unused: ref.assign_sub(value),
        "get_collection": lambda key, scope=None: graph.current().get_collection(key),
        "add_to_collection": lambda name, value: graph.current().add_to_collection(name, value),
        "to_float": lambda x, name=None: operations.cast(x, "float32"), "set_random_seed": _set_seed,
        "disable_v2_behavior": graph.disable_eager, "disable_eager_execution": graph.disable_eager,
        "enable_resource_variables": _ignored, "disable_resource_variables": _ignored,
        "executing_eagerly": graph.executing_eagerly, "__version__": VERSION,
        **{f"{name}_initializer": make for name, make in variables.INITIALIZERS.items()}})
    names.module(module + ".initializers", variables.INITIALIZERS)
    names.module(module + ".logging", _logging())
    names.module(module + ".train", {"get_or_create_global_step": variables.get_or_create_global_step})


def _set_seed(seed):
    graph.current().seed = int(seed)


def _ipu():
    ipu = "tensorflow.python.ipu"
    config = {name: getattr(ipu_config, name) for name in (
        "IPUConfig", "SelectionOrder", "DeviceConnectionType", "ExecutionProfileType", "SchedulingAlgorithm",
        "MergeRemoteBuffersBehaviour", "StochasticRoundingBehaviour", "configure_ipu_system",
        "reset_ipu_configuration", "get_ipu_config")}
    names.module(ipu + ".config", config)
    names.module(ipu + ".utils", config, move_variable_initialization_to_cpu=_ignored, reset_ipu_seed=_ignored,
                 get_num_of_ipus_in_device=lambda ipu_device, device="cpu": ipu_config.ipus()[0],
                 running_on_ipu_model=ipu_config.using_ipu_model,
                 extract_all_strings_from_event_trace=lambda events: "")
    names.module(ipu + ".scopes", {name: getattr(scopes, name) for name in ("ipu_scope", "ipu_shard", "ipu_jit_scope")})
    names.module(ipu + ".ipu_compiler", compile=ipu_compiler.compile)
    names.module(ipu + ".loops", repeat=ipu_compiler.repeat)
    names.module("tensorflow.compiler.plugin.poplar.ops.gen_ipu_ops",
                 ipu_event_trace=lambda name=None: graph.current().add("constant", [], {"value": _no_events()},
                                                                        [("string", (0,))], "ipu_event_trace").outputs[0])


def _no_events():
    import numpy as np
    return np.array([], object)


def install():
    """Makes the modules those that the script imports."""
    _tensorflow_1()
    _ipu()
    sys.meta_path.insert(0, names.Finder())
