# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu_compiler.compile and ipu.loops: functions that become device programs of their own."""
import itertools

import numpy as np

from . import control_flow, errors, failures, gradients, graph, host, lowering
from .graph import GraphTensor, Operation
from .structure import flatten, pack_like
from .tensor_arrays import is_array


_loops = itertools.count()  # that hand values on
EFFECTS = ("minimize", "assign", "enqueue")


def inner_graph(outer):
    """A graph for the body of a function: variables are those of the graph around it."""
    inner = graph.Graph()
    inner.above, inner.of_program, inner.in_order = outer, True, outer.in_order
    for name in ("traced", "observed"):  # of TensorFlow 2
        if name in outer.__dict__:
            inner.__dict__[name] = outer.__dict__[name]
    inner.device, inner.shard, inner.seed, inner.rounding = outer.device, outer.shard, outer.seed, outer.rounding
    inner.variable_scopes = list(outer.variable_scopes)
    return inner


def arguments_of(inner, tensors):
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
    if outer.above is not None:
        return _within(outer, computation, inputs)
    tensors = [graph.symbolic(each) for each in flatten(list(inputs or []))]
    inner = inner_graph(outer)
    arguments = pack_like(list(inputs or []), arguments_of(inner, tensors))
    returned, leaves = _traced(inner, computation, arguments)
    outputs = [each for each in leaves if isinstance(each, GraphTensor)]
    op = outer.add("compiled", tensors, {"outputs": outputs, "leaves": leaves},
                   [(t.dtype, t.dims) for t in outputs], getattr(computation, "__name__", "computation"))
    if not outputs:
        return op
    if isinstance(returned, dict):
        return pack_like(returned, op.outputs)
    return list(op.outputs)


def _within(outer, computation, inputs):
    """What compile() gives in a function that is being compiled, as that of strategy.run(): a part of its program."""
    returned, leaves = _traced(outer, computation, list(inputs or []))
    if not any(isinstance(each, GraphTensor) for each in leaves):
        return graph.group(*leaves)
    return returned if isinstance(returned, dict) else [each for each in leaves if isinstance(each, GraphTensor)]


def repeat(n, body, inputs=None, infeed_queue=None, use_while_v1=True):
    """A loop on the device: `body` gets the values of the step before, and an element of the infeed queue."""
    return loop_of(n, body, inputs, infeed_queue, {})


def loop_of(n, body, inputs, infeed_queue, schedule):
    """`schedule`: of a pipeline, whose inputs stay as they are."""
    outer = graph.current()
    inputs = [] if inputs is None else list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    if outer.of_loop:
        return _nested(n, body, inputs, infeed_queue, schedule)
    tensors = [graph.symbolic(each) for each in inputs]
    inner = inner_graph(outer)
    inner.of_loop = True
    arguments = arguments_of(inner, tensors)
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
    if not schedule:
        _check_handed_on(tensors, outputs)
    if hasattr(outer, "traced"):  # of TensorFlow 2, where what has an effect need not be returned
        leaves = leaves + [each for each in inner.operations_ if each.kind in EFFECTS and
                           not any(each is leaf for leaf in leaves)]
    op = outer.add("repeat", tensors, {"n": int(n), "leaves": leaves, "outputs": outputs, "fed": fed,
                                       "queue": infeed_queue, "schedule": schedule, "body": inner,
                                       "exchange": gradients.exchange()}, [(t.dtype, t.dims) for t in outputs], "repeat")
    if not outputs:
        return op
    return op.outputs[0] if len(outputs) == 1 else list(op.outputs)


def _check_handed_on(inputs, outputs):
    """That a step gives what the next one takes."""
    if len(outputs) < len(inputs):
        raise TypeError(f"the body of the loop takes {len(inputs)} inputs and gives {len(outputs)} back")
    for number, (given, made) in enumerate(zip(inputs, outputs)):
        if not is_array(given) and (given.dtype, given.dims) != (made.dtype, made.dims):
            raise TypeError(f"the body of the loop changes {getattr(given, 'name', f'input {number}')} from {given.dtype.name} {given.shape} "
                            f"to {made.dtype.name} {made.shape}")


