# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu_compiler.compile and ipu.loops: functions that become device programs of their own."""
from . import errors, graph, lowering
from .graph import GraphTensor, Operation
from .structure import flatten, pack_like


def inner_graph(outer):
    """A graph for the body of a function: variables are those of the graph around it."""
    inner = graph.Graph()
    inner.above = outer
    inner.device, inner.shard, inner.seed = outer.device, outer.shard, outer.seed
    inner.variable_scopes = list(outer.variable_scopes)
    return inner


def _arguments(inner, tensors):
    return [inner.add("argument", [], {"index": i}, [(t.dtype, t.dims)], f"arg_{i}").outputs[0]
            for i, t in enumerate(tensors)]


def _traced(inner, function, arguments):
    with inner.as_default():
        returned = function(*arguments)
        leaves = [each for each in flatten(returned if returned is not None else []) if each is not None]
        return returned, [each if isinstance(each, (GraphTensor, Operation)) else graph.symbolic(each)
                          for each in leaves]


def compile(computation, inputs=None):
    """Makes a function one device program: the list of its output tensors."""
    outer = graph.current()
    if "IPU" not in outer.device.upper():
        raise Exception("The computation is not placed on an IPU: call ipu_compiler.compile within "
                        "`with ipu.scopes.ipu_scope(\"/device:IPU:0\"):`")
    tensors = [graph.symbolic(each) for each in flatten(list(inputs or []))]
    inner = inner_graph(outer)
    arguments = pack_like(list(inputs or []), _arguments(inner, tensors))
    returned, leaves = _traced(inner, computation, arguments)
    outputs = [each for each in leaves if isinstance(each, GraphTensor)]
    op = outer.add("compiled", tensors, {"outputs": outputs, "leaves": leaves},
                   [(t.dtype, t.dims) for t in outputs], getattr(computation, "__name__", "computation"))
    if not outputs:
        return op
    if isinstance(returned, dict):
        return pack_like(returned, op.outputs)
    return list(op.outputs)


def repeat(n, body, inputs=None, infeed_queue=None, use_while_v1=True):
    """A loop on the device: `body` gets the values of the step before, and an element of the infeed queue."""
    return loop_of(n, body, inputs, infeed_queue, {})


def loop_of(n, body, inputs, infeed_queue, schedule):
    """`schedule`: of a pipeline, whose inputs stay as they are."""
    outer = graph.current()
    inputs = [] if inputs is None else list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    tensors = [graph.symbolic(each) for each in inputs]
    inner = inner_graph(outer)
    arguments = _arguments(inner, tensors)
    keywords = {}
    fed = []
    if infeed_queue is not None:
        with inner.as_default():
            element = infeed_queue.traced_element()
        fed = flatten(element)
        if isinstance(element, dict):
            keywords = element
        else:
            arguments = arguments + list(element if isinstance(element, tuple) else (element,))
    returned, leaves = _traced(inner, lambda *given: body(*given, **keywords), arguments)
    outputs = [each for each in leaves if isinstance(each, GraphTensor)]
    if len(outputs) < len(tensors) and not schedule:
        raise TypeError(f"the body of the loop takes {len(tensors)} inputs and gives {len(outputs)} back")
    for given, made in zip(tensors, outputs if not schedule else []):
        if (given.dtype, given.dims) != (made.dtype, made.dims):
            raise TypeError(f"the body of the loop changes {given.name} from {given.dtype.name} {given.shape} to "
                            f"{made.dtype.name} {made.shape}")
    op = outer.add("repeat", tensors, {"n": int(n), "leaves": leaves, "outputs": outputs, "fed": fed,
                                       "queue": infeed_queue, "schedule": schedule}, [(t.dtype, t.dims) for t in outputs], "repeat")
    if not outputs:
        return op
    return op.outputs[0] if len(outputs) == 1 else list(op.outputs)


