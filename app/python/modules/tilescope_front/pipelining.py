# SPDX-License-Identifier: GPL-3.0-or-later
"""Infeed and outfeed queues, and the enumerations of pipelines."""
import enum

import numpy as np

from . import graph
from .dtypes import TensorSpec
from .structure import flatten, pack_like


class PipelineSchedule(enum.Enum):
    Grouped, Interleaved, Sequential = range(3)


class RecomputationMode(enum.Enum):
    Auto, RecomputeThenBackpropagate, RecomputeAndBackpropagateInterleaved = range(3)


class IPUOutfeedMode(enum.Enum):
    ALL, LAST = "all", "get_last"


class IPUInfeedQueue:
    """A data set that a loop on the device reads, one element for each step."""

    def __init__(self, dataset, *older, device_ordinal=None, prefetch_depth=None, optimise_latency=False,
                 feed_name=None, replication_factor=1, data_to_prefetch=1):
        if prefetch_depth is not None and not 0 < prefetch_depth <= 255:
            raise ValueError(f"prefetch_depth must be between 1 and 255, got {prefetch_depth}")
        for spec in dataset.flat_specs():
            if not spec.shape.is_fully_defined():
                raise ValueError(f"Datasets containing tensors with unknown shapes such as {spec.shape} are not "
                                 "supported: use `batch(size, drop_remainder=True)`.")
        self.dataset, self.running = dataset, None
        self.initializer = graph.current().add("iterator_init", [], {"iterator": self}, [], "infeed_initializer")
        self.deleter = graph.group()

    number_of_tuple_elements = property(lambda self: len(self.dataset.flat_specs()))

    def restart(self, session):
        self.running = self.dataset.arrays()

    def traced_element(self):
        types = [(spec.dtype, spec.shape.dims_) for spec in self.dataset.flat_specs()]
        op = graph.current().add("dequeue", [], {"queue": self}, types, "infeed_dequeue")
        return pack_like(self.dataset._structure, op.outputs)

    def next_element(self):
        if self.running is None:
            raise RuntimeError("The infeed queue has not been initialised: run its `initializer` first.")
        element = next(self.running, None)
        if element is None:
            raise RuntimeError("Infeed dataset iterator out of range: there are no more elements; use `repeat()`.")
        return element


class IPUOutfeedQueue:
    """What a loop on the device gives back, step by step."""

    def __init__(self, *older, outfeed_mode=None, device_ordinal=None, buffer_depth=3, optimise_latency=False,
                 feed_name=None, replication_factor=None, io_batch_size=1):
        self.mode = outfeed_mode or next((o for o in older if isinstance(o, IPUOutfeedMode)), IPUOutfeedMode.ALL)
        self.structure, self.specs, self.received = None, [], []
        self.deleter = graph.group()

    enqueued = property(lambda self: self.structure is not None)

    def enqueue(self, tensors):
        if self.structure is not None:
            raise ValueError("The outfeed queue has already been enqueued to in this graph.")
        leaves = [graph.symbolic(each) for each in flatten(tensors)]
        self.structure = tensors
        self.specs = [TensorSpec(each.dims, each.dtype) for each in leaves]
        return graph.current().add("enqueue", leaves, {"queue": self}, [], "outfeed_enqueue")

    def receive(self, arrays):
        self.received = [arrays] if self.mode is IPUOutfeedMode.LAST else self.received + [arrays]

    def dequeue(self, wait_for_completion=False):
        if self.structure is None:
            raise ValueError("Trying to dequeue an outfeed which has not been enqueued.")
        lead = () if self.mode is IPUOutfeedMode.LAST else (None,)
        types = [(spec.dtype, lead + tuple(spec.shape)) for spec in self.specs]
        op = graph.current().add("outfeed_dequeue", [], {"queue": self}, types, "outfeed_dequeue")
        return pack_like(self.structure, op.outputs)

    def take(self):
        """What has come since the last time."""
        rows, self.received = self.received, []
        if self.mode is IPUOutfeedMode.LAST:
            return rows[0]
        return [np.stack(column) if rows else np.zeros((0,) + tuple(spec.shape), spec.dtype.as_numpy_dtype)
                for column, spec in zip(zip(*rows) if rows else self.specs, self.specs)]
