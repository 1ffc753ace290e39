# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.function, tf.Variable of TensorFlow 2, and what IPUStrategy.run makes of a function: one program."""
import functools
import itertools
import sys
import types

import numpy as np

from . import compiled, compiler as ipu_compiler, conversions, device_loops, lowering, model_weights
from ..tensors import graph, known_values
from .. import errors, ipu_config
from ..dtypes import TensorSpec
from ..tensors.graph import EagerTensor, GraphTensor, Operation, Tensor
from ..structure import flatten, map_structure, pack_like
from .variable_base import HostVariable
from ..operations import constraints


class EagerVariable(HostVariable):
    """A variable that is no part of a model."""

    _numbers = itertools.count()

    def __init__(self, initial_value=None, trainable=True, validate_shape=True, caching_device=None, name=None,
                 variable_def=None, dtype=None, import_scope=None, constraint=None, synchronization=None,
                 aggregation=None, shape=None, key=None):
        self.constraint = constraints.get_constraint(constraint)
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        value = initial_value() if callable(initial_value) else initial_value
        self.store = None  # of the program or the model that has it; else it has its values itself
        self.own = np.array(graph.convert(value, dtype).value)
        self.trainable, self.shaped = trainable, validate_shape and shape is None
        self.key = key or f"{name or 'Variable'}_{next(self._numbers)}"
        self.name = f"{name or 'Variable'}:0"
        self.resource = True

    @property
    def array(self):
        return self.own if self.store is None else self.store.get(self.key).astype(self.own.dtype)

    @array.setter
    def array(self, value):
        self.own = value
        if self.store is not None:
            self.store.set(self.key, value)

    def adopt(self, store):
        """From here on its values are in `store`."""
        if self.store is store:
            return
        value = self.array
        self.store = store
        if self.key in store:
            store.set(self.key, value)
        else:
            store.make(self.key, value)

    dims = property(lambda self: self.own.shape)
    dtype = property(lambda self: graph.as_dtype(self.own.dtype))

    def first_values(self):
        return self.array

    def put(self, value):
        self.__dict__.pop("of_replicas", None)  # what each had
        self.array = np.array(value, self.array.dtype)


class Function:
    """tf.function: traced where it runs on an IPU; else it is Python's own function. `autograph`: whether its `if`s may be on
    tensors there."""


    def __init__(self, function, autograph=True, input_signature=None):
        functools.update_wrapper(self, function)
        self.python_function, self.autograph, self.input_signature = function, autograph, input_signature

    def get_concrete_function(self, *args, **kwargs):
        """The function of tensors of these shapes and types; what else it is given is settled."""
        return ConcreteFunction(self, args or tuple(self.input_signature or ()), kwargs)

    def __call__(self, *args, **kwargs):
        if self.input_signature is not None and len(args) <= len(self.input_signature):
            args = [_fitting(spec, each) for spec, each in zip(self.input_signature, args)]
        return self.traced_call(args, kwargs)

    def traced_call(self, args, kwargs):
        of_program = self.autograph and hasattr(graph.current(), "traced")
        function = conversions.converted(self.python_function) if of_program else self.python_function
        with graph.within_function():
            made = function(*args, **kwargs)
        return pack_like(made, list(map(_as_tensor, flatten(made)))) if graph.values_at_hand() else made

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundFunction(self, instance)


def _as_tensor(leaf):
    """What a function of the host gives: of numbers tensors."""
    return graph.convert(leaf) if isinstance(leaf, (bool, int, float, np.ndarray, np.generic)) else leaf


class BoundFunction(Function):
    """The same of a method."""

    def __init__(self, function, owner):
        super().__init__(function.python_function, function.autograph, function.input_signature)
        self.__func__, self.__self__ = function, owner

    def traced_call(self, args, kwargs):
        return self.__func__.traced_call((self.__self__, *args), kwargs)

    def __eq__(self, other):
        return isinstance(other, BoundFunction) and self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self):
        return hash((id(self.__func__), id(self.__self__)))


def _fitting(spec, given):
    """What is given for an argument of an input signature. Errors: ValueError where it has another type or shape."""
    if isinstance(spec, (list, tuple, dict)):
        return map_structure(_fitting, spec, given)
    if not isinstance(spec, TensorSpec):
        return given
    tensor = given if isinstance(given, Tensor) else graph.convert(np.asarray(given), spec.dtype)
    if tensor.dtype != spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
        raise ValueError(f"Python inputs incompatible with input_signature:\n  inputs: {given}\n  input_signature: {spec}")
    return tensor


