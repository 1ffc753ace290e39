# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of TensorFlow 1's graphs, and what get_variable() gives in their scopes."""
import contextlib

import numpy as np

from ..operations import constraints, elementary as operations, initializers, keras_initializers
from ..tensors import graph, open_sessions, repeated_steps
from . import variable_scopes
from ..dtypes import TensorShape, as_dtype, float32
from .variable_base import BaseVariable, check_assigned
from ..operations.control_flow import guarded

GLOBAL, TRAINABLE, LOCAL = "variables", "trainable_variables", "local_variables"


class GraphVariable(BaseVariable):
    """A variable of a graph; sessions keep its values."""

    def __init__(self, name, shape, dtype, first, trainable, resource, collection=GLOBAL):
        here = graph.current()
        self.name, self.dtype, self.dims, self.trainable = name + ":0", dtype, tuple(shape), trainable
        self.key, self.first, self.resource = name, first, resource
        self.device, self.graph = here.device, here
        self.read_op = here.add("read", [], {"variable": self}, [(dtype, shape)], name + "/Read/ReadVariableOp")
        self.read_op.name = name
        self.initializer = here.add("initialise", [], {"variables": [self]}, [], name + "/Assign")
        if collection is not None:
            here.add_to_collection(collection, self)
        if trainable:
            here.add_to_collection(TRAINABLE, self)

    op = property(lambda self: self.read_op)

    def tensor_of_variable(self):
        inner = graph.current()
        if inner is self.graph and not inner.control:
            return self.read_op.outputs[0]
        if inner.control:
            return self.read_in_order()
        return inner.add("read", [], {"variable": self}, [(self.dtype, self.dims)], self.key).outputs[0]

    def read_in_order(self):
        """What it is after what the step has assigned before."""
        return graph.current().add("read", [], {"variable": self, "ordered": True}, [(self.dtype, self.dims)],
                                   self.key).outputs[0]

    def first_values(self):
        """An array; worked out by the engine where it is an initialiser."""
        if hasattr(self.first, "document"):
            return initializers.first_values(self.first, self.dims, self.dtype, self.key)
        if callable(self.first):
            return keras_initializers.first_values(self.first, self.dims, self.dtype, self.key)
        return np.asarray(self.first, self.dtype.as_numpy_dtype).reshape(self.dims)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        return _assign(self, graph.symbolic(value, like=self))

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        return _assign(self, self.read_in_order() + delta)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        return _assign(self, self.read_in_order() - delta)

    def load(self, value, session=None):
        (session or open_sessions.default()).set_variable(self, value)

    def eval(self, session=None):
        return (session or open_sessions.default()).run(self)

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def _assign(variable, value):
    if graph.current().of_program and not getattr(variable, "resource", True):
        raise NotImplementedError("Non-resource Variables are not supported inside XLA computations (operator name: "
                                  f"{variable.key}/Assign)")
    check_assigned(variable, value.dims)
    value = guarded(variable, value)
    op = graph.current().add("assign", [value], {"variable": variable}, [(variable.dtype, variable.dims)], "Assign")
    return op.outputs[0]


def _is_made_again(here, name):
    """Whether a step of an unrolled loop makes a variable that one before has made."""
    return any(name in each.made and name not in each.now for each in here.__dict__.get("repeated", ()))


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                 collections=None, caching_device=None, partitioner=None, validate_shape=True, use_resource=None,
                 custom_getter=None, constraint=None, synchronization=None, aggregation=None):
    scope = variable_scopes.get_variable_scope()
    getter = custom_getter or scope.custom_getter
    full = f"{scope.name}/{name}" if scope.name else name
    arguments = {"shape": shape, "dtype": dtype or scope.dtype or float32, "initializer": initializer,
                 "regularizer": scope.regularizer if regularizer is None else regularizer, "reuse": scope.reuse,
                 "trainable": True if trainable is None else trainable, "collections": collections,
                 "caching_device": caching_device, "partitioner": partitioner, "validate_shape": validate_shape,
                 "use_resource": use_resource, "constraint": constraint, "synchronization": synchronization,
                 "aggregation": aggregation}
    return _true_getter(full, **arguments) if getter is None else getter(_true_getter, full, **arguments)


def _true_getter(name, shape=None, dtype=None, initializer=None, regularizer=None, reuse=None, trainable=True,
                 collections=None, caching_device=None, partitioner=None, validate_shape=True, use_resource=None,
                 constraint=None, synchronization=None, aggregation=None):
    """What custom getters call, with what get_variable() was given, or what they make of it."""
    is_new = name not in graph.current().outermost().variables
    made = _get(name, shape, dtype or float32, initializer, trainable, use_resource, None, reuse)
    if is_new:
        _constrained(_collected(made, collections), constraint)
    _regularise(made, name, regularizer)
    return made


def _collected(variable, collections):
    """In the collections that a script names, or among the global ones."""
    here = graph.current().outermost()
    for name in [GLOBAL] if collections is None else collections:
        if not any(each is variable for each in here.get_collection(name)):
            here.add_to_collection(name, variable)
    return variable


def _constrained(variable, constraint):
    if constraint is not None:
        variable.constraint = constraints.get_constraint(constraint)
    return variable


def _regularise(variable, name, regularizer):
    """What a regulariser adds to the loss is in a collection, once for a variable."""
    here = graph.current()
    done = here.__dict__.setdefault("regularised", set())
    if regularizer is None or variable in done:
        return
    done.add(variable)
    term = regularizer(variable)
    if term is not None:
        with here.with_(prefix=f"{name}/Regularizer/"):
            here.add_to_collection("regularization_losses", here.add("identity", [graph.symbolic(term)], {}, [
                (term.dtype, term.dims)], "regularizer").outputs[0])


