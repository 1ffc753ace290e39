# SPDX-License-Identifier: GPL-3.0-or-later
"""How functions that are compiled run. One without loops is one program; else each of its loops is one, and so is what has an effect
beside them or is of the device alone, one after another; the rest the host computes."""
import itertools

import numpy as np

from . import gradients, lowering, compiler as ipu_compiler
from ..tensors import graph, known_values
from .. import errors, host
from ..tensors.graph import GraphTensor

_loops = itertools.count()  # that hand values on
_OF_DEVICE = {*ipu_compiler.EFFECTS, "keras", "compared", "ctc_loss", "gradients", "dequeue", "regularised", "of_replica_group", "fifo",
              "execution_counter"}


def load(op, session, seed, counts):
    """The device programs of a `compiled` node. `counts`: of the steps of its loops that are told by tensors."""
    for node in lowering.reachable(op.attributes["leaves"], lambda each: True):
        errors.check_placement(node.attributes.get("variable"))
    return Compiled(op.attributes["leaves"], op.attributes["outputs"], op.name, seed, session, dict(counts))


def counts_of(op, given, session, outside):
    """(loop, count) of those loops of a `compiled` node whose steps a tensor tells. `given`: the values of its arguments."""
    if "counted" not in op.attributes:
        op.attributes["counted"] = counted_in([*op.attributes["leaves"], *op.attributes["outputs"]])
    return counts(op.attributes["counted"], given, session, outside)


def counted_in(leaves):
    """The loops that `leaves` need whose steps a tensor tells."""
    return [op for op in _around_loops(leaves)[0] if op.kind == "repeat" and isinstance(op.attributes["n"], GraphTensor)]


def counts(loops, given, owner, outside=None):
    """(loop, count) of each of these."""
    around = _Around(given, owner, outside, 0)
    return tuple((loop, int(around.value(loop.attributes["n"]))) for loop in loops)


def states_in(leaves, body):
    """The numbers of the values of a loop that its body needs for `leaves`."""
    return [t.op.attributes["index"] for t in _arguments_of(leaves) if t.op.graph is body]


def bodies_of(outer):
    """The graphs of loops in a graph."""
    return [op.attributes["body"] for op in outer.operations_ if op.kind == "repeat"]


def follows_from_loop(tensor):
    return any(each.kind == "repeat" for each in lowering.reachable([tensor], lambda each: True))


def _arguments_of(leaves):
    return [op.outputs[0] for op in lowering.reachable(leaves, lambda node: True) if op.kind == "argument"]


def _taken_in(loop):
    """What the body of a loop has of the function around it: tensors, and operations that come before."""
    body = loop.attributes["body"]
    inputs = [t for op in body.operations_ for t in [*op.inputs, *op.attributes.get("all", [])] if isinstance(t, GraphTensor)]
    return [t for t in inputs if t.op.graph is not body], [op for each in body.operations_ for op in each.control_inputs if op.graph is not body]


def taken_in(loop):
    """The tensors that the body of a loop has of the function around it."""
    return _taken_in(loop)[0]


def _around_loops(leaves):
    """(the operations that `leaves` need, in their order, but for those of loops' bodies; the tensors that those and `leaves` use)."""
    found, used, rest = {}, [each for each in leaves if isinstance(each, GraphTensor)], list(leaves)
    while rest:
        new = lowering.reachable(rest, lambda op: op.number not in found)
        found.update((op.number, op) for op in new)
        rest = []
        for op in new:
            taken, before = _taken_in(op) if op.kind == "repeat" else ([], [])
            used += [*op.inputs, *taken]
            rest += [*taken, *before]
    return [found[number] for number in sorted(found)], used