class ConcreteFunction(Function):
    """tf.function(…).get_concrete_function(…)."""

    def __init__(self, function, args, kwargs):
        super().__init__(function.python_function, function.autograph)
        self.function, self.structured_input_signature = function, (tuple(map(_as_spec, args)), {key: _as_spec(each) for key, each in kwargs.items()})

    inputs = property(lambda self: [each for each in flatten(list(self.structured_input_signature)) if isinstance(each, TensorSpec)])

    def __call__(self, *args, **kwargs):
        settled, named = self.structured_input_signature
        given = iter(args)
        if len(args) < len(settled):  # what is settled already may be left out
            args = [next(given) if any(isinstance(leaf, TensorSpec) for leaf in flatten([each])) else each for each in settled]
        args = [_fitting(spec, each) for spec, each in zip(settled, args)] + list(args[len(settled):])
        return self.function(*args, **{key: _fitting(named.get(key), each) for key, each in {**named, **kwargs}.items()})


def _as_spec(given):
    return map_structure(lambda each: TensorSpec(each.shape, each.dtype) if isinstance(each, (Tensor, np.ndarray)) else each, given)


def function(func=None, input_signature=None, autograph=True, jit_compile=None, experimental_compile=None,
             reduce_retracing=None, experimental_relax_shapes=None, experimental_implements=None,
             experimental_autograph_options=None, experimental_follow_type_hints=None):
    made = functools.partial(Function, autograph=autograph, input_signature=input_signature)
    return made if func is None else made(func)


@graph.provides("over_range")
class DeviceRange(EagerTensor):
    """tf.range in a traced function, whose loops are the device's."""

    def __iter__(self):
        return device_loops.over(self.value, sys._getframe(1))


_programs = {}
_settled = {}  # the arguments and variables of functions that have to be known while they are traced, as the steps of a loop: a program for each value
_within = {}  # (function, what it has of around it, its defaults) by its code and by these


def within(function, args, kwargs):
    """What run() takes for a call of a plain function, which a tf.function that the host runs gives the IPU: the same program for a
    function that is defined anew in each call. Tensors that it has of around it are arguments, and all else is what it is now."""
    while isinstance(function, (functools.partial, types.MethodType)):
        if isinstance(function, functools.partial):
            args, kwargs, function = (*function.args, *args), {**function.keywords, **kwargs}, function.func
        else:
            args, function = (function.__self__, *args), function.__func__
    if isinstance(function, Function):
        return function, args, kwargs
    held = [_content(cell) for cell in getattr(function, "__closure__", None) or ()]
    settings = [*(getattr(function, "__defaults__", None) or ()),
                *(value for _, value in sorted((getattr(function, "__kwdefaults__", None) or {}).items()))]
    around = [each for each in held if isinstance(each, EagerTensor)]
    key = getattr(function, "__code__", function), tuple(
        EagerTensor if isinstance(each, EagerTensor) else id(each.__code__) if each is function else id(each) for each in held), \
        tuple(map(id, settings))
    if key not in _within:
        _within[key] = _with_around(function, held), held, settings
    return _within[key][0], (around, *args), kwargs


_EMPTY = object()  # of a name that has no value yet


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _with_around(function, held):
    """`function` of its arguments and, before them, the tensors that it has of around it; `held` are in the order of its cells."""
    def called(around, *args, **kwargs):
        made = function
        if isinstance(function, types.FunctionType):
            given = iter(around)
            cells = [types.CellType() if each is _EMPTY else types.CellType(next(given) if isinstance(each, EagerTensor) else each)
                     for each in held]
            made = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, tuple(cells))
            made.__kwdefaults__ = function.__kwdefaults__
            for cell, each in zip(cells, held):
                if each is function:
                    cell.cell_contents = made
        return Function(made)(*args, **kwargs)
    called.__name__ = getattr(function, "__name__", type(function).__name__)
    return Function(called, autograph=False)  # what it calls is


def _is_fed(given):
    """Whether a program is fed with what a function is given: with tensors and arrays, and not with variables, which it has itself."""
    return isinstance(given, (Tensor, np.ndarray, np.generic)) and not hasattr(given, "tensor_of_variable")


