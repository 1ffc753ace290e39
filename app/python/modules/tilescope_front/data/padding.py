# SPDX-License-Identifier: GPL-3.0-or-later
"""Transformations of tf.data that pad elements to one shape, carry a state along, or end early."""
import itertools

import numpy as np

from . import pipelines as data, passes as data_passes
from .. import errors, failures
from ..tensors import graph
from ..dtypes import TensorShape, TensorSpec
from ..structure import flatten, pack_like


def _shapes_of(given, structure, parts):
    """The shape that each part is padded to, None where an extent follows from the elements; of lists for one part, too."""
    if given is None:
        return [None] * parts
    shapes = data.shapes_like(structure, given)
    return [None if each is None else [None if extent is None or extent < 0 else int(extent) for extent in TensorShape(each).dims_]
            for each in shapes]


def _padded(arrays, shape, value):
    """Arrays of a batch as one, each filled up at its ends."""
    rank = arrays[0].ndim
    if shape is not None and len(shape) != rank:
        raise ValueError(f"`padded_shapes` has rank {len(shape)} where elements have rank {rank}.")
    extents = [max(each.shape[i] for each in arrays) if shape is None or shape[i] is None else shape[i] for i in range(rank)]
    made = np.full([len(arrays), *extents], value, arrays[0].dtype)
    for number, each in enumerate(arrays):
        if any(own > extent for own, extent in zip(each.shape, extents)):
            raise errors.DataLossError(message=f"Attempted to pad to a smaller size than the input element: {list(each.shape)} to "
                                       f"{extents}.")
        made[(number, *(slice(extent) for extent in each.shape))] = each
    return made


def padded_batch(dataset, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
    size = failures.count_of("batch_size", batch_size)
    first = data_passes.first_of(dataset.arrays)
    parts = len(first) if first is not None else len(flatten(dataset._structure))
    shapes = _shapes_of(padded_shapes, dataset._structure, parts)
    values = flatten(padding_values) if isinstance(padding_values, (tuple, dict)) else [padding_values] * parts
    if len(values) != parts:
        raise ValueError(f"`padding_values` has {len(values)} values, and elements have {parts} parts.")

    def make():
        for chunk in data_passes.chunks(dataset.arrays(), size, drop_remainder):
            columns = [[np.asarray(each) for each in column] for column in zip(*chunk)]
            yield [_padded(column, shape, _filling(value, column[0])) for column, shape, value in zip(columns, shapes, values)]

    length = dataset._length if dataset._length < 0 else dataset._length // size if drop_remainder else -(-dataset._length // size)
    specs = [TensorSpec([size if drop_remainder else None, *_extents(shape, spec)], spec.dtype)
             for shape, spec in zip(shapes, dataset.flat_specs())]
    return data.Dataset(make, dataset._structure, length, open_batch=not drop_remainder, specs=specs)


def _filling(value, array):
    if value is None:
        return b"" if array.dtype.kind in "OS" else 0
    from ..operations import elementary as operations
    return operations.known(value) if hasattr(value, "dims") else value


def _extents(shape, spec):
    own = spec.shape.dims_ or ()
    return list(own) if shape is None else [extent if given is None else given for given, extent in zip(shape, own)]


def scan(dataset, initial_state, scan_func, name=None):
    """What scan_func(state, element) gives beside the next state."""
    def make():
        state = data._lists_as_tensors(initial_state)
        state = pack_like(state, [graph.convert(each) for each in flatten(state)])
        for leaves in dataset.arrays():
            element = dataset._element(leaves)
            with graph.at_once():
                given = scan_func(state, element)
            if not isinstance(given, tuple) or len(given) != 2:
                raise TypeError("The scan function must return a pair comprising the new state and the output value.")
            state, made = given
            yield made

    first = data_passes.first_of(make)
    return data.Dataset(lambda: ([data._array(leaf) for leaf in flatten(made)] for made in make()), first, dataset._length)


def take_while(dataset, predicate, name=None):
    return dataset._like(lambda: itertools.takewhile(lambda leaves: bool(dataset._made_of(leaves, predicate)), dataset.arrays()),
                         data.UNKNOWN)


METHODS = {"padded_batch": padded_batch, "scan": scan, "take_while": take_while}
for _name, _method in METHODS.items():
    setattr(data.Dataset, _name, _method)
def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None,
                        prefetch_input_elements=None):
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


EXPERIMENTAL = {"scan": lambda initial_state, scan_func: lambda dataset: scan(dataset, initial_state, scan_func),
                "take_while": lambda predicate: lambda dataset: take_while(dataset, predicate),
                "parallel_interleave": parallel_interleave, "unbatch": lambda: lambda dataset: dataset.unbatch()}
