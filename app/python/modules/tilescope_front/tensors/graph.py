# SPDX-License-Identifier: GPL-3.0-or-later
"""Deferred graphs, as TensorFlow 1 has them, and tensors of the host. A node is an operator of the engine, or a kind of a session's own."""
import contextlib
import itertools
import re
import threading

import numpy as np

from . import open_sessions, operation_names, references
from .. import errors, host
from ..dtypes import TensorShape, as_dtype, float32
from ..structure import flatten

DEVICE_TYPES = ("float32", "float16", "int32", "int64", "bool")  # whole numbers of 64 bits are of 32 there


_provided = {}


def provides(name):
    """Says of a function of a later package that tensors need it: by this name, in `_provided`."""
    def provide(function):
        _provided[name] = function
        return function
    return provide


def over_range(values):
    """tf.range in a function that is traced, whose loops are the device's."""
    return _provided["over_range"](values)


_functions = 0


@contextlib.contextmanager
def within_function():
    """While a tf.function runs, or is traced."""
    global _functions
    _functions += 1
    try:
        yield
    finally:
        _functions -= 1


def runs_function():
    """Whether one does."""
    return _functions > 0


def in_scope(values, scope):
    """Those whose names begin as a regular expression says; None: all."""
    return [each for each in values if scope is None or hasattr(each, "name") and re.match(scope, each.name)]


class Tensor(references.Referenced):
    """What graph tensors and tensors of the host have in common. operations.operators gives them those of Python."""

    __array_priority__ = 100
    shape = property(lambda self: TensorShape(self.dims))

    def get_shape(self):
        return self.shape

    def __hash__(self):
        return id(self)


def has_equality():
    """Whether == compares numbers, as in TensorFlow 2."""
    return _eager


class HostValue:
    """What a tensor can do whose `value`, an array of NumPy, is at hand."""

    def numpy(self):
        return self.value[()]

    def __array__(self, dtype=None):
        return self.value if dtype is None else self.value.astype(dtype)

    def __float__(self):
        return float(self.value)

    def __int__(self):
        return int(self.value)

    def __index__(self):
        return self.value.__index__()

    def __bool__(self):
        return bool(self.value)

    def __format__(self, spec):
        return format(self.value[()], spec)


class EagerTensor(HostValue, Tensor):
    """A tensor of the host: NumPy's array, with TensorFlow's manners."""

    def __init__(self, value):
        self.value = np.asarray(value)

    dims = property(lambda self: self.value.shape)
    dtype = property(lambda self: as_dtype(self.value.dtype))
    ndim = property(lambda self: self.value.ndim)
    device = "/job:localhost/replica:0/task:0/device:CPU:0"

    def set_shape(self, shape):
        wanted = TensorShape(shape)
        if not wanted.is_compatible_with(self.shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {wanted}.")

    def __len__(self):
        return len(self.value)

    def __iter__(self):
        return (EagerTensor(each) for each in self.value)

    def __repr__(self):
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={self.value[()]!r}>"

    def __str__(self):
        return f"tf.Tensor({self.value}, shape={self.shape}, dtype={self.dtype.name})"


class Operation:
    """A node of a graph."""

    known, is_unknown = None, False  # its values, where they were found to follow from constants; whether they were found not to

    def __init__(self, graph, kind, inputs, attributes, types, name):
        self.graph, self.kind, self.inputs = graph, kind, list(inputs)
        self.attributes = dict(attributes)
        self.name = graph.unique(name or operation_names.name_of(kind))
        self.device = graph.device
        self.shard, self.of_host, self.rounding = graph.shard, graph.of_host, graph.rounding
        self.control_inputs = list(graph.control)
        self.outputs = [graph.tensor_type(self, i, as_dtype(dtype), dims) for i, (dtype, dims) in enumerate(types)]
        self.number = next(graph.numbers)
        if kind == "keras" and attributes.get("model") is not None:
            graph.outermost().keras_models[id(attributes["model"])] = attributes["model"]
        graph.operations_.append(self)

    on_ipu = property(lambda self: "IPU" in (self.device or "").upper())
    type = property(lambda self: operation_names.TYPES.get(self.kind, self.kind))

    def run(self, feed_dict=None, session=None):
        return (session or open_sessions.default()).run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"


class GraphTensor(Tensor):
    """An output of a node."""

    def __init__(self, op, index, dtype, dims):
        self.op, self.value_index, self.dtype = op, index, dtype
        self.dims = None if dims is None else tuple(dims)

    name = property(lambda self: f"{self.op.name}:{self.value_index}")
    graph = property(lambda self: self.op.graph)
    device = property(lambda self: self.op.device or "")

    def set_shape(self, shape):
        self.dims = TensorShape(shape).dims_

    def eval(self, feed_dict=None, session=None):
        return (session or open_sessions.default()).run(self, feed_dict)

    def __bool__(self):
        raise TypeError("using a `tf.Tensor` as a Python `bool` is not allowed in Graph execution. Choose with tf.cond or tf.where: "
                        "an `if` is made into operations where both its branches only give names values, in functions of tf.function.")

    def __iter__(self):
        if not self.dims or self.dims[0] is None:
            raise TypeError("Tensor objects are only iterable when eager execution is enabled.")
        return (self[i] for i in range(self.dims[0]))

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self._shown_shape()} dtype={self.dtype.name}>"

    def __str__(self):
        shape = "" if self.dims is None else f", shape={self._shown_shape()}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{f", device={self.device}" if self.device else ""})'

    def _shown_shape(self):
        """As version 1 has it where that was asked for."""
        return str(self.shape).replace("None", "?") if layers_follow() and self.dims is not None else str(self.shape)


