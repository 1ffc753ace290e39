# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations over replicas: `cross_replica_ops`, `replication_ops`, `all_to_all_op` and `reduce_scatter_op` of
`tensorflow.python.ipu`. Groups are of consecutive replicas, and exchange within a step."""
import numpy as np

from .. import errors, failures
from ..operations import elementary as operations
from ..tensors import graph
from ..structure import flatten, map_structure


def _exchanged(kind, x, group, dims, name):
    """What the engine's operation of a group of replicas makes of `x`. `group`: None for all of them."""
    x = [] if x is None else [graph.symbolic(x)]
    dtype = x[0].dtype if x else operations.int32
    return graph.current().add("of_replica_group", x, {"group": group, "kind": kind}, [(dtype, dims)], name).outputs[0]


def over_replicas(name, times):
    """What all replicas, or `replica_group_size` consecutive ones, make of their values: their mean, as a sum as often as there
    are replicas."""
    def function(x, replica_group_size=None, name=None):
        x = graph.convert(x)
        if graph.executing_eagerly():  # on the host, which is one
            return operations.identity(x)
        if not x.dtype.is_floating:
            raise failures.refused(f"ipu.cross_replica_ops.{function.__name__} of {x.dtype.name}", "cast it to float32")
        made = _exchanged("group_mean", x, replica_group_size, x.dims, function.__name__)
        return _exchanged("times_replicas", made, replica_group_size, x.dims, function.__name__ + "/sum") if times else made
    function.__name__ = name
    return function


def assume_equal_across_replicas(tensors, inplace=False):
    """The same: what differs between replicas here differs."""
    return map_structure(operations.identity, tensors)


def replication_index(name=None):
    if graph.executing_eagerly():
        return operations.constant(np.int32(0))
    return _exchanged("group_index", None, None, (), name or "ReplicationIndex")


def replication_normalise(x, name=None):
    """Divided by how many replicas there are."""
    x = graph.convert(x)
    return x if graph.executing_eagerly() else _exchanged("per_replicas", x, None, x.dims, name or "ReplicationNormalise")


def _each(function, tensors):
    """One tensor for one, a list for several."""
    made = [function(graph.convert(each)) for each in flatten(tensors)]
    return made[0] if len(made) == 1 else made


def _on_host(count, function):
    if not graph.executing_eagerly():
        return False
    if count != 1:
        raise errors.InvalidArgumentError(message=f"{function}: the host is one replica, not {count}: call it in what "
                                          "IPUStrategy.run() or ipu_compiler.compile() compiles")
    return True


def all_gather(x, replication_factor, name=None):
    """[replication_factor, …]: what each of the replicas has, on all of them."""
    count = failures.count_of("replication_factor", replication_factor)

    def gathered(value):
        if _on_host(count, "all_gather"):
            return operations.expand_dims(value, 0)
        return _exchanged("group_gather", value, count, (count, *value.dims), name or "AllGather")
    return _each(gathered, x)


def all_to_all(x, split_dimension, concat_dimension, replication_factor, name=None):
    """Part r of the split dimension goes to replica r; what comes of replica r is part r of the dimension of concatenation."""
    count, x = failures.count_of("replication_factor", replication_factor), graph.convert(x)
    rank = len(x.dims)
    split, concat = operations.axis_of(split_dimension, rank), operations.axis_of(concat_dimension, rank)
    if x.dims[split] % count:
        raise errors.InvalidArgumentError(message=f"all_to_all: dimension {split} of {list(x.dims)} is not a multiple of the {count} "
                                          "replicas")
    if _on_host(count, "all_to_all"):
        return operations.identity(x)
    parts = operations.reshape(x, [*x.dims[:split], count, x.dims[split] // count, *x.dims[split + 1:]])
    order = [split, *(each for each in range(rank + 1) if each != split)]
    parts = operations.transpose(parts, order)
    parts = _exchanged("group_all_to_all", parts, count, parts.dims, name or "AllToAll")
    order = list(range(1, rank + 1))
    order.insert(concat, 0)  # which is before the dimension that it goes into
    dims = list(parts.dims[1:])
    dims[concat] *= count
    return operations.reshape(operations.transpose(parts, order), dims)


_REDUCTIONS = {"ADD": "sum", "SQUARE_ADD": "sum", "MEAN": "mean", "MUL": "prod", "MIN": "min", "MAX": "max"}


def reduce_scatter(x, replication_factor, op="COLLECTIVE_OP_ADD", name=None):
    """Of vectors: replica r gets part r of what all make together; zeros fill up the last part."""
    count, which = failures.count_of("replication_factor", replication_factor), op.removeprefix("COLLECTIVE_OP_")
    if which not in _REDUCTIONS:
        raise failures.refused(f"ipu.reduce_scatter_op.reduce_scatter(op={op!r})",
                               "use " + ", ".join(f"COLLECTIVE_OP_{each}" for each in _REDUCTIONS))

    def scattered(value):
        if len(value.dims) != 1:
            raise errors.InvalidArgumentError(message=f"reduce_scatter takes tensors of rank 1, and got {list(value.dims)}")
        value = operations.multiply(value, value) if which == "SQUARE_ADD" else value
        if _on_host(count, "reduce_scatter"):
            return operations.identity(value)
        part = -(-value.dims[0] // count)
        parts = operations.reshape(operations.pad(value, [[0, part * count - value.dims[0]]]), [count, part])
        label = name or "ReduceScatter"
        if _REDUCTIONS[which] == "sum" and value.dtype.is_floating:
            return _exchanged("group_scatter", parts, count, (part,), label)
        parts = _exchanged("group_all_to_all", parts, count, parts.dims, label)
        return operations.MATH["reduce_" + _REDUCTIONS[which]](parts, 0)
    return _each(scattered, x)


def stateful_gradient_accumulate(grad, num_mini_batches, **settings):
    raise failures.refused("gen_poputil_ops.ipu_stateful_gradient_accumulate", "use ipu.optimizers.GradientAccumulationOptimizerV2")


OF_POPLAR = {  # tensorflow.compiler.plugin.poplar.ops
    "gen_popops_ops": {
        "ipu_cross_replica_sum": over_replicas("ipu_cross_replica_sum", True),
        "ipu_cross_replica_mean": over_replicas("ipu_cross_replica_mean", False)},
    "gen_poputil_ops": {
        "ipu_replication_normalise": replication_normalise, "replication_index": replication_index,
        "ipu_stateful_gradient_accumulate": stateful_gradient_accumulate}}
TABLES = {
    "cross_replica_ops": {"cross_replica_sum": over_replicas("cross_replica_sum", True),
                          "cross_replica_mean": over_replicas("cross_replica_mean", False),
                          "assume_equal_across_replicas": assume_equal_across_replicas},
    "replication_ops": {"replication_index": replication_index},
    "all_to_all_op": {"all_gather": all_gather, "all_to_all": all_to_all},
    "reduce_scatter_op": {"reduce_scatter": reduce_scatter}}