def _nested(n, body, inputs, infeed_queue, schedule):
    """A loop in the body of another one: the engine has none, and its steps stand one after another."""
    if schedule:
        raise failures.refused("a pipeline in the body of a loop", "give the pipeline a repeat_count")
    name = "ipu.loops.repeat in the body of a loop"
    if infeed_queue is not None:
        raise failures.refused(f"{name}, with an infeed queue", "give the queue to the loop around it")
    more = []  # than the next step takes: those of the last one

    def step(*values):
        made = [each for each in flatten(body(*values)) if each is not None]
        if any(isinstance(each, Operation) for each in made):
            raise failures.refused(f"{name} that gives an operation", "give it as one of the loop around it")
        made, taken = ([each if is_array(each) else graph.convert(each) for each in leaves] for leaves in (made, flatten(values)))
        _check_handed_on(taken, made)
        more[:] = made[len(taken):]
        return made[:len(taken)]
    made = control_flow.unrolled(name, "it is unrolled; make the loop around it longer", lambda *values: True, step, inputs, n)
    made += [graph.symbolic(each) for each in more]
    return made[0] if len(made) == 1 else made


def load(op, session, seed):
    """The device program of a `compiled` node."""
    for node in lowering.reachable(op.attributes["leaves"], lambda each: True):
        errors.check_placement(node.attributes.get("variable"))
    return Compiled(op.attributes["leaves"], op.attributes["outputs"], op.name, seed, session)


def states_in(leaves, body):
    """The numbers of the values of a loop that its body needs for `leaves`."""
    return [t.op.attributes["index"] for t in _arguments_of(leaves) if t.op.graph is body]


def bodies_of(outer):
    """The graphs of loops in a graph."""
    return [op.attributes["body"] for op in outer.operations_ if op.kind == "repeat"]


def loop_in(leaves):
    """The loop on the device that a function is, or None. Errors: refused where something has an effect beside it."""
    made = lowering.reachable(leaves, lambda each: True)
    loops = [each for each in made if each.kind == "repeat"]
    if len(loops) > 1:
        raise errors.UnimplementedError(message="several loops in one program are not there under tilescope run: "
                                        "compile each by itself")
    for each in made if loops else []:
        if each.kind in EFFECTS:
            raise _outside(each.name)
    return loops[0] if loops else None


def _outside(name):
    return errors.UnimplementedError(message=f"{name} is computed outside of the loop of its function, which is not there under "
                                     "tilescope run: put it into the loop")