class _Part:
    """One of the programs of a function: what has an effect beside its loops."""

    def __init__(self, whole, name, operations, needed):
        """`operations`: which a device has to compute; `needed`: those and what else they take that is made in the program."""
        from . import functions
        self.whole, self.name, self.begin = whole, name, min(op.number for op in operations)
        self.lowered, self.made = lowering.Lowering(name, whole.seed), needed
        self.results = list(dict.fromkeys(t for t in whole.used_beside(needed)))
        own = {op.number for op in needed}
        for op in needed:
            for tensor in [*op.inputs, *op.attributes.get("all", [])]:
                if isinstance(tensor, GraphTensor) and (tensor.op.number not in own or tensor.op.kind in ("argument", *lowering.OF_SESSIONS)):
                    self.lowered.id_of(tensor)
        functions.add_infeeds(self.lowered, needed)
        self._compile(needed, self.results, needed)

    def _compile(self, needed, fetched, taking, states=(), steps=1, **schedule):
        """`taking`: operations, among which those are that take elements of data sets."""
        from . import functions
        lowered, owner = self.lowered, self.whole.owner
        lowered.make_room(self.whole.operations + needed)
        for op in needed:
            if op.kind not in lowering.HOST_KINDS:
                lowered.add(op)
        self._hand_on(states)
        self.places = [lowered.fetch(each) for each in fetched if isinstance(each, GraphTensor)]
        functions.fetch_conditions(lowered, taking)
        owner.check_variables(lowered)
        lowered.fed_apart = lowered.replicas > 1 and self.whole.differ([self._around(t) for t in lowered.feeds] + self._begins_with(states))
        self.program = lowering.DeviceProgram(lowered, owner.weights_for(lowered), steps, self.name, states, joins=bool(self.whole.parts), **schedule)

    def asked_for(self):
        """What it has of the function around it."""
        return [*map(self._around, self.lowered.feeds), *self._begins_with(self.program.states)]

    def _hand_on(self, states):
        """Has a step leave what the next one takes."""

    def _begins_with(self, states):
        return []

    def _around(self, tensor):
        """What a tensor that is fed is in the function."""
        return tensor

    def _given(self, around):
        values = [around.value(each) for each in self.asked_for()]
        return values[:len(self.lowered.feeds)], values[len(self.lowered.feeds):]

    def run(self, around):
        self.program.adopt()
        arrays, states = self._given(around)
        others = [self._given(around.of_replica(known)) for known in around.of_all[1:]] if self.lowered.fed_apart else []
        results = self.program.run(arrays, states, others)
        around.values.update(zip(self.results, [results[place] for place in self.places]))
        of_all = self.program.of_all * self.program.alike
        around.of_all += [{} for _ in range(len(around.of_all), len(of_all))]
        for known, each in zip(around.of_all, of_all):
            known.update(zip(self.results, [each[place] for place in self.places]))


class _All(_Part):
    """A function without loops."""

    def __init__(self, whole, name, leaves):
        self.whole, self.name, self.begin = whole, name, 0
        self.lowered, self.made = lowering.Lowering(name, whole.seed), whole.operations
        self.results = [each for each in leaves if isinstance(each, GraphTensor)]
        self._compile(whole.operations, self.results, [])


