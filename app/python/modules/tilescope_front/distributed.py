# SPDX-License-Identifier: GPL-3.0-or-later
"""popdist, ipu.distributed, ipu.horovod and the strategies of several workers: of --num-instances processes, with as many
replicas in all as --num-replicas says, as poprun starts them."""
import contextlib
import json
import os

import numpy as np

from . import failures, gradients, graph, host, instances, ipu_config, names, operations, strategy


def replicas():
    return host.options.get("replicas", 0) or 1


class _OfReplicas(strategy.IPUStrategy):
    """A strategy whose optimisers add up the gradients of all replicas."""

    num_replicas_in_sync = property(lambda self: replicas())
    gradient_reduction = "mean"  # Keras divides its losses by the replicas

    @contextlib.contextmanager
    def scope(self):
        with super().scope(), gradients.exchanged(replicated=True, of_replicas="sum"):
            yield self

    def reduce(self, reduce_op, value, axis=None):
        """Over replicas, where the value is of a loop on the device."""
        value = graph.convert(value)
        if not graph.is_symbolic(value) or ipu_config.ipus()[0] == 1:
            return value
        kind = str(getattr(reduce_op, "value", reduce_op)).lower()
        return graph.current().add("over_replicas", [value], {"mean": kind == "mean"}, [(value.dtype, value.dims)],
                                   "reduce").outputs[0]


def _tell_of_variables(on_host):
    if on_host:
        host.tell_once("tilescope: variables_on_host has no effect here: variables are on the device")


class PopDistStrategy(_OfReplicas):
    """ipu.distributed.popdist_strategy.PopDistStrategy."""

    def __init__(self, ipu_device="/device:IPU:0", variables_on_host=False, add_ipu_cross_replica_reductions=True,
                 enable_dataset_iterators=True, enable_keras_extensions=True):
        super().__init__(ipu_device)
        _tell_of_variables(variables_on_host)
        if not add_ipu_cross_replica_reductions:
            raise failures.refused("PopDistStrategy(add_ipu_cross_replica_reductions=False)", "use IPUStrategy")


class TFConfigClusterResolver:
    """tf.distribute.cluster_resolver.TFConfigClusterResolver: each instance is a worker."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        told = json.loads(os.environ.get("TF_CONFIG", "") or "{}")
        workers = told.get("cluster", {}).get("worker", [])
        if len(workers) > 1 and len(workers) != instances.count():
            raise failures.refused(f"a TF_CONFIG with {len(workers)} workers", "start them together, with tilescope run "
                                   f"--num-instances {len(workers)}")
        self.task_type, self.task_id, self.workers = "worker", instances.index(), workers

    def cluster_spec(self):
        return {"worker": self.workers}

    def num_accelerators(self, *args, **kwargs):
        return {}


class IPUMultiWorkerStrategy(_OfReplicas):
    """ipu.ipu_multi_worker_strategy: each instance is a worker with IPUs of its own, which the script configures."""

    def __init__(self, cluster_resolver=None, ipu_device="/device:IPU:0", variables_on_host=False,
                 add_ipu_cross_replica_reductions=True, enable_dataset_iterators=True, enable_keras_extensions=True):
        super().__init__(ipu_device)
        _tell_of_variables(variables_on_host)
        if instances.count() > 1:
            ipu_config.take_across_instances(instances.count())

    num_replicas_in_sync = property(lambda self: ipu_config.ipus()[0])


def set_ipu_config(config, ipus_per_replica=None, configure_device=True):
    config.auto_select_ipus = (ipus_per_replica or 1) * replicas()
    if instances.count() > 1:
        ipu_config.take_across_instances(1)
    if configure_device:
        config.configure_ipu_system()


def _reduced(values, op):
    total = sum(values[1:], values[0])
    return np.asarray(total / len(values) if op == "mean" else total, values[0].dtype)


def exchanged(value, how):
    """What all instances make of what each has: "sum", "mean", "gather", or the number of the one that it is of."""
    tensor = graph.convert(value)
    if graph.is_symbolic(tensor):
        if instances.count() == 1:
            return operations.expand_dims(tensor, 0) if how == "gather" else operations.identity(tensor)
        dims = (instances.count(), *tensor.dims) if how == "gather" else tensor.dims
        return graph.current().add("between_instances", [tensor], {"how": how}, [(tensor.dtype, dims)], "exchanged").outputs[0]
    return graph.EagerTensor(combined(tensor.value, how))


def combined(array, how):
    values = instances.of_all(array, f"an exchange of {how}")
    if how == "gather":
        return np.stack(values)
    return _reduced(values, how) if how in ("sum", "mean") else values[how]


def _allreduce(default):
    def allreduce(tensor, average=None, device_dense="", device_sparse="", compression=None, op=None, name=None, **unused):
        given = str(getattr(op, "value", op) or "").lower()
        how = "mean" if given in ("average", "mean") or average or (op is None and default == "mean") else "sum"
        return exchanged(tensor, how)
    return allreduce


def broadcast(tensor, root_rank=0, name=None, tensor_name=None):
    return exchanged(tensor, root_rank if isinstance(root_rank, int) else 0)


def allgather(tensor, name=None, tensor_name=None):
    return exchanged(tensor, "gather")


class ReduceOp:
    """tf.distribute.ReduceOp."""

    SUM, MEAN = "SUM", "MEAN"


def _always(value):
    return lambda *args: value


def add_names():
    names.module("popdist", isPopdistEnvSet=lambda: bool(host.options.get("replicas", 0)), getNumInstances=instances.count,
                 getInstanceIndex=instances.index, getReplicaIndexOffset=lambda: instances.own_part(replicas())[0], init=_always(None),
                 getNumTotalReplicas=lambda *args: replicas(), getNumLocalReplicas=lambda *args: replicas() // instances.count(),
                 getNumIpusPerReplica=lambda *args: max(ipu_config.ipus()[0] // replicas(), 1), getDeviceId=_always(0))
    names.module("popdist.tensorflow", set_ipu_config=set_ipu_config)
    names.module("tensorflow.python.ipu.distributed", allreduce=_allreduce("sum"), broadcast=broadcast,
                 allgather=allgather)
    for below, name in (("ipu_horovod_strategy", "IPUHorovodStrategy"), ("ipu_multi_replica_strategy", "IPUMultiReplicaStrategy")):
        for each in (name, name + "V1"):
            names.module(f"tensorflow.python.ipu.horovod.{below}", {each: PopDistStrategy})
    for below in ("distributed", "horovod"):
        names.module(f"tensorflow.python.ipu.{below}.popdist_strategy", PopDistStrategy=PopDistStrategy)
    names.module("tensorflow.python.ipu.horovod", init=_always(None), shutdown=_always(None), size=instances.count,
                 rank=instances.index, local_size=instances.count, local_rank=instances.index,
                 allreduce=_allreduce("mean"), broadcast=broadcast, allgather=allgather, Sum="Sum", Average="Average")
    names.module("tensorflow.python.ipu.ipu_multi_worker_strategy", IPUMultiWorkerStrategy=IPUMultiWorkerStrategy,
                 IPUMultiWorkerStrategyV1=IPUMultiWorkerStrategy)
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".distribute", ReduceOp=ReduceOp, get_strategy=strategy.current_or_none,
                     has_strategy=lambda: strategy.current() is not None)
        names.module(module + ".distribute.cluster_resolver", TFConfigClusterResolver=TFConfigClusterResolver)
