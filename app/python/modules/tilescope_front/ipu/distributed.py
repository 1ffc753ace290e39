# SPDX-License-Identifier: GPL-3.0-or-later
"""popdist, ipu.distributed, ipu.horovod and the strategies of several workers: of --num-instances processes, with as many
replicas in all as --num-replicas says, as poprun starts them."""
import contextlib
import json
import os

import numpy as np

from .. import failures, host, instances, ipu_config, names, strategies
from . import strategy
from ..operations import elementary as operations
from ..tracing import gradients
from ..tensors import graph


def replicas():
    return host.options.get("replicas", 0) or 1


class _OfReplicas(strategy.IPUStrategy):
    """A strategy whose optimisers add up the gradients of all replicas."""

    num_replicas_in_sync = property(lambda self: replicas())
    gradient_reduction = "mean"  # Keras divides its losses by the replicas

    def __init__(self, ipu_device="/device:IPU:0", variables_on_host=False, add_ipu_cross_replica_reductions=True,
                 enable_dataset_iterators=True, enable_keras_extensions=True):
        super().__init__(ipu_device)
        if variables_on_host:
            host.tell_once("tilescope: variables_on_host has no effect here: variables are on the device")
        if not add_ipu_cross_replica_reductions:
            raise failures.refused(f"{type(self).__name__}(add_ipu_cross_replica_reductions=False)", "use IPUStrategy")

    @contextlib.contextmanager
    def scope(self):
        with super().scope(), gradients.exchanged(replicated=True, of_replicas="sum"):
            yield self

    def _of_hosts(self, value, kind):
        return value if instances.count() == 1 else exchanged(value, kind)


class PopDistStrategy(_OfReplicas):
    """ipu.distributed.popdist_strategy.PopDistStrategy."""


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
        super().__init__(ipu_device, variables_on_host, add_ipu_cross_replica_reductions)
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


def _how(op):
    """"sum" or "mean", as tf.distribute.ReduceOp and Horovod name them; where nothing is said it is the mean."""
    name = "mean" if op is None else str(getattr(op, "value", op)).lower()
    name = "mean" if name == "average" else name
    if name not in ("sum", "mean"):
        raise failures.refused(f"allreduce with the operation {op}", "take the sum or the mean")
    return name


def allreduce(value, reduce_op=None, tensor_name=None):
    """ipu.distributed.allreduce."""
    return exchanged(value, _how(reduce_op))


def horovod_allreduce(tensor, op=None, prescale_factor=1.0, postscale_factor=1.0, average=None, name=None):
    """ipu.horovod.allreduce; `average`: as Horovod had it before it had `op`."""
    if average is not None and op is not None:
        raise ValueError("The op parameter supersedes average. Please provide only one of them.")
    made = exchanged(_scaled(tensor, prescale_factor), _how("sum" if average is False else op))
    return _scaled(made, postscale_factor)


def _scaled(tensor, factor):
    return tensor if factor == 1 else operations.multiply(tensor, factor)


def broadcast(value, root_rank=0, tensor_name=None, name=None):
    return exchanged(value, int(root_rank))


def allgather(value, tensor_name=None):
    """ipu.distributed.allgather: what each instance has, one after the other along a new first axis."""
    return exchanged(value, "gather")


def horovod_allgather(tensor, name=None):
    """ipu.horovod.allgather: the rows that all instances have."""
    rows = graph.convert(tensor).dims[1:]
    return operations.reshape(exchanged(tensor, "gather"), [-1, *rows])


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
    names.module("tensorflow.python.ipu.distributed", allreduce=allreduce, broadcast=broadcast,
                 allgather=allgather)
    for below, name in (("ipu_horovod_strategy", "IPUHorovodStrategy"), ("ipu_multi_replica_strategy", "IPUMultiReplicaStrategy")):
        for each in (name, name + "V1"):
            names.module(f"tensorflow.python.ipu.horovod.{below}", {each: PopDistStrategy})
    for below in ("distributed", "horovod"):
        names.module(f"tensorflow.python.ipu.{below}.popdist_strategy", PopDistStrategy=PopDistStrategy)
    names.module("tensorflow.python.ipu.horovod", init=_always(None), shutdown=_always(None), size=instances.count,
                 rank=instances.index, local_size=instances.count, local_rank=instances.index,
                 allreduce=horovod_allreduce, broadcast=broadcast, allgather=horovod_allgather, Sum="Sum", Average="Average")
    names.module("tensorflow.python.ipu.ipu_multi_worker_strategy", IPUMultiWorkerStrategy=IPUMultiWorkerStrategy,
                 IPUMultiWorkerStrategyV1=IPUMultiWorkerStrategy)
    names.module("tensorflow.python.distribute.distribution_strategy_context", get_strategy=strategy.current_or_none,
                 has_strategy=lambda: strategies.current() is not None)
    names.module("tensorflow.python.distribute.reduce_util", ReduceOp=ReduceOp)
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".distribute", ReduceOp=ReduceOp, get_strategy=strategy.current_or_none,
                     has_strategy=lambda: strategies.current() is not None)
        names.module(module + ".distribute.cluster_resolver", TFConfigClusterResolver=TFConfigClusterResolver)
