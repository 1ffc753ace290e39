# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.Session: runs what its fetches need, on the host and in device programs, each of which it compiles once."""
import numpy as np

import tilescope_engine as engine

from ..tensors import graph, open_shapes
from ..tracing import host_loops, lowering
from .. import errors, ipu_config
from ..tensors.open_sessions import OPEN
from ..tensors.graph import EagerTensor, GraphTensor, Operation, typed
from ..structure import flatten, pack_like


class ConfigProto:
    """Settings of a session; they have no meaning here, but for soft placement."""

    def __init__(self, **settings):
        from .. import messages
        self.gpu_options, self.graph_options = messages.GPUOptions(), messages.GraphOptions()
        self.__dict__.update(settings)

    allow_soft_placement = False


class Session:
    def __init__(self, target="", graph=None, config=None):
        self.graph = graph if graph is not None else globals()["graph"].current()
        self.config = config
        self.closed = False
        self.weights = engine.Weights()
        self.initialised = set()
        self.all_initialised = False
        self.programs = {}
        self.iterators = {}
        self.runs = 0

    def __enter__(self):
        OPEN.append(self)
        return self

    def __exit__(self, *exception):
        OPEN.remove(self)
        self.close()

    as_default = __enter__

    def close(self):
        self.closed = True

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self.closed:
            raise RuntimeError("Attempted to use a closed Session.")
        leaves = [self._fetch(each) for each in flatten(fetches)]
        if not self.graph.operations_:
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
        self.runs += 1
        step = _Step(self, _flat(feed_dict or {}))
        step.run_devices(leaves)
        values = [step.result(each) for each in leaves]
        step.finish()
        return pack_like(fetches, values)

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function of what is fed."""
        return lambda *values: self.run(fetches, dict(zip(feed_list or (), values)))

    def _fetch(self, given):
        if given is None:
            raise TypeError("Fetch argument None has invalid type <class 'NoneType'>")
        if isinstance(given, str):
            return self.graph.find(given)
        if hasattr(given, "tensor_of_variable"):
            with self.graph.as_default():
                return given.read_op.outputs[0] if hasattr(given, "read_op") else given.tensor_of_variable()
        if isinstance(given, EagerTensor):  # what is known when the graph is made
            with self.graph.as_default():
                return graph.symbolic(given)
        if isinstance(given, (GraphTensor, Operation)):
            return given
        raise TypeError(f"Fetch argument {given!r} has invalid type {type(given)}, must be a string or Tensor.")

    def has_initialised(self, variable):
        return self.all_initialised or variable.key in self.initialised

    def check_initialised(self, variable):
        if not self.has_initialised(variable):
            raise errors.FailedPreconditionError(message=f"Error while reading resource variable {variable.key} from "
                                                 "Container: localhost. This could mean that the variable was "
                                                 "uninitialized.")

    def weights_for(self, lowered):
        return self.weights

    def check_variables(self, lowered):
        """That something has been initialised, where a program has variables."""
        if (lowered.variables or lowered.keras) and not (self.all_initialised or self.initialised):
            name = next(iter(lowered.variables), "of a layer")
            raise errors.FailedPreconditionError(message=f"Error while reading resource variable {name} from "
                                                 "Container: localhost. This could mean that the variable was "
                                                 "uninitialized.")

    def initialise(self, variables):
        if variables is None:  # those of layers and optimizers as well
            self.weights = engine.Weights()
            self.programs = {}
            self.all_initialised = True
            return
        for variable in variables:
            self.set_variable(variable, variable.first_values())

    def value_of(self, variable):
        self.check_initialised(variable)
        if hasattr(variable, "of_count"):
            return variable.of_count(self.weights.get(variable.count) if variable.count in self.weights else 0)
        if variable.key not in self.weights:
            self.set_variable(variable, variable.first_values())
        return self.weights.get(variable.key).astype(variable.dtype.as_numpy_dtype)

    def set_variable(self, variable, value):
        self.initialised.add(variable.key)
        variable.__dict__.pop("of_replicas", None)  # what each had
        array = np.asarray(value, variable.dtype.in_engine).reshape(variable.dims)
        if hasattr(variable, "count_of"):
            self._set(variable.count, np.asarray(variable.count_of(array), np.float32))
        else:
            self._set(variable.key, array)

    def _set(self, key, array):
        if key in self.weights:
            self.weights.set(key, array)
        else:
            self.weights.make(key, array)


class InteractiveSession(Session):
    def __init__(self, **arguments):
        super().__init__(**arguments)
        OPEN.append(self)


class _Step:
    """One call of Session.run."""

    def __init__(self, session, feeds):
        self.session, self.number = session, session.runs
        self.values = {}
        self.elements = {}  # of iterators: one for all that ask in this step
        self.assigned = []
        self.done = set()  # by the device's program: what assigns, updates and enqueues
        for tensor, value in feeds.items():
            tensor = session.graph.find(tensor) if isinstance(tensor, str) else tensor
            self.values[tensor] = _fed(tensor, value)

    def run_devices(self, leaves):
        """One program of all that is wanted from operations on the IPU that no function holds together."""
        needed = lowering.reachable(leaves, lambda op: op.outputs[:1] == [] or op.outputs[0] not in self.values)
        on_device = {op.number for op in needed if op.on_ipu and _is_of_programs(op)}
        if any(op.kind not in ("constant", "read", "group") for op in needed if op.number in on_device):
            self._check_placement(needed, on_device)
            self._run_program(leaves, needed, on_device, False)
        updates = [op for op in needed if op.kind in _OF_HOST_PROGRAMS and op.number not in on_device]
        if updates:  # of the host
            led = lowering.reachable(updates, lambda op: not op.outputs or op.outputs[0] not in self.values)
            self._run_program(leaves, needed, {op.number for op in led if _is_of_programs(op)} - on_device, True)

    def _run_program(self, leaves, needed, on_device, of_host):
        """One program of the operations of the numbers `on_device`: their results, and what they leave behind."""
        wanted = [t for t in leaves if isinstance(t, GraphTensor) and t.op.number in on_device]
        for op in needed:
            if op.number not in on_device:
                wanted += [t for t in op.inputs if t.op.number in on_device]
        wanted = list(dict.fromkeys(wanted))
        actions = [op for op in needed if op.number in on_device and op.kind in ("assign", "minimize", "enqueue")]
        open_ = tuple(value.shape for tensor, value in self.values.items()
                      if isinstance(value, np.ndarray) and (tensor.dims is None or None in tensor.dims))
        key = (tuple(map(id, wanted)), tuple(map(id, actions)), open_, ipu_config.changes())
        if key not in self.session.programs:
            lowered = lowering.Lowering("cluster", _seed(self.session.graph))
            lowered.shape_of = lambda tensor: np.shape(self.value(tensor))
            of_program = lowering.reachable(wanted + actions, lambda op: op.number in on_device)
            lowered.make_room(of_program)
            lowered.swaps_engine = any(op.attributes.get("swaps_engine") for op in of_program)
            for op in of_program:
                lowered.add(op)
            for tensor in wanted:
                lowered.fetch(tensor)
            self.session.programs[key] = lowering.DeviceProgram(lowered, self.session.weights, 1, "cluster",
                                                                   of_host=of_host)
        program = self.session.programs[key]
        for op in needed:
            if op.kind == "read":
                self.session.check_initialised(op.attributes["variable"])
        outputs = program.run([self.value(t) for t in program.lowering.feeds])
        self.done.update(actions)
        self.values.update(zip(wanted, outputs[-len(wanted):] if wanted else []))

    def _check_placement(self, needed, on_device):
        soft = getattr(self.session.config, "allow_soft_placement", False)
        for op in needed:
            if op.number in on_device and not soft:
                errors.check_placement(op.attributes.get("variable"))

    def result(self, fetch):
        if isinstance(fetch, Operation):
            self.act(fetch)
            return None
        value = self.value(fetch)
        return value[()] if isinstance(value, np.ndarray) else value

    def act(self, op):
        if op in self.done:
            return
        if op.kind == "initialise":
            self.session.initialise(op.attributes["variables"])
        elif op.kind == "iterator_init":
            op.attributes["iterator"].restart(self)
        elif op.kind == "group":
            for each in op.attributes["all"]:
                self.act(each if isinstance(each, Operation) else each.op)
        elif op.kind == "compiled":
            self.compiled(op)
        elif op.kind == "python" and not op.outputs:
            self.done.add(op)
            self._python(op)
        elif op.kind == "print":
            self.done.add(op)
            if all(bool(self.value(graph.symbolic(guard.pred))) == guard.is_taken for guard in op.attributes["guards"]):
                op.attributes["queue"].show([self.value(each) for each in op.inputs])
        elif op.outputs:
            self.value(op.outputs[0])

    def value(self, tensor):
        if tensor in self.values:
            return self.values[tensor]
        op = tensor.op
        for before in op.control_inputs:
            self.act(before)
        values = getattr(self, "_" + op.kind, self._operator)(op)
        for output, value in zip(op.outputs, values):
            self.values[output] = value
        return self.values[tensor]

    def _operator(self, op):
        given = [self.value(t) for t in op.inputs]
        settled = open_shapes.settle(op.kind, op.attributes, given[0].shape) if given else op.attributes
        made = graph.computed(op.kind, given, settled, self.number)
        return [typed(each, output) for each, output in zip(made, op.outputs)]

    def _shape(self, op):
        return [np.asarray(np.shape(self.value(op.inputs[0])), op.outputs[0].dtype.as_numpy_dtype)]

    def _constant(self, op):
        return [op.attributes["value"]]

    def _python(self, op):
        return op.attributes["function"](*[self.value(each) for each in op.inputs])

    def _identity(self, op):
        return [self.value(op.inputs[0])]

    def _cast(self, op):
        return [self.value(op.inputs[0]).astype(op.outputs[0].dtype.as_numpy_dtype)]

    def _placeholder(self, op):
        if op.inputs:
            return [self.value(op.inputs[0])]
        raise errors.InvalidArgumentError(message=f"You must feed a value for placeholder tensor '{op.name}' with "
                                          f"dtype {op.outputs[0].dtype.name}")

    def _read(self, op):
        variable = op.attributes["variable"]
        if op.attributes.get("ordered"):
            for each, value in reversed(self.assigned):
                if each is variable:
                    return [value]
        return [self.session.value_of(variable)]

    def _assign(self, op):
        value = self.value(op.inputs[0])
        self.assigned.append((op.attributes["variable"], value))
        return [value]

    def _uninitialised(self, op):
        if "variable" in op.attributes:
            return [np.asarray(self.session.has_initialised(op.attributes["variable"]))]
        names = [each.name.partition(":")[0].encode() for each in op.attributes["variables"] if not self.session.has_initialised(each)]
        return [np.array([*names, None], object)[:-1]]

    def _between_instances(self, op):
        from ..ipu import distributed
        return [distributed.combined(self.value(op.inputs[0]), op.attributes["how"])]

    def _iterator(self, op):
        iterator = op.attributes["iterator"]
        if iterator not in self.elements:
            self.elements[iterator] = iterator.next_arrays(self)
        return self.elements[iterator]

    def _benchmark(self, op):
        return [op.attributes["benchmark"].run(self)]

    def _outfeed_dequeue(self, op):
        return op.attributes["queue"].take()

    def compiled(self, op):
        if op in self.values:
            return
        self.values[op] = True
        for output, value in zip(op.outputs, self.run_compiled(op)):
            self.values[output] = value

    def _compiled(self, op):
        return self.run_compiled(op)

    def run_compiled(self, op):
        from ..tracing import compiled
        given, programs = [self.value(t) for t in op.inputs], self.session.programs
        counts = compiled.counts_of(op, given, self.session, self.value)
        key = (op, ipu_config.changes(), counts)
        if key not in programs:
            programs[key] = compiled.load(op, self.session, _seed(self.session.graph), counts)
        return programs[key].run(given, self.value)

    def _while(self, op):
        return host_loops.run(op, _LoopStep, self)

    def finish(self):
        for variable, value in self.assigned:
            self.session.set_variable(variable, value)


class _LoopStep(_Step):
    """A step of a loop of the host, in one call of Session.run."""

    def __init__(self, around, body, given, number):
        super().__init__(around.session, {})
        self.around, self.body, self.given, self.assigned = around, body, given, around.assigned
        self.number = (around.number << 20) + number + 1  # by which it draws

    def value(self, tensor):
        return super().value(tensor) if tensor.op.graph is self.body else self.around.value(tensor)

    def _argument(self, op):
        return [self.given[op.attributes["index"]]]

    def _read(self, op):
        """What the steps before have assigned counts."""
        assigned = [value for each, value in self.assigned if each is op.attributes["variable"]]
        return assigned[-1:] or super()._read(op)


_OF_HOST_PROGRAMS = {"minimize", "keras", "compared", "ctc_loss", "gradients"}  # which the engine computes in a program alone
_SESSION_KINDS = {"print", "python", "initialise", "iterator_init", "compiled", "outfeed_dequeue", "while", "uninitialised"}


def _is_of_programs(op):
    """Whether a program of the device computes it, not the session itself."""
    return op.kind not in _SESSION_KINDS and op.kind not in lowering.HOST_KINDS


def _seed(of_graph):
    return of_graph.seed if of_graph.seed is not None else 1


def _flat(feeds):
    """Feeds whose tensors are in tuples, as states of recurrent cells are, each by itself."""
    made = {}
    for tensor, value in feeds.items():
        if isinstance(tensor, tuple):
            parts, values = flatten(tensor), flatten(value if isinstance(value, (tuple, list)) else list(value))
            if len(parts) != len(values):
                raise ValueError(f"Cannot feed {len(values)} values for {len(parts)} tensors.")
            made.update(zip(parts, values))
        else:
            made[tensor] = value
    return made


def _fed(tensor, value):
    if isinstance(value, graph.Tensor) and not isinstance(value, EagerTensor):
        raise TypeError("The value of a feed cannot be a tf.Tensor object.")
    array = np.asarray(value, tensor.dtype.as_numpy_dtype)
    dims = tensor.dims
    if dims is not None and (len(dims) != array.ndim or any(d not in (None, n) for d, n in zip(dims, array.shape))):
        raise ValueError(f"Cannot feed value of shape {array.shape} for Tensor {tensor.name!r}, which has shape "
                         f"'{tensor.shape}'")
    return array
