# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program of the device keeps from step to step of a run, which begins with zeros: ipu.internal_ops' queues, and the number of the
micro-batch."""
import numpy as np

from .. import failures, host
from ..tensors import graph


def fifo(x, depth, offload=False, name=None):
    """internal_ops.fifo: what it was given `depth` executions ago, and zeros before that; without a depth, `x`.
    `offload`: whether it lies outside of the IPU, which it never does here."""
    if not isinstance(depth, (int, np.integer)):
        raise TypeError(f"depth must be a whole number, got {depth!r}")
    if depth < 1:
        return x
    x, here = graph.convert(x), graph.current()
    if not here.of_program and "IPU" not in here.device.upper():
        raise failures.refused("ipu.internal_ops.fifo outside of a program of the IPU", "call it in a function that ipu_compiler.compile or "
                               "strategy.run is given")
    if here.is_unrolled or here.guards:
        raise failures.refused("ipu.internal_ops.fifo in a branch on a tensor, or in a loop that is unrolled", "use ipu.loops.repeat, whose "
                               "steps the device repeats, and take it in each of them")
    if offload:
        host.tell_once("tilescope: internal_ops.fifo: with offload, too, the queue lies in the memory of the tiles")
    x = graph.symbolic(x)
    return here.add("fifo", [x], {"depth": int(depth)}, [(x.dtype, x.dims)], name or "IpuFifo").outputs[0]


def get_current_iteration_counter(name=None, **kwargs):
    """internal_ops': the number of the micro-batch, among those of one update, that a stage of a pipeline computes."""
    here = graph.current()
    if not here.micro_batches:
        raise failures.refused("ipu.internal_ops.get_current_iteration_counter outside of a pipeline's stage", "count steps in a value that "
                               "the loop hands on")
    return here.add("execution_counter", [], {"count": here.micro_batches}, [("int32", ())], name or "ExecutionCounter").outputs[0]


def _state(lowered, op, dims, dtype):
    """(the number of a variable that begins each run with zeros, that of its value in a step)."""
    lowered.build.place("", "", op.shard)
    first = np.zeros(dims, dtype)
    name = f"{op.name}/kept_{op.number}"
    made = lowered.build.variable(name, first, False)
    lowered.zeroed.append((name, first))
    return made, lowered.build.now(made)


def lower_fifo(lowered, op):
    build, given, depth = lowered.build, lowered.id_of(op.inputs[0]), op.attributes["depth"]
    dtype, dims = build.type(given)
    dims, rest = list(dims), [0] * len(dims)
    variable, kept = _state(lowered, op, [depth, *dims], dtype)
    lowered.handed_on.append((op.name, op.inputs[0]))

    def part(first, count):
        return build.operation("slice", [kept], {"begin": [first, *rest], "size": [count, *dims]}, f"{op.name}/Slice")[0]
    newest = build.operation("reshape", [given], {"shape": [1, *dims]}, f"{op.name}/newest")[0]
    after = build.operation("concatenate", [newest, part(0, depth - 1)], {"axis": 0}, f"{op.name}/concat")[0] if depth > 1 else newest
    build.set_next(variable, lowered.copied(after, f"{op.name}/next"))
    oldest = build.operation("reshape", [part(depth - 1, 1)], {"shape": dims}, f"{op.name}/oldest")[0]
    return [lowered.copied(oldest, op.name)]


def lower_counter(lowered, op):
    build = lowered.build
    variable, now = _state(lowered, op, [], "int32")
    one, last, zero = (build.constant(f"{op.name}/{name}", np.asarray(value, np.int32)) for name, value in (
        ("one", 1), ("last", op.attributes["count"] - 1), ("zero", 0)))
    is_last = build.operation("equal", [now, last], {}, f"{op.name}/Equal")[0]
    more = build.operation("add", [now, one], {}, f"{op.name}/add")[0]
    build.set_next(variable, lowered.where(is_last, zero, more, f"{op.name}/next"))
    return [lowered.copied(now, op.name)]


INTERNAL_OPS = {each.__name__: each for each in (fifo, get_current_iteration_counter)}
