# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.data's batches of elements of about one length, counters, and statistics, which are of no pipeline here."""
import itertools

import numpy as np

from . import pipelines as data, mixing as data_mixing, padding as data_padding
from .. import errors, failures, host
from ..tensors import graph


def bucket_by_sequence_length(dataset, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None, padding_values=None,
                              pad_to_bucket_boundary=False, no_padding=False, drop_remainder=False, name=None):
    """Batches of elements whose lengths lie between two boundaries, padded to one length; a batch size for each such bucket."""
    boundaries, sizes = [int(each) for each in bucket_boundaries], [int(each) for each in bucket_batch_sizes]
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)={len(sizes)}` and "
                         f"`len(bucket_boundaries)={len(boundaries)}`.")

    several = isinstance(dataset._structure, tuple)
    given = [spec.shape.dims_ for spec in dataset.flat_specs()] if padded_shapes is None else list(padded_shapes) if several else [padded_shapes]
    if pad_to_bucket_boundary and all(None not in shape for shape in given):  # a shape is the first element's, unless it was said
        raise failures.refused("tf.data.experimental.bucket_by_sequence_length(pad_to_bucket_boundary=True) of elements whose shapes are known",
                               "give it padded_shapes, with None for the lengths that differ")

    def bucket_of(*element):
        length = int(np.asarray(element_length_func(*element)))
        return graph.EagerTensor(np.int64(np.searchsorted(boundaries, length, "right")))

    def batch(key, window):
        number = int(np.asarray(key))
        if no_padding:
            return window.batch(sizes[number], drop_remainder=drop_remainder)
        shapes = padded_shapes
        if pad_to_bucket_boundary:
            if number == len(boundaries):
                raise ValueError("When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).")
            filled = [tuple(boundaries[number] - 1 if extent is None else extent for extent in shape) for shape in given]
            shapes = tuple(filled) if several else filled[0]
        return data_padding.padded_batch(window, sizes[number], shapes, padding_values, drop_remainder)
    return data_mixing.group_by_window(dataset, bucket_of, batch, window_size_func=lambda key: sizes[int(np.asarray(key))])


def counter(start=0, step=1, dtype=np.int64, name=None):
    """Whole numbers without end, `step` apart."""
    kind = graph.as_dtype(dtype).as_numpy_dtype
    return data.Dataset(lambda: ([kind(each)] for each in itertools.count(int(start), int(step))), kind(0), data.INFINITE)


def get_single_element(dataset, name=None):
    """The one element of a data set. Errors: InvalidArgumentError where it has none, or more."""
    elements = list(itertools.islice(iter(dataset), 2))
    if len(elements) != 1:
        raise errors.InvalidArgumentError(message="Dataset had more than one element." if elements else "Dataset was empty.")
    return elements[0]


class StatsAggregator:
    """tf.data.experimental's, which has nothing to tell: there are no summaries."""

    def __init__(self):
        host.tell_once("tilescope: summaries are not written: tf.data.experimental.StatsAggregator has no effect here")

    def get_summary(self):
        return graph.EagerTensor(np.array(b"", object))


def _unchanged(*args, **kwargs):
    return lambda dataset: dataset


EXPERIMENTAL = {"bucket_by_sequence_length": data_mixing.applied(bucket_by_sequence_length), "Counter": counter, "StatsAggregator": StatsAggregator,
                "get_single_element": get_single_element, "bytes_produced_stats": _unchanged, "latency_stats": _unchanged}


def add_names():
    from .. import names
    data.Dataset.bucket_by_sequence_length = bucket_by_sequence_length
    data.Dataset.counter, data.Dataset.get_single_element = staticmethod(counter), get_single_element
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".data.experimental", EXPERIMENTAL)
