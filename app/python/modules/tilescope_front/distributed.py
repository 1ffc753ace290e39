# SPDX-License-Identifier: GPL-3.0-or-later
"""popdist, ipu.distributed, ipu.horovod and the strategies of several workers: of one process, with as many replicas as
--num-replicas says, as if `poprun --num-instances 1` had started it."""
import json
import os

from . import failures, host, ipu_config, names, operations, strategy


def replicas():
    return host.options.get("replicas", 0) or 1


class PopDistStrategy(strategy.IPUStrategy):
    """Divides Keras' loss by the replicas, whose gradients it adds up: their mean."""

    def __init__(self, ipu_device="/device:IPU:0", add_ipu_cross_replica_reductions=True,
                 enable_dataset_iterators=True, enable_keras_extensions=True):
        super().__init__(ipu_device)

    num_replicas_in_sync = property(lambda self: replicas())
    gradient_reduction = "mean"


class TFConfigClusterResolver:
    """tf.distribute.cluster_resolver.TFConfigClusterResolver: of the one worker that there is."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        told = json.loads(os.environ.get("TF_CONFIG", "") or "{}")
        workers = told.get("cluster", {}).get("worker", [])
        if len(workers) > 1:
            raise failures.refused(f"a TF_CONFIG with {len(workers)} workers", "there is one process; name one worker, and "
                                   "give it the replicas")
        self.task_type, self.task_id, self.workers = "worker", 0, workers

    def cluster_spec(self):
        return {"worker": self.workers}

    def num_accelerators(self, *args, **kwargs):
        return {}


class IPUMultiWorkerStrategy(strategy.IPUStrategy):
    """ipu.ipu_multi_worker_strategy: with one worker, what IPUStrategy does."""

    def __init__(self, cluster_resolver=None, ipu_device="/device:IPU:0", add_ipu_cross_replica_reductions=True,
                 enable_dataset_iterators=True, enable_keras_extensions=True):
        super().__init__(ipu_device)


def set_ipu_config(config, ipus_per_replica=None, configure_device=True):
    config.auto_select_ipus = (ipus_per_replica or 1) * replicas()
    if configure_device:
        config.configure_ipu_system()


def _whole(value, *args, **kwargs):
    """Of one process, what all have."""
    return value


def _always(value):
    return lambda *args: value


def add_names():
    names.module("popdist", isPopdistEnvSet=lambda: bool(host.options.get("replicas", 0)), getNumInstances=_always(1),
                 getInstanceIndex=_always(0), getReplicaIndexOffset=_always(0), init=_always(None),
                 getNumTotalReplicas=lambda *args: replicas(), getNumLocalReplicas=lambda *args: replicas(),
                 getNumIpusPerReplica=lambda *args: max(ipu_config.ipus()[0] // replicas(), 1), getDeviceId=_always(0))
    names.module("popdist.tensorflow", set_ipu_config=set_ipu_config)
    names.module("tensorflow.python.ipu.distributed", allreduce=_whole, broadcast=_whole,
                 allgather=lambda value, tensor_name=None: operations.expand_dims(value, 0))
    for below in ("distributed", "horovod"):
        names.module(f"tensorflow.python.ipu.{below}.popdist_strategy", PopDistStrategy=PopDistStrategy)
    names.module("tensorflow.python.ipu.horovod", init=_always(None), shutdown=_always(None), size=_always(1),
                 rank=_always(0), local_size=_always(1), local_rank=_always(0), allreduce=_whole, broadcast=_whole,
                 Sum="Sum", Average="Average")
    names.module("tensorflow.python.ipu.ipu_multi_worker_strategy", IPUMultiWorkerStrategy=IPUMultiWorkerStrategy,
                 IPUMultiWorkerStrategyV1=IPUMultiWorkerStrategy)
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".distribute.cluster_resolver", TFConfigClusterResolver=TFConfigClusterResolver)