def _get(name, shape=None, dtype=None, initializer=None, trainable=True, use_resource=None, collection=GLOBAL, reuse=variable_scopes.AUTO_REUSE):
    """The variable of a name. `reuse`: True, where it is there; False, where it is not; else in both cases."""
    scope, here = variable_scopes.get_variable_scope(), graph.current().outermost()
    known = here.variables.get(name)
    if known is not None and reuse is False and not _is_made_again(here, name):
        raise ValueError(f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                         "reuse=tf.AUTO_REUSE in VarScope?")
    if known is None and reuse is True:
        raise ValueError(f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to "
                         "set reuse=tf.AUTO_REUSE in VarScope?")
    for each in here.__dict__.get("repeated", ()):
        each.made |= {name} if known is None or reuse is False else set()
        each.now.add(name)
    dtype = as_dtype(dtype)
    if known is not None:
        if shape is not None and tuple(TensorShape(shape)) != known.dims:
            raise ValueError(f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found "
                             f"shape {known.shape}.")
        return known
    first = initializer if initializer is not None else scope.initializer
    if first is None:
        first = initializers.INITIALIZERS["glorot_uniform" if dtype.is_floating else "zeros"]()
    if hasattr(first, "makes_initializer"):
        first = first()
    if callable(first) and not isinstance(first, initializers.Initializer):
        first = first() if isinstance(first, type) or shape is None else first
    if shape is None:
        if isinstance(first, initializers.Initializer):
            raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was <unknown>.")
        first = _known(first)
        shape, dtype = first.shape, as_dtype(first.dtype)
    resource = use_resource if use_resource is not None else scope.resource
    device, shard = graph.current().device, graph.current().shard
    with graph_of(here), here.with_(device=device, shard=shard, prefix="", control=()):
        made = GraphVariable(name, tuple(TensorShape(shape)), dtype, first, trainable, bool(resource),
                             collection)
    here.variables[name] = made
    return made


def _known(value, dtype=None):
    """The array of a value that is known before a session runs."""
    tensor = graph.convert(value, dtype)
    array = operations.known_or_none(tensor, drawn=True)
    if array is None:
        raise ValueError(f"the first value of a variable is {tensor.name}, which a session would compute; give an "
                         "array, a constant or an initializer")
    return array


def _assignment(method):
    def assign(ref, value, validate_shape=None, use_locking=None, name=None):
        return getattr(ref, method)(value)
    assign.__name__ = method
    return assign


ASSIGNMENTS = {method: _assignment(method) for method in ("assign", "assign_add", "assign_sub")}


@contextlib.contextmanager
def graph_of(here):
    with here.as_default():
        yield


def variable(initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None,
             name=None, variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None,
             use_resource=None, synchronization=None, aggregation=None, shape=None):
    """tf.Variable of a graph: its name is made unique."""
    def make():
        here = graph.current().outermost()
        value = initial_value() if callable(initial_value) else initial_value
        first = _known(value, dtype)
        full, number = graph.current().prefix + (name or "Variable"), 0
        while full in here.variables:
            number += 1
            full = f"{graph.current().prefix}{name or 'Variable'}_{number}"
        made = _get(full, first.shape, as_dtype(first.dtype), first, True if trainable is None else trainable, use_resource, None)
        return _constrained(_collected(made, collections), constraint)
    return repeated_steps.name_in_step((name, "tf.Variable"), make)


def of_graph(name):
    """Those that a graph has made itself."""
    return graph.current().outermost().get_collection(name)


def of_keras_layers(trained):
    """The weights of Keras' layers that are called in a graph, each once."""
    models = graph.current().outermost().keras_models.values()
    return list({(id(model.store), each.key): each for model in models
                 for each in (model.trainable_variables if trained else model.variables)}.values())


def _collection(name):
    def function(scope=None):
        found = of_graph(name) + (of_keras_layers(name == TRAINABLE) if name != LOCAL else [])
        return graph.in_scope(found, scope)
    return function


_BY_KEY = {}


def get_collection(key, scope=None):
    """tf.get_collection: what a graph has under a name, with the weights of Keras' layers where it is one of variables."""
    return _BY_KEY[key](scope) if key in _BY_KEY else graph.current().get_collection(key, scope)


global_variables, trainable_variables, local_variables = (_collection(n) for n in (GLOBAL, TRAINABLE, LOCAL))
_BY_KEY.update({GLOBAL: global_variables, TRAINABLE: trainable_variables, LOCAL: local_variables})


def global_variables_initializer():
    return graph.current().add("initialise", [], {"variables": None}, [], "init")


def local_variables_initializer():
    return variables_initializer(local_variables(), "local_init")


def variables_initializer(var_list, name="init"):
    return graph.current().add("initialise", [], {"variables": list(var_list)}, [], name)


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of the variables that have no value yet when a session runs it."""
    listed = global_variables() + local_variables() if var_list is None else list(var_list)
    return graph.current().add("uninitialised", [], {"variables": listed}, [("string", (None,))], name).outputs[0]


def is_variable_initialized(variable):
    return graph.current().add("uninitialised", [], {"variable": variable}, [("bool", ())], "IsVariableInitialized").outputs[0]


def get_or_create_global_step(graph_=None):
    here = graph.current().outermost()
    if "global_step" not in here.variables:
        _get("global_step", (), as_dtype("int64"), np.int64(0), False, True)
    return here.variables["global_step"]
