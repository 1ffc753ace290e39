# SPDX-License-Identifier: GPL-3.0-or-later
"""While loops of a function whose end follows from what their steps compute: when one runs the host goes through the steps to see how many
there are, and the device repeats the body so often."""
import numpy as np

from . import compiled, compiler, device_loops, gradients, lowering
from ..tensors import graph, known_values
from .. import errors, host
from ..operations import control_flow, elementary as operations
from ..structure import flatten, pack_like

MOST_STEPS = 100_000
_A_WHILE = "a `while` whose steps say when it ends"
OTHERS = {*compiler.EFFECTS, "repeat", "keras", "dequeue", "dropout", "gaussian_noise", "print", "python", "compared", "gradients"}


def _packed(given, loop_vars):
    return pack_like(loop_vars, [graph.symbolic(each) for each in flatten(given if isinstance(given, (list, tuple)) else [given])])


def _are_numbers(leaves):
    return bool(leaves) and all(isinstance(each, (graph.Tensor, int, float, np.ndarray, np.generic)) for each in leaves)


def ends_known(cond, body, loop_vars):
    """Whether a condition that holds before the loop follows, in each step, from what is known while the graph is made, as from a counter."""
    leaves = flatten(loop_vars)
    if not _are_numbers(leaves):
        return True
    scratch = compiler.inner_graph(graph.current())
    arguments = compiler.arguments_of(scratch, [graph.convert(each) for each in leaves])
    with scratch.as_default():
        values = pack_like(loop_vars, arguments)
        test = graph.symbolic(cond(*values))
        asked = [op.outputs[0] for op in lowering.reachable([test], lambda op: True) if op.kind == "argument" and op.graph is scratch]
        if all(each.dtype.is_integer for each in asked):
            return True
        try:
            outputs = flatten(_packed(body(*values), loop_vars))
        except (ValueError, TypeError, AttributeError, errors.OpError):  # where a step needs numbers that are known
            return True
    known = {i for i, each in enumerate(leaves) if known_values.known_or_none(each) is not None}

    def follows(tensor):
        ops = lowering.reachable([tensor], lambda op: True)
        return all(op.inputs and op.kind in host.operators() or op.kind in ("constant", "identity") or
                   op.kind == "argument" and op.graph is scratch and op.attributes["index"] in known for op in ops)
    while True:
        left = {i for i in known if follows(outputs[i])}
        if left == known:
            return follows(test)
        known = left


def may_be(here):
    """Whether a loop in this graph may be one of the device: of a function, in no other loop, in no branch and in no open GradientTape."""
    return (here.above is not None or hasattr(here, "traced")) and not here.of_loop and not here.guards and not here.open_tapes


def made(cond, body, loop_vars):
    """The values after such a loop; None where its steps have effects, or follow from more than the host has before the loop."""
    outer, leaves = graph.current(), flatten(loop_vars)
    if not _are_numbers(leaves):
        return None
    tensors, before = [graph.symbolic(each) for each in leaves], len(outer.operations_)
    first = control_flow.condition(cond(*pack_like(loop_vars, tensors)))

    def step(*values):
        packed = _packed(body(*pack_like(loop_vars, list(values))), loop_vars)
        return [*flatten(packed), operations.cast(control_flow.condition(cond(*packed)), "int32")]
    results = compiler.loop_of(0, step, tensors, None, {})
    loop = next(each for each in outer.operations_[before:] if each.kind == "repeat")
    return pack_like(loop_vars, results[:len(tensors)]) if _is_counted(loop, before, first, tensors) else None


def _is_counted(loop, before, first, tensors):
    """Gives a loop the number of its steps; False, without the loop, where the host cannot go through them. `first`: whether there is a step,
    which the `tensors` before the loop say; `before`: how many operations there were."""
    outer = graph.current()
    within = [*loop.attributes["body"].operations_, *lowering.reachable([first, *tensors, *compiled.taken_in(loop)], lambda op: True)]
    if any(each.kind in OTHERS or each.control_inputs or each.kind == "read" and hasattr(each.attributes["variable"], "model") for each in within):
        del outer.operations_[before:]
        return False
    loop.attributes["n"] = outer.add("steps_until", [first, *tensors], {"loop": loop}, [("int32", ())], "steps").outputs[0]
    host.tell_once("tilescope: note: of a while loop whose steps say when it ends the host finds how many there are, before the device makes them; "
                   "there is a program for each number")
    return True