class Graph:
    """Nodes in the order of their making, with the scopes that they are made in."""

    tensor_type = GraphTensor
    name = "graph"
    of_host = False  # whether what is made is of the host, within a program of the device
    rounding = None  # whether float16 is rounded at random in what is made, where a scope says that
    of_program = False  # one that runs step by step, as a whole
    micro_batches = 0  # of an update, where it is the body of a pipeline
    is_unrolled = False  # whether what is made is of a step among several that stand one after another
    of_loop = of_range = False  # the body of a loop on the device; of one over tf.range
    open_loops = 0  # over tf.range, whose bodies are being made
    open_tapes = 0  # GradientTapes that are taking what is made
    begin = None  # of the outermost of them
    in_order = False  # one of TensorFlow 2, where what is made after an update sees what it has updated
    of_tape = False  # one that the host computes, as far as its values are asked for
    above = None  # the graph that this one is within
    guards = ()  # of the branches of tf.cond around what is made
    numbers = itertools.count()  # of all graphs: a function's operations may use those of the graph around it

    def __init__(self):
        self.operations_ = []
        self.collections = {}
        self.names = {}
        self.prefix = ""
        self.device, self.shard, self.control, self.seed = "", -1, (), None
        self.variables = {}
        self.variable_scopes = []
        self.keras_models = {}  # whose layers are called in it, by their identity
        self.guarded = {}  # what variables have been assigned within branches of tf.cond

    def outermost(self):
        """The one that it is within at last, or itself: variables of a compiled function are shared with it."""
        here = self
        while here.above is not None:
            here = here.above
        return here

    def get_name_scope(self):
        return self.prefix.removesuffix("/")

    def unique(self, name):
        """A name that is not taken, in the scope around; letters of either case are the same there. One that ends in / has
        been taken before."""
        if name.endswith("/"):
            return name[:-1]
        full = own = self.prefix + name
        count = self.names.get(full.lower(), 0)
        self.names[full.lower()] = count + 1
        while count and own.lower() in self.names:
            own, count = f"{full}_{count}", count + 1
        self.names.setdefault(own.lower(), 1)
        return own

    @contextlib.contextmanager
    def made_within(self, scope):
        """A list that has, at its end, what is made within it: in a scope of this name."""
        made, first = [], len(self.operations_)
        with self.with_(prefix=scope + "/"):
            yield made
        made += self.operations_[first:]

    def add(self, kind, inputs, attributes, types, name=None):
        if self.begin is not None:
            inputs = [self.begin.seen_in(self, each) for each in inputs]
        if self.guards:
            attributes, inputs = self.guards[-1].made_within(self, kind, attributes, inputs)
        return Operation(self, kind, inputs, attributes, types, name)

    def node_of(self, tensor):
        """What stands for a tensor of the host in it; None for most."""
        return None

    def get_operations(self):
        return list(self.operations_)

    def find(self, name):
        operation, _, index = name.partition(":")
        for op in self.operations_:
            if op.name == operation:
                return op.outputs[int(index)] if index else op
        raise ValueError(f"Fetch argument {name!r} cannot be interpreted as a Tensor. (The name {name!r} refers to "
                         "a Tensor which does not exist.)")

    get_tensor_by_name = get_operation_by_name = find

    @contextlib.contextmanager
    def with_(self, **settings):
        before = {key: getattr(self, key) for key in settings}
        for key, value in settings.items():
            setattr(self, key, value)
        try:
            yield
        finally:
            for key, value in before.items():
                setattr(self, key, value)

    @contextlib.contextmanager
    def as_default(self):
        _open.graphs.append(self)
        try:
            yield self
        finally:
            _open.graphs.pop()

    def get_collection(self, name, scope=None):
        return in_scope(self.collections.get(name, []), scope)

    def add_to_collection(self, name, value):
        self.collections.setdefault(name, []).append(value)

    def keep_variables(self, names):
        """Forgets all others."""
        gone = {id(self.variables.pop(name)) for name in set(self.variables) - set(names)}
        self.collections = {name: [each for each in values if id(each) not in gone] for name, values in self.collections.items()}


