# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.within_replica_ops: what the shards of a replica have in common. Input i is on shard i, and so is output i."""
from .. import failures, scopes
from ..operations import elementary as operations
from ..tensors import graph

_REDUCTIONS = {"ADD": operations.add, "MUL": operations.multiply, "MIN": operations.minimum, "MAX": operations.maximum,
               "LOGICAL_AND": operations.logical_and, "LOGICAL_OR": operations.logical_or}


def _checked(input_shards):
    shards = [graph.convert(each) for each in input_shards]
    if len({id(each) for each in input_shards}) != len(shards):
        raise ValueError("input_shards should not contain any duplicate entries.")
    if len({each.dtype.name for each in shards}) != 1:
        raise ValueError("Expected tensors to all be of the same type.")
    if len({len(each.dims) for each in shards}) != 1:
        raise ValueError("Expected tensors to all be of the same rank.")
    return shards


def _on_shards(shards, function):
    made = []
    for index in range(len(shards)):
        with scopes.ipu_shard(index):
            made.append(function())
    return made


def all_gather(input_shards, axis=0):
    """On each shard all inputs, one after the other, in the shape that tf.concat along the axis gives."""
    shards = _checked(input_shards)
    shape = list(shards[0].dims)
    if shape:
        for each in shards[1:]:
            own = list(each.dims)
            if own[:axis] + own[axis + 1:] != shape[:axis] + shape[axis + 1:]:
                raise ValueError(f"Input shard dimensions must match outside of the axis {axis}: {shape} and {own}.")
            shape[axis] += own[axis]
    flat = [operations.reshape(each, [-1]) for each in shards]
    return _on_shards(shards, lambda: operations.reshape(operations.concat(flat, 0), shape or [len(shards)]))


def all_reduce(input_shards, op):
    """On each shard what an operation makes of all inputs, which zeros fill up to the longest."""
    which = str(op).removeprefix("COLLECTIVE_OP_")
    if which not in _REDUCTIONS:
        raise failures.refused(f"ipu.within_replica_ops.all_reduce(op={op!r})", "use " + ", ".join(f"COLLECTIVE_OP_{each}" for each in _REDUCTIONS))
    shards = [operations.reshape(each, [1]) if each.dims == () else each for each in _checked(input_shards)]
    if any(len(each.dims) != 1 for each in shards):
        raise ValueError("Expected tensors of rank 0 or 1.")
    longest = max(each.dims[0] for each in shards)
    shards = [each if each.dims[0] == longest else operations.concat([each, operations.zeros([longest - each.dims[0]], each.dtype)], 0)
              for each in shards]

    def reduced():
        total = shards[0]
        for each in shards[1:]:
            total = _REDUCTIONS[which](total, each)
        return total
    return _on_shards(shards, reduced)


def reduce_scatter(input_shards, op):
    raise failures.refused("ipu.within_replica_ops.reduce_scatter", "which shard has which part is Poplar's choice; use all_reduce, and "
                           "take a part of it")


TABLE = {each.__name__: each for each in (all_gather, all_reduce, reduce_scatter)}