def load(op, session, seed):
    """The device program of a `compiled` node."""
    leaves = op.attributes["leaves"]
    everything = lowering.reachable(leaves, lambda each: True)
    loops = [each for each in everything if each.kind == "repeat"]
    if len(loops) > 1:
        raise errors.UnimplementedError(message="several loops in one program are not there under tilescope run: "
                                        "compile each by itself")
    return _Compiled(op, session, seed, loops[0] if loops else None)


class _Compiled:
    """How one call of a compiled function runs."""

    def __init__(self, op, session, seed, loop):
        lowered = lowering.Lowering(op.name, seed)
        self.op, self.loop, states, steps = op, loop, [], 1
        leaves = op.attributes["leaves"] if loop is None else loop.attributes["leaves"]
        if loop is not None:
            steps = loop.attributes["n"]
            states = [] if loop.attributes["schedule"] else self._add_states(lowered, loop)
            for argument in _arguments_of(leaves) if not states else []:
                lowered.id_of(argument)
            for index, tensor in enumerate(loop.attributes["fed"]):
                lowered.id_of(tensor)
                lowered.feeds.remove(tensor)
                lowered.infeeds.append((loop.attributes["queue"], index))
        for each in lowering.reachable(leaves, lambda node: True):
            if each.kind not in lowering.HOST_KINDS:
                lowered.add(each)
        self._set_states(lowered, loop, states)
        self.places = [lowered.fetch(each) for each in leaves if isinstance(each, GraphTensor)]
        self._check_variables(lowered, session)
        self.program = lowering.DeviceProgram(lowered, session.weights, steps, op.name, states,
                                              **(loop.attributes["schedule"] if loop else {}))

    def _add_states(self, lowered, loop):
        """Loop values are variables of the program, set anew in each run."""
        import numpy as np
        arguments = [each for each in _arguments_of(loop.attributes["leaves"])]
        states = []
        for argument in arguments:
            name = f"loop/{argument.op.attributes['index']}"
            first = np.zeros(argument.dims, lowering.engine_type(argument))
            number = lowered.build.variable(name, first, False)
            lowered.ids[(argument.op.number, id(argument.op.graph), 0)] = number
            states.append((name, argument, number))
        return [(name, (argument, number)) for name, argument, number in states]

    @staticmethod
    def _set_states(lowered, loop, states):
        for _, (argument, number) in states:
            made = loop.attributes["outputs"][argument.op.attributes["index"]]
            value = lowered.build.operation("identity", [lowered.id_of(made)], {}, "next")[0]
            lowered.build.set_next(number, value)

    @staticmethod
    def _check_variables(lowered, session):
        if (lowered.variables or lowered.keras) and not (session.all_initialised or session.initialised):
            name = next(iter(lowered.variables), "of a layer")
            raise errors.FailedPreconditionError(message=f"Error while reading resource variable {name} from "
                                                 "Container: localhost. This could mean that the variable was "
                                                 "uninitialized.")

    def run(self, step):
        """`step`: the call of Session.run that asks."""
        lowered = self.program.lowering
        given = [step.value(t) for t in self.op.inputs]
        states = []
        for _, (argument, _) in self.program.states:
            states.append(_host_value(self.loop.inputs[argument.op.attributes["index"]], given))
        if self.loop is not None and not states:  # the inputs of the loop are those of its steps
            given = [_host_value(t, given) for t in self.loop.inputs]
        arrays = [_host_value(t, given) for t in lowered.feeds]
        outputs = self.program.run(arrays, states)
        results = [outputs[place] for place in self.places]
        if self.loop is None:
            return results
        return [results[t.value_index] for t in self.op.attributes["outputs"]]


def _arguments_of(leaves):
    return [op.outputs[0] for op in lowering.reachable(leaves, lambda node: True) if op.kind == "argument"]


def _host_value(tensor, given):
    if tensor.op.kind == "argument":
        return given[tensor.op.attributes["index"]]
    if tensor.op.kind == "constant":
        return tensor.op.attributes["value"]
    raise errors.UnimplementedError(message=f"{tensor.name} is computed before the loop, which is not there under "
                                    "tilescope run: pass it as an input of the compiled function")