class _Open(threading.local):
    """The graphs that a thread makes, on the one that all have."""

    def __init__(self):
        self.graphs = []


_default, _open, _eager = Graph(), _Open(), True


def current():
    return _open.graphs[-1] if _open.graphs else _default


def reset_default():
    global _default
    _default = Graph()


_at_once = 0


def executing_eagerly():
    """Whether operations on the host's tensors are computed at once: not inside of a graph."""
    return _at_once > 0 or (_eager and not _open.graphs)


def values_at_hand():
    """Whether the values of what is computed are there: at once, or when a tape's are asked for."""
    return executing_eagerly() or current().of_tape


@contextlib.contextmanager
def at_once():
    """Within it they are, whatever graph is being made: in functions of data sets."""
    global _at_once
    _at_once += 1
    try:
        yield
    finally:
        _at_once -= 1


def disable_eager():
    global _eager
    _eager = False


_follows = False


def disable_v2():
    """As TensorFlow 1 does: graphs, and layers of Keras of the element type of what they are first called on."""
    global _follows
    disable_eager()
    _follows = True


def layers_follow():
    return _follows


def is_tensor(x):
    """tf.is_tensor: variables are tensors, too."""
    return isinstance(x, Tensor) or hasattr(x, "tensor_of_variable")


def is_symbolic(value):
    return isinstance(value, GraphTensor)


def as_bytes(array):
    """Texts as tensors have them."""
    return np.char.encode(array, "utf-8").astype(object) if array.dtype.kind == "U" else array


def convert(value, dtype=None, like=None):
    """A tensor of a value: itself, or a constant."""
    if hasattr(value, "tensor_of_variable"):
        value = value.tensor_of_variable()
    if is_symbolic(value) and value.graph.of_tape and value.graph is not current():
        return value.at_hand()  # of a tape that has ended
    if isinstance(value, Tensor):
        watched = current().node_of(value)
        return value if watched is None else watched
    wanted = dtype or (like.dtype if like is not None else None)
    if isinstance(value, (list, tuple)) and not executing_eagerly() and any(map(is_tensor, flatten(value))):
        return _provided["packed"](value, wanted)
    array = np.asarray(value.value if isinstance(value, EagerTensor) else value)
    if array.dtype.kind == "U" and (wanted is None or as_dtype(wanted).name == "string"):
        array = as_bytes(array)
    elif wanted is not None:
        array = array.astype(as_dtype(wanted).as_numpy_dtype)
    elif array.dtype == np.float64 and not isinstance(value, (np.ndarray, np.generic)):
        array = array.astype(np.float32)
    elif array.dtype == np.int64 and not isinstance(value, (np.ndarray, np.generic)) and (
            not array.size or -2**31 <= array.min() and array.max() < 2**31):  # Python's numbers are of 32 bits, where those do
        array = array.astype(np.int32)
    return EagerTensor(array)