def _identity(given):
    """What tells programs apart that are made for other things than tensors."""
    if hasattr(given, "tensor_of_variable") and hasattr(given, "model"):  # whose model makes it anew for each list
        return id(given.model), given.key
    return given if isinstance(given, (int, float, str)) else id(given)


def run(fn, args, kwargs):
    """What `fn` gives, run as one program on the IPU."""
    kwargs = kwargs or {}
    leaves = flatten([list(args), kwargs])
    tensors = [graph.convert(each) for each in leaves if _is_fed(each)]
    for each in tensors:
        if each.dtype.name == "float64":
            raise TypeError(f"Unsupported type float64 in the inputs of the function: cast it to float32.")
    key = (fn, tuple((t.dtype.name, t.dims) for t in tensors),
           tuple(_identity(each) for each in leaves if not _is_fed(each)))
    settled = _settled.setdefault(key, {})
    while True:
        key_of_all = key, tuple((tensors[each].value if isinstance(each, int) else each.first_values()).tobytes() for each in settled)
        try:
            if key_of_all not in _programs or _programs[key_of_all].is_outdated():
                _programs[key_of_all] = _FunctionProgram(fn, args, kwargs, tensors, settled)
            return _programs[key_of_all].run([t.value for t in tensors])
        except known_values.Unknown as unknown:
            if unknown.settling <= settled.keys():
                raise
            settled.update(dict.fromkeys(unknown.settling))


def add_infeeds(lowered, operations):
    """The arguments come first among the feeds, then what is read from data sets."""
    for op in operations:
        if op.kind == "argument" and not op.graph.of_loop:
            lowered.id_of(op.outputs[0])
    for op in operations:
        if op.kind != "dequeue":
            continue
        if any(queue is op.attributes["queue"] for queue, _ in lowered.infeeds):
            raise _second_element()
        for index, tensor in enumerate(op.outputs):
            lowered.id_of(tensor)
            lowered.take_feed(tensor)
            lowered.infeeds.append((op.attributes["queue"], index))


def _second_element():
    return errors.UnimplementedError(message="a second next() of one iterator in a step, or a loop over a data set in a function that the device "
                                     "runs, is not there under tilescope run: put it into a loop over tf.range")


def conditions_of(operations):
    """Those by which elements of data sets are taken, which a program has to give."""
    return [op.attributes["counts"] for op in operations if op.kind == "dequeue" and "counts" in op.attributes]


def fetch_conditions(lowered, operations):
    for op in operations:
        if op.kind == "dequeue" and "counts" in op.attributes:
            lowered.taken[op.attributes["queue"]] = lowered.fetch(op.attributes["counts"])


def _is_computed(leaf):
    """Whether a program gives what a function returns: of metrics the host has the result."""
    return isinstance(leaf, GraphTensor) and leaf.op.kind != "metric_result"


def _of_host(leaf):
    """What the host gives: texts, and the results of metrics."""
    return leaf.op.attributes["metric"].result() if isinstance(leaf, GraphTensor) else graph.convert(leaf) if isinstance(leaf, str) else None