class _Loop(_Part):
    """A loop of a function. Of what is made around it, its steps make again what follows from the function's arguments."""

    def __init__(self, whole, name, op, apart):
        """`apart`: the numbers of operations whose values other parts make."""
        from . import device_loops, functions
        self.whole, self.name, self.begin, self.made = whole, name, op.number, [op]
        self.lowered, self.loop, self.body = lowering.Lowering(name, whole.seed), op, op.attributes["body"]
        settings = op.attributes
        fetched, self.results = settings["leaves"], op.outputs
        if fetched is None:
            kept, leaves = device_loops.wanted(op, whole.used)
            fetched, self.results = [settings["outputs"][k] for k in kept], [op.outputs[k] for k in kept]
        else:
            leaves = fetched
        leaves = [*leaves, *functions.conditions_of(self.body.operations_)]
        apart = apart | self._changed(leaves)
        needed = lowering.reachable(leaves, lambda each: each.number not in apart)
        states = [] if settings["schedule"] else self._states(needed)
        for each in needed:
            for tensor in [*each.inputs, *each.attributes.get("all", [])]:
                if isinstance(tensor, GraphTensor) and tensor.op.number in apart:
                    self.lowered.id_of(tensor)
            if each.kind in lowering.OF_SESSIONS or each.kind == "argument" and not (states and each.graph is self.body):
                for tensor in each.outputs:  # of the graph around it: before what is read from queues
                    self.lowered.id_of(tensor)
        for index, tensor in enumerate(settings["fed"]):
            self.lowered.id_of(tensor)
            self.lowered.take_feed(tensor)
            self.lowered.infeeds.append((settings["queue"], index))
        functions.add_infeeds(self.lowered, [each for each in self.body.operations_ if not any(each is fed.op for fed in settings["fed"])])
        schedule = dict(settings["schedule"])
        for key in ("stage_ipus", "recompute_piecewise", "offload_activations", "products"):
            if key in schedule:
                setattr(self.lowered, key, schedule.pop(key))
        self.lowered.exchange = settings["exchange"]
        self.count = max(whole.counts.get(op, settings["n"]), 0)
        self._compile(needed, fetched, self.body.operations_, states, max(self.count, 1), **schedule)

    def run(self, around):
        if self.count:
            return super().run(around)
        for given, made in zip(self.loop.inputs, self.loop.outputs):  # no step changes them
            around.values[made] = around.value(given)
        return None

    def _changed(self, leaves):
        """The numbers of reads that come before the loop, of variables that are something else by its steps or in them."""
        if not self.body.in_order:
            return set()
        reads = [op for op in lowering.reachable(leaves, lambda each: True) if op.kind == "read" and op.graph is not self.body]
        changed = {each.key for op in [*self.whole.operations, *self.body.operations_] for each in known_values.changed_by(op)} if reads else ()
        return {op.number for op in reads if op.attributes["variable"].key in changed}

    def _states(self, needed):
        """Loop values are variables of the program, set anew in each run: (name, number of the loop's value, of the variable)."""
        states, number = [], next(_loops)
        prefix = f"loop_{number}" if number else "loop"
        for op in needed:
            if op.kind != "argument" or op.graph is not self.body:
                continue
            argument, index = op.outputs[0], op.attributes["index"]
            made = self.lowered.build.variable(f"{prefix}/{index}", np.zeros(argument.dims, argument.dtype.in_engine), False)
            self.lowered.ids[(op.number, id(op.graph), 0)] = made
            states.append((f"{prefix}/{index}", (index, made)))
        return states

    def _hand_on(self, states):
        for _, (index, number) in states:
            made = self.loop.attributes["outputs"][index]
            self.lowered.handed_on.append((self.loop.inputs[index].name, made))
            self.lowered.build.set_next(number, self.lowered.copied(self.lowered.id_of(made), "next"))

    def _begins_with(self, states):
        return [self.loop.inputs[index] for _, (index, _) in states]

    def _around(self, tensor):
        of_body = tensor.op.kind == "argument" and tensor.op.graph is self.body
        return self.loop.inputs[tensor.op.attributes["index"]] if of_body else tensor


class Compiled:
    """How one call of a compiled function runs. `owner` keeps its variables: a session, or what is like one."""

    def __init__(self, leaves, outputs, name, seed, owner, counts=None):
        self.outputs, self.owner, self.seed, self.counts = outputs, owner, seed, counts or {}
        self.operations, self.used = _around_loops([*leaves, *outputs])
        self.parts, self.apart = [], set()  # the numbers of operations whose values differ between replicas
        loops = [op for op in self.operations if op.kind == "repeat"]
        if not loops:
            self._add(_All(self, name, leaves))
            self.reads = []
            return
        beside = self._beside(loops)
        of_parts = {op.number for op in loops} | {op.number for operations in beside for op in operations}
        several = sum(map(bool, beside)) + len(loops) > 1
        for number, operations in enumerate(beside):
            if operations:
                begin = loops[number - 1].number if number else -1
                needed = lowering.reachable(operations, lambda op: op.number > begin or op.kind == "constant")
                _check_gradients(needed, begin)
                self._add(_Part(self, f"{name}/{operations[0].name}", operations, needed))
            if number < len(loops):
                loop = loops[number]
                self._add(_Loop(self, f"{name}/{loop.name}" if several else name, loop, of_parts))
        if several:
            host.tell_once("tilescope: note: each loop of a compiled function, and what has an effect beside them, is a program of its own in "
                           "the profile; the host starts all of them in one engine run")
        made = {op.number for part in self.parts for op in part.made}
        wanted = [*self.outputs, *(each for part in self.parts for each in part.asked_for())]
        self.reads = [op for op in lowering.reachable(wanted, lambda each: each.number not in made) if op.kind == "read"]

    def _beside(self, loops):
        """What the device computes before each loop, and after the last one."""
        found = [[] for _ in range(len(loops) + 1)]
        for op in self.operations:
            if op.kind in _OF_DEVICE:
                found[sum(loop.number < op.number for loop in loops)].append(op)
        for operations in found:  # what variables are between two effects
            if operations:
                first, last = operations[0].number, operations[-1].number
                operations += [op for op in self.operations if op.kind == "read" and first < op.number < last]
        return found

    def _add(self, part):
        self.parts.append(part)
        program = part.program
        if part.lowered.replicas > 1 and program.replicas > 1:
            self.apart |= {op.number for op in part.made}

    def used_beside(self, operations):
        """The tensors that these operations make for others, or as outputs."""
        own = {op.number for op in operations if op.kind != "constant"}
        needing = [t for op in self.operations if op.number not in own for t in op.inputs]
        taken = [t for op in self.operations if op.kind == "repeat" for t in _taken_in(op)[0]]
        return [t for t in [*self.outputs, *needing, *taken] if t.op.number in own and t.op.kind not in lowering.HOST_KINDS - {"dequeue"}]

    def differ(self, tensors):
        """Whether a replica has other values of these than the next one: what an earlier part has made of its own data."""
        return bool(self.apart) and any(op.number in self.apart for op in lowering.reachable(tensors, lambda each: True))

    def run(self, given, outside=None):
        """The outputs for the values of the function's arguments. `outside`: gives those of tensors of the graph around it."""
        around = _Around(given, self.owner, outside, self.parts[0].program.runs)
        for part in self.parts:
            around.settle(op for op in self.reads if op.number < part.begin)
            part.run(around)
        return [around.value(t) for t in self.outputs]