def symbolic(value, like=None, name=None):
    """The same as a tensor of the current graph."""
    tensor = convert(value, like=like)
    if is_symbolic(tensor):
        return tensor
    types = [(tensor.dtype, tensor.dims)]
    return current().add("constant", [], {"value": tensor.value}, types, name).outputs[0]


def own_type(name, inputs):
    """The element type of a result that the engine gives as `name`: that of the input which the engine has as such."""
    return next((each.dtype for each in inputs if each.dtype.in_engine == name), as_dtype(name))


_TYPES = {**dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), "bool"), "argmax": "int32"}


def node(kind, inputs, attributes=None, name=None, dtype=None):
    """An operation of the engine: its outputs. Shapes come from the engine; one that is open stays open. `dtype`: of what
    it makes, where that does not follow from the inputs."""
    attributes, here = attributes or {}, current()
    own = here.unique(name or operation_names.name_of(kind))
    with here.with_(prefix=own + "/"):
        inputs = [symbolic(each, name=side if len(inputs) == 2 else None) for each, side in zip(inputs, itertools.cycle("xy"))]
    for each in inputs:
        if each.dtype.name not in DEVICE_TYPES and "IPU" in here.device.upper():
            raise errors.no_kernel(own, each.dtype.name)
    if any(each.dims is None for each in inputs):
        types = None
    elif any(None in each.dims for each in inputs):
        from . import open_shapes
        types = open_shapes.inferred(kind, inputs, attributes)
    else:
        with errors.of_operands():
            types = host.run().infer_types(kind, [(each.dtype.in_engine, list(each.dims)) for each in inputs], attributes)
    if types is None:
        made = as_dtype(_TYPES[kind]) if kind in _TYPES else inputs[0].dtype
        return here.add(kind, inputs, attributes, [(dtype or made, None)], own + "/").outputs
    types = [(dtype or own_type(of_engine, inputs), dims) for of_engine, dims in types]
    return here.add(kind, inputs, attributes, types, own + "/").outputs


def typed(array, tensor):
    """What the engine made of a tensor, in the type that the script has given it."""
    return np.asarray(array).astype(tensor.dtype.as_numpy_dtype, copy=False)


def for_engine(array):
    """An array of the host, in a type that the engine has."""
    dtype = as_dtype(array.dtype)
    if dtype.in_engine == "int32" and array.dtype.itemsize >= 4 and array.dtype != np.int32 and array.size and (
            array.max() > 2**31 - 1 or array.min() < -2**31):
        from .. import failures
        raise failures.refused(f"an operation on whole numbers beyond 32 bits ({dtype.name})", "use NumPy")
    return array if dtype.in_engine == dtype.name else array.astype(dtype.in_engine)


def computed(kind, arrays, attributes, number=0):
    """The outputs of one operator for arrays of the host; what is drawn is that of step `number`."""
    made = _provided["computed_otherwise"](kind, arrays, attributes)
    if made is not None:
        return made
    if any(each.dtype == np.float64 for each in arrays):
        host.tell_once(f"tilescope: note: {kind} of float64 on the host is computed in float32")
    with errors.of_operands():
        return host.run().compute(kind, [for_engine(each) for each in arrays], attributes, number)


def apply(kind, inputs, attributes=None, name=None):
    """One operator of the engine on tensors: in a graph where one of them is of a graph, else at once."""
    tensors = [convert(each) for each in inputs]
    if any(is_symbolic(each) for each in tensors) or not executing_eagerly():
        return node(kind, tensors, attributes, name)
    made = computed(kind, [each.value for each in tensors], attributes or {})
    return [EagerTensor(each.astype(own_type(each.dtype.name, tensors).as_numpy_dtype, copy=False)) for each in made]


def placeholder(dtype, shape=None, name=None):
    dims = None if shape is None else TensorShape(shape).dims_
    return current().add("placeholder", [], {}, [(as_dtype(dtype), dims)], name or "Placeholder").outputs[0]


def placeholder_with_default(input, shape, name=None):
    """A placeholder that has the value of `input` where it is not fed."""
    default = symbolic(input)
    dims = TensorShape(shape).dims_
    return current().add("placeholder", [default], {}, [(default.dtype, dims)], name or "PlaceholderWithDefault").outputs[0]


def group(*inputs, name=None):
    return current().add("group", [], {"all": flatten(list(inputs))}, [], name or "group_deps")


DEFAULT = float32