class OfStatement:
    """The same for a `while` of a function that is running, whose body is run once in a graph of its own."""

    def __init__(self, frame, names, first):
        """`names`: what the loop gives values; `first`: the condition before it."""
        self.outer, self.first = graph.current(), first
        found = frame.f_locals
        self.before = {name: found[name] for name in names if name in found and device_loops.is_value(found[name])}
        self.names, self.begun = names, len(self.outer.operations_)
        self.given = [graph.symbolic(each) for value in self.before.values() for each in flatten(value)]
        self.inner = compiler.inner_graph(self.outer)
        self.inner.of_loop = True
        arguments = iter(compiler.arguments_of(self.inner, self.given))
        self.scope = self.inner.as_default()
        self.scope.__enter__()
        self.packed = {name: pack_like(value, [next(arguments) for _ in flatten(value)]) for name, value in self.before.items()}
        self.awaited = {name: device_loops.Awaited(name, self.given, self.before, self.packed) for name in names
                        if isinstance(found.get(name), device_loops.NotYet)}
        self.ends, self.open = control_flow.Steps(_A_WHILE, "", True), None  # where a step may end the loop before its own end
        device_loops.give(frame, self.packed | self.awaited)

    def goes_on(self, frame, test, unset):
        """Goes on within a step where a `break` is not taken, as `test` says; False where it always is."""
        self._leave()
        if not self.ends.goes_on(test, self._values(frame, unset), False):
            return False
        self.open = self.ends.step()
        self.open.__enter__()
        return True

    def _values(self, frame, unset):
        found = frame.f_locals
        return {name: found[name] if name in found else unset(name) for name in self.names}

    def _leave(self, *failure):
        opened, self.open = self.open, None
        if opened is not None:
            opened.__exit__(*(failure or (None, None, None)))

    def close(self, *failure):
        self._leave(*failure)
        scope, self.scope = self.scope, None
        if scope is not None:
            scope.__exit__(*(failure or (None, None, None)))

    def _take_ends(self, frame, unset, chosen):
        """Gives names what a step hands on: what they had where it ended the loop."""
        self._leave()
        values = self._values(frame, unset)
        for test, others in reversed(self.ends.before):
            values = {name: chosen(name, test, values[name], others[name]) for name in self.names}
        if self.ends.before:
            device_loops.give(frame, values)

    def end(self, frame, test, unset, chosen):
        """Gives names what they have after the loop, `test` being the condition after a step. False where the host cannot go through its steps.
        `chosen`: (name, condition, value if it holds, other) to the value of a name."""
        self._take_ends(frame, unset, chosen)
        found, made = frame.f_locals, []
        for name, value in self.before.items():
            made += device_loops.handed_on(name, value, found[name] if device_loops.is_value(found[name]) else None, self.given[len(made):])
        goes_on = operations.cast(control_flow.condition(test), "int32")
        self.close()
        compiler.forget_assigned(self.outer, self.inner)
        loop = self.outer.add("repeat", self.given, {
            "n": 0, "outputs": [*made, goes_on], "leaves": None, "fed": [], "queue": None, "schedule": {}, "body": self.inner,
            "exchange": gradients.exchange()}, [(each.dtype, each.dims) for each in (*made, goes_on)], "while")
        if not _is_counted(loop, self.begun, self.first, self.given):
            return False
        results = iter(loop.outputs)
        device_loops.give(frame, {**{name: device_loops.NotYet() if name in self.awaited else unset(name)
                                     for name in self.names if name not in self.before},
                                  **{name: pack_like(value, [next(results) for _ in flatten(value)]) for name, value in self.before.items()}})
        return True


def steps_of(op, around):
    """How many steps the loop has for what `around` knows."""
    if not around.value(op.inputs[0]):
        return 0
    loop = op.attributes["loop"]
    values, outputs = [around.value(each) for each in op.inputs[1:]], loop.attributes["outputs"]
    for count in range(1, MOST_STEPS + 1):
        step = compiled.Step(around, loop.attributes["body"], values)
        *values, goes_on = [step.value(each) for each in outputs]
        if not goes_on:
            return count
    raise errors.InvalidArgumentError(message=f"a while loop that has not ended after {MOST_STEPS:,} steps")