class Compiled:
    """How one call of a compiled function runs. `owner` keeps its variables: a session, or what is like one."""

    def __init__(self, leaves, outputs, name, seed, owner):
        from . import functions
        lowered = lowering.Lowering(name, seed)
        self.loop, self.outputs, self.owner, states, steps = loop_in(leaves), outputs, owner, [], 1
        loop = self.loop
        fetched, self.results = leaves, []  # of its body; the outputs of the loop that those are
        if loop is not None and loop.attributes["leaves"] is None:
            from . import device_loops
            kept, leaves = device_loops.wanted(loop, leaves)
            fetched, self.results = [loop.attributes["outputs"][k] for k in kept], [loop.outputs[k] for k in kept]
        elif loop is not None:
            leaves = fetched = loop.attributes["leaves"]
            self.results = loop.outputs
        if loop is not None:
            leaves = [*leaves, *functions.conditions_of(loop.attributes["body"].operations_)]
            steps = loop.attributes["n"]
            states = [] if loop.attributes["schedule"] else self._add_states(lowered, leaves, loop.attributes["body"])
            for argument in _arguments_of(leaves):
                if not states or argument.op.graph is not loop.attributes["body"]:  # which may be of the function around it
                    lowered.id_of(argument)
            for captured in lowering.reachable(leaves, lambda node: True):
                if captured.kind in lowering.OF_SESSIONS:  # of the graph around the function: before what is read from queues
                    for tensor in captured.outputs:
                        lowered.id_of(tensor)
            for index, tensor in enumerate(loop.attributes["fed"]):
                lowered.id_of(tensor)
                lowered.take_feed(tensor)
                lowered.infeeds.append((loop.attributes["queue"], index))
            functions.add_infeeds(lowered, [op for op in loop.attributes["body"].operations_
                                            if not any(op is each.op for each in loop.attributes["fed"])])
        needed = lowering.reachable(leaves, lambda node: True)
        schedule = dict(loop.attributes["schedule"]) if loop else {}
        lowered.stage_ipus = schedule.pop("stage_ipus", [])
        lowered.recompute_piecewise = schedule.pop("recompute_piecewise", False)
        lowered.offload_activations = schedule.pop("offload_activations", False)
        lowered.products = schedule.pop("products", [])
        lowered.make_room(needed)
        lowered.exchange = lowered.exchange if loop is None else loop.attributes["exchange"]
        for each in needed:
            if each.kind not in lowering.HOST_KINDS:
                lowered.add(each)
        self._set_states(lowered, loop, states)
        self.places = [lowered.fetch(each) for each in fetched if isinstance(each, GraphTensor)]
        functions.fetch_conditions(lowered, [] if loop is None else loop.attributes["body"].operations_)
        owner.check_variables(lowered)
        self.program = lowering.DeviceProgram(lowered, owner.weights_for(lowered), steps, name, states,
                                              **schedule)

    @staticmethod
    def _add_states(lowered, leaves, body):
        """Loop values are variables of the program, set anew in each run."""
        arguments = [each for each in _arguments_of(leaves) if each.op.graph is body]
        states, number = [], next(_loops)
        prefix = f"loop_{number}" if number else "loop"
        for argument in arguments:
            name = f"{prefix}/{argument.op.attributes['index']}"
            first = np.zeros(argument.dims, argument.dtype.in_engine)
            number = lowered.build.variable(name, first, False)
            lowered.ids[(argument.op.number, id(argument.op.graph), 0)] = number
            states.append((name, argument, number))
        return [(name, (argument, number)) for name, argument, number in states]

    @staticmethod
    def _set_states(lowered, loop, states):
        for _, (argument, number) in states:
            made = loop.attributes["outputs"][argument.op.attributes["index"]]
            lowered.build.set_next(number, lowered.copied(lowered.id_of(made), "next"))

    def run(self, given, outside=None):
        """The outputs for the values of the function's arguments. `outside`: gives those of tensors of the graph around it."""
        around = inside = _Around(given, self.owner, outside, self.program.runs)
        states = [around.value(self.loop.inputs[argument.op.attributes["index"]])
                  for _, (argument, _) in self.program.states]
        if self.loop is not None:  # the inputs of the loop are those of its steps
            given = [around.value(t) for t in self.loop.inputs] if not states else []
            inside = _Around(given, self.owner, outside, self.program.runs)
        fed = [(inside if self.loop is not None and t.op.graph is self.loop.attributes["body"] else around).value(t)
               for t in self.program.lowering.feeds]
        results = self.program.run(fed, states)
        results = [results[place] for place in self.places]
        if self.loop is None:
            return results
        around.values.update(zip(self.results, results))
        around.of_all = [dict(zip(self.results, [each[place] for place in self.places])) for each in self.program.of_all]
        around.of_all *= self.program.alike
        return [around.value(t) for t in self.outputs]


def _arguments_of(leaves):
    return [op.outputs[0] for op in lowering.reachable(leaves, lambda node: True) if op.kind == "argument"]


class _Around:
    """What a function computes before and after its loop: the host does it."""

    def __init__(self, given, owner, outside, number):
        self.given, self.owner, self.outside = given, owner, outside
        self.values, self.of_all = {}, []  # by tensors: what is known; and what each replica has of its loop
        self.number = number  # of the run, which what is drawn depends on

    def value(self, tensor):
        op = tensor.op
        if op.kind == "argument":
            return self.given[op.attributes["index"]]
        if op.kind == "constant":
            return op.attributes["value"]
        if op.kind == "read":
            return self.owner.value_of(op.attributes["variable"])
        if op.kind in lowering.OF_SESSIONS and self.outside is not None:
            return self.outside(tensor)
        if op.kind == "over_replicas":
            return self._over_replicas(op)
        if tensor not in self.values:
            if op.kind in ("keras", "compared", "ctc_loss", "gradients", "minimize", "assign", "repeat", "dequeue"):
                raise _outside(tensor.name)
            if op.kind not in ("identity", "reshape", "cast"):
                host.tell_once("tilescope: note: what a compiled function computes around its loop, the host computes: it has "
                               "no cycles in the profile")
            made = [self.value(op.inputs[0])] if op.kind == "identity" else \
                graph.computed(op.kind, [self.value(t) for t in op.inputs], op.attributes, self.number)
            self.values.update((output, graph.typed(each, output)) for output, each in zip(op.outputs, made))
        return self.values[tensor]

    def _over_replicas(self, op):
        """The sum or the mean of what each replica makes of the results of its loop."""
        made = []
        for known in self.of_all:
            of_replica = _Around(self.given, self.owner, self.outside, self.number)
            of_replica.values.update(known)
            made.append(np.asarray(of_replica.value(op.inputs[0])))
        total = sum(made)
        return np.asarray(total / len(made) if op.attributes["mean"] else total, made[0].dtype)
