# SPDX-License-Identifier: GPL-3.0-or-later
"""While loops of a function of TensorFlow 1 whose end a counter finds at a bound that the function is given: the host knows how many steps
that are when a session runs it, and the device repeats the body so often."""
import numpy as np

from . import compiler, lowering
from ..tensors import graph, known_values
from ..operations import elementary as operations
from ..structure import flatten, pack_like

_COMPARED = {"less": 1, "less_equal": 1, "greater": -1, "greater_equal": -1}  # and the direction of the counter


def may_be(here):
    """Whether a loop in this graph is one of such a function, by itself."""
    return here.above is not None and not hasattr(here, "traced") and not here.of_loop and not here.guards


def _compared(cond, outer, tensors, loop_vars):
    """(the number of the counter, the kind of comparison, what it is compared with, in the graph around); None for any other condition."""
    scratch = compiler.inner_graph(outer)
    arguments = compiler.arguments_of(scratch, tensors)
    with scratch.as_default():
        test = graph.symbolic(cond(*pack_like(loop_vars, arguments)))
    if test.graph is not scratch or test.op.kind not in _COMPARED:
        return None
    for place, side in enumerate(test.op.inputs):
        other = test.op.inputs[1 - place]
        number = next((k for k, each in enumerate(arguments) if each is side), None)
        if number is None or any(op.kind == "argument" and op.graph is scratch for op in lowering.reachable([other], lambda op: True)):
            continue
        bound = graph.symbolic(cond(*pack_like(loop_vars, tensors))).op.inputs[1 - place]
        kind = test.op.kind
        if place:  # bound > counter
            kind = {"less": "greater", "greater": "less"}[kind.partition("_")[0]] + kind[len(kind.partition("_")[0]):]
        return number, kind, bound
    return None


def _advance(op, number):
    """By how much a step moves the counter; None where that is no number."""
    made = op.attributes["outputs"][number]
    if made.op.kind not in ("add", "subtract"):
        return None
    sides = made.op.inputs
    is_counter = [each.op.kind == "argument" and each.op.graph is op.attributes["body"] and each.op.attributes["index"] == number for each in sides]
    if not any(is_counter) or (made.op.kind == "subtract" and not is_counter[0]):
        return None
    known = known_values.known_or_none(sides[is_counter.index(True) ^ 1])
    return None if known is None else int(known) if made.op.kind == "add" else -int(known)


def made(cond, body, loop_vars, infeed_queue=None):
    """The values after such a loop, whose steps may take elements of a queue; None where it is none."""
    outer = graph.current()
    if not flatten(loop_vars) or any(not isinstance(each, (graph.Tensor, int, float, np.ndarray, np.generic)) for each in flatten(loop_vars)):
        return None
    tensors = [graph.symbolic(each) for each in flatten(loop_vars)]
    found = _compared(cond, outer, tensors, loop_vars)
    if found is None or not tensors[found[0]].dtype.is_integer or tensors[found[0]].dims != ():
        return None
    number, kind, bound = found
    direction, steps = _COMPARED[kind], []

    def step(*values, **element):
        given = body(*pack_like(loop_vars, list(values[:len(tensors)])), *values[len(tensors):], **element)
        return [graph.symbolic(each) for each in flatten(given if isinstance(given, (list, tuple)) else [given])]
    left = operations.multiply(operations.subtract(bound, tensors[number]), direction)  # which the counter has to go
    count = operations.add(left, 1) if kind.endswith("_equal") else left
    before = len(outer.operations_)
    results = compiler.loop_of(count, step, tensors, infeed_queue, {})
    op = next(each for each in outer.operations_[before:] if each.kind == "repeat")
    steps = _advance(op, number)
    if steps is None or steps * direction <= 0:
        del outer.operations_[before:]
        return None
    if abs(steps) > 1:
        op.attributes["n"] = operations.floordiv(operations.add(count, abs(steps) - 1), abs(steps))
    return pack_like(loop_vars, results if isinstance(results, list) else [results])