class _FunctionProgram:
    def __init__(self, fn, args, kwargs, tensors, settled=()):
        """`settled`: which of the tensors, by their numbers, and which variables are constants of the program."""
        self.inner, self.settled = graph.Graph(), frozenset(settled)
        self.inner.device, self.inner.seed, self.inner.traced = "/device:IPU:0", graph.current().seed, True
        self.inner.of_program = self.inner.in_order = True
        self.inner.observed = {}  # metrics, by what each step updates them
        self.inner.settled = {each: False for each in settled if not isinstance(each, int)}  # and whether loops have read them
        given = iter([self._constant(t) if i in self.settled else
                      self.inner.add("argument", [], {"index": i}, [(t.dtype, t.dims)], f"arg_{i}").outputs[0]
                      for i, t in enumerate(tensors)])
        self.kept = [each for each in flatten([list(args), kwargs]) if not _is_fed(each)]  # by whose identity it is known
        fill = lambda each: next(given) if _is_fed(each) else each
        packed = pack_like([list(args), kwargs], [fill(each) for each in flatten([list(args), kwargs])])
        with self.inner.as_default():
            self.returned = fn(*packed[0], **packed[1])
            self.leaves = [each if isinstance(each, (GraphTensor, Operation, str, type(None))) else graph.symbolic(each)
                           for each in flatten(self.returned if self.returned is not None else [])]
        device_loops.check_ended(self.inner)
        known_values.check_settled(self.inner)
        self.settings = [(op.attributes["optimizer"], op.attributes["workload"])
                         for each in (self.inner, *compiled.bodies_of(self.inner)) for op in each.operations_ if op.kind == "minimize"]
        self.configuration = ipu_config.changes()
        name = getattr(fn, "__name__", "function")
        effects = [op for op in self.inner.operations_ if op.kind in (*ipu_compiler.EFFECTS, "repeat")]
        self.looped = None
        if any(op.kind == "repeat" for op in effects):
            outputs = [*filter(_is_computed, self.leaves), *self.inner.observed.values()]
            self.counted, self.of_counts = compiled.counted_in([*outputs, *effects]), {}
            self.looped = functools.partial(compiled.Compiled, [*outputs, *effects], outputs, name, graph.current().seed or 1, self)
            return
        lowered = lowering.Lowering(name, graph.current().seed or 1)
        add_infeeds(lowered, self.inner.operations_)
        needed = lowering.reachable([*filter(_is_computed, self.leaves), *effects, *self.inner.observed.values(), *conditions_of(self.inner.operations_)],
                                    lambda op: True)
        lowered.make_room(needed)
        for op in needed:
            if op.kind not in lowering.HOST_KINDS:
                lowered.add(op)
        self.places = [lowered.fetch(each) for each in self.leaves if _is_computed(each)]
        fetch_conditions(lowered, self.inner.operations_)
        self.observed = {metric: lowered.fetch(each) for metric, each in self.inner.observed.items()}
        self.program = lowering.DeviceProgram(lowered, self.weights_for(lowered), 1, name)

    def _constant(self, tensor):
        with self.inner.as_default():
            return graph.symbolic(tensor)

    def is_outdated(self):
        """Whether IPUs are configured otherwise now, or an optimiser that it applies is, as by another rate."""
        return self.configuration != ipu_config.changes() or any(optimizer.workload() != then for optimizer, then in self.settings)

    def check_variables(self, lowered):
        """TensorFlow 2's variables have their values from the beginning."""

    @staticmethod
    def value_of(variable):
        return variable.array

    def weights_for(self, lowered):
        """The model's weights, where the variables are from here on."""
        store = self._store(lowered)
        for optimizer, _ in lowered.updated:
            optimizer._begins_in(store)
        for variable in lowered.read:
            variable.adopt(store)
        return store

    @staticmethod
    def _store(lowered):
        return model_weights.common_store(list(dict.fromkeys(lowered.keras)), lowered.prefixes)

    def run(self, arrays):
        if self.looped is not None:
            counts = compiled.counts(self.counted, arrays, self)
            if counts not in self.of_counts:
                self.of_counts[counts] = self.looped(dict(counts))
            made = self.of_counts[counts].run(arrays)
            values = iter([EagerTensor(each) for each in made])
            for metric, value in zip(self.inner.observed, made[len(made) - len(self.inner.observed):]):
                metric.add(value)
        else:
            self.program.adopt()
            outputs = self.program.run([each for i, each in enumerate(arrays) if i not in self.settled])
            values = iter([EagerTensor(outputs[place]) for place in self.places])
            for metric, place in self.observed.items():
                metric.add(outputs[place])
        leaves = [next(values) if _is_computed(each) else _of_host(each) for each in self.leaves]
        return None if self.returned is None else pack_like(self.returned, leaves)


class DatasetIterator:
    """iter(dataset): elements on the host, and in a traced function what the device reads."""

    def __init__(self, dataset):
        self.dataset, self.running = dataset, dataset.arrays()

    def __iter__(self):
        return self

    def __next__(self):
        if graph.executing_eagerly():
            return self.dataset._element(next(self.running))
        since = itertools.takewhile(lambda op: op.kind != "repeat", reversed(graph.current().operations_))
        if any(op.kind == "dequeue" and op.attributes["queue"] is self for op in since):  # a loop would never end
            raise _second_element()
        return self.dataset.element_of("dequeue", {"queue": self}, "dequeue")

    def get_next(self):
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError(message="End of sequence") from None

    def get_next_as_optional(self):
        from .. import failures
        raise failures.refused("get_next_as_optional() of an iterator", "use next(iterator, None)")

    def next_element(self):
        element = next(self.running, None)
        if element is None:
            raise errors.OutOfRangeError(message="End of sequence")
        return element

    def put_back(self, elements):
        """Takes elements that come next again."""
        self.running = itertools.chain(elements, self.running)