def _check_gradients(operations, begin):
    """Errors: refused where a gradient is taken, beside loops, of what was made before one."""
    for op in operations:
        if op.kind not in ("gradients", "minimize"):
            continue
        before = [each for each in lowering.reachable([op.inputs[0]], lambda _: True) if each.number <= begin]
        if any(each.kind in ("repeat", "keras", "read") for each in before):
            raise gradients.refused_after_loop()


class _Around:
    """What a function computes before and after its programs: the host does it."""

    tells = True  # of that

    def __init__(self, given, owner, outside, number):
        self.given, self.owner, self.outside = given, owner, outside
        self.values, self.of_all = {}, []  # by tensors: what is known; and what each replica has of its programs
        self.variables = {}  # what they were when they were read, by their reads
        self.number = number  # of the run, which what is drawn depends on

    def settle(self, reads):
        """Reads variables that the next program may change."""
        for op in reads:
            if op not in self.variables:
                self.variables[op] = np.array(self.owner.value_of(op.attributes["variable"]))

    def of_replica(self, known):
        """The same for a replica, of whose programs these values are known."""
        made = _Around(self.given, self.owner, self.outside, self.number)
        made.values.update(known)
        made.variables = self.variables
        return made

    def value(self, tensor):
        op = tensor.op
        if op.kind == "argument":
            return self.given[op.attributes["index"]]
        if op.kind == "constant":
            return op.attributes["value"]
        if tensor not in self.values:
            self._compute(tensor)
        return self.values[tensor]

    def _compute(self, tensor):
        op = tensor.op
        if op.kind == "read":
            self.settle([op])
            made = [self.variables[op]]
        elif op.kind in lowering.OF_SESSIONS and self.outside is not None:
            made = [self.outside(each) for each in op.outputs]
        elif op.kind == "over_replicas":
            made = [self._over_replicas(op)]
        elif op.kind == "identity":
            made = [self.value(op.inputs[0])]
        elif op.kind == "steps_until":
            from . import found_loops
            made = [np.int32(found_loops.steps_of(op, self))]
        else:
            if self.tells and op.kind not in ("reshape", "cast"):
                host.tell_once("tilescope: note: what a compiled function computes around its loop, the host computes: it has "
                               "no cycles in the profile")
            made = graph.computed(op.kind, [self.value(t) for t in op.inputs], op.attributes, self.number)
        self.values.update((output, graph.typed(each, output)) for output, each in zip(op.outputs, made))

    def _over_replicas(self, op):
        """The sum or the mean of what each replica makes of the results of its loop."""
        made = [np.asarray(self.of_replica(known).value(op.inputs[0])) for known in self.of_all]
        total = sum(made)
        return np.asarray(total / len(made) if op.attributes["mean"] else total, made[0].dtype)


class Step(_Around):
    """What the host knows of one step of a loop, whose body it goes through itself."""

    tells = False

    def __init__(self, around, body, given):
        super().__init__(given, around.owner, around.outside, around.number)
        self.around, self.body = around, body

    def value(self, tensor):
        return super().value(tensor) if tensor.op.graph is self.body else self.around.value(tensor)
