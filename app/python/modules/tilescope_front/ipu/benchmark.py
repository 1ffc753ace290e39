# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.dataset_benchmark: how fast this machine makes the elements of a data set, in wall time."""
import itertools
import json
from time import perf_counter

import numpy as np

from . import pipelining
from .. import errors, host
from ..data import pipelines as data
from ..tensors import graph


def _measured(elements, epochs, count, print_stats):
    """The statistics as text, [1]."""
    rows = []
    for _ in range(epochs):
        begun, size, made = perf_counter(), 0, 0
        for leaves in itertools.islice(elements, count):
            size += sum(np.asarray(each).nbytes for each in leaves)
            made += 1
        seconds = perf_counter() - begun
        if made < count:
            raise errors.OutOfRangeError(message=f"the data set has {made} elements for an epoch of {count}; use `repeat()`")
        rows.append({"elements_processed": made, "total_bytes_processed": size, "time_elapsed": seconds,
                     "elements_per_second": made / seconds, "bandwidth": size / seconds / 1e9})
        if print_stats:
            host.tell(f"Processed: {made / seconds:.6g} elements/second.")
            host.tell(f"Bandwidth: {size / seconds / 1e9:.6g} GB/s.")
    text = np.empty(1, object)
    text[0] = json.dumps({"epochs": rows}).encode()
    return text


class _Benchmark:
    """What the operation of a graph runs."""

    def __init__(self, dataset, *arguments):
        self.dataset, self.arguments = dataset, arguments

    def run(self, step):
        return _measured(data.Bound(self.dataset, step), *self.arguments)


def dataset_benchmark(dataset, number_of_epochs, elements_per_epochs, print_stats=True, apply_options=True, do_memcpy=True):
    """Takes the elements of a data set, and says how long that took, epoch by epoch."""
    for name, value in (("number_of_epochs", number_of_epochs), ("elements_per_epochs", elements_per_epochs)):
        if value < 1:
            raise ValueError(f"Expected `{name}` to be at least 1.")
    if not isinstance(dataset, data.Dataset):
        raise TypeError(f"Expected `dataset` argument to be of type `tf.data.Dataset`, but got {dataset} instead.")
    made = _Benchmark(dataset, int(number_of_epochs), int(elements_per_epochs), print_stats)
    if graph.executing_eagerly():
        return graph.EagerTensor(made.run(None))
    return graph.current().add("benchmark", [], {"benchmark": made}, [("string", (1,))], "dataset_benchmark").outputs[0]


def infeed_benchmark(infeed_queue, number_of_epochs, elements_per_epochs, print_stats=True, do_memcpy=True):
    """The same of the data set of an infeed queue."""
    if not isinstance(infeed_queue, pipelining.IPUInfeedQueue):
        raise TypeError(f"Expected `infeed_queue` argument to be of type `ipu.ipu_infeed_queue.IPUInfeedQueue`, but got "
                        f"{infeed_queue} instead.")
    return dataset_benchmark(infeed_queue.dataset, number_of_epochs, elements_per_epochs, print_stats)


NAMES = {"dataset_benchmark": dataset_benchmark, "infeed_benchmark": infeed_benchmark}
