# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a tape begins in a function that is traced: what was made before it is held fixed in it, and variables are differentiated by
as they are read in it."""
from . import lowering
from .. import failures
from ..tensors import graph

_FIXED = ("constant", "argument", "dequeue", "stop_gradient")


class Begin:
    """The beginning of the outermost tape that is open in a graph."""

    def __init__(self):
        self.number = next(graph.Graph.numbers)
        self.seen = {}  # tensors from before it that follow from variables, by what stands for them in it

    def seen_in(self, here, tensor):
        """A tensor as what is made in the tape has it: no gradient goes on to what it was made of."""
        if tensor.op.number >= self.number or not tensor.dtype.is_floating or tensor.op.kind in _FIXED:
            return tensor
        if tensor not in self.seen:
            follows = any(op.kind in ("read", "keras") for op in lowering.reachable([tensor], lambda op: True, of_values=True))
            self.seen[tensor] = graph.Operation(here, "stop_gradient", [tensor], {}, [(tensor.dtype, tensor.dims)],
                                                "StopGradient").outputs[0] if follows else tensor
        return self.seen[tensor]


def read_again(here, variable, value):
    """What a variable has been assigned, as it is read: no gradient goes on to what that was made of."""
    if not value.dtype.is_floating:
        return value
    made = graph.Operation(here, "stop_gradient", [value], {}, [(value.dtype, value.dims)], "ReadVariableOp").outputs[0]
    here.__dict__.setdefault("read_again", {}).setdefault(variable, []).append(made)
    return made


def parts_of(here, outermost, source, loss, begin):
    """What stands for a source of a gradient in a graph; of a variable that was assigned, each of its reads."""
    if graph.is_symbolic(source):
        return [outermost.seen.get(source, source)]
    again = here.__dict__.get("read_again", {}).get(source, [])
    if not again:
        return [source]
    reached = lowering.reachable([loss], lambda op: op.kind != "stop_gradient")
    used = {loss.op.number} | {each.op.number for op in reached for each in op.inputs}
    first = any(op.kind == "read" and op.attributes["variable"] is source and op.number >= begin for op in reached)
    return [*([source] if first else []), *(each for each in again if each.op.number in used and each.op.number >= begin)] or [source]


def check(loss, sources, begin):
    """Errors: refused where a gradient would go on through what was made before the tape."""
    stop = {each.op.number for each in sources if graph.is_symbolic(each)}
    reached = lowering.reachable([loss], lambda op: op.kind != "stop_gradient" or hasattr(op, "own_gradient"), True)
    before = [t for op in reached if op.number >= begin for t in op.inputs
              if t.op.number < begin and t.op.number not in stop and t.dtype.is_floating and t.op.kind not in (*_FIXED, "read")]
    for op in lowering.reachable(before, lambda op: op.kind != "stop_gradient", True):
        if op.number in stop or op.kind == "read" and any(op.attributes["variable"] is each for each in sources) or \
                op.kind == "keras" and any(hasattr(each, "model") for each in sources):
            raise failures.refused("a gradient of a tape through what was made before it, of what it is taken by", "make it within the tape, or "
                                   "hold it fixed with tf.stop_gradient")
