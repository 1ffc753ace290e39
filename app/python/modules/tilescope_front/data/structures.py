# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.data.Iterator of TensorFlow 1 that several data sets initialise in turn."""
from . import pipelines as data
from ..tensors import graph
from ..dtypes import TensorShape, as_dtype
from ..structure import flatten, pack_like


class _Initial:
    """Begins an iterator with one of its data sets."""

    def __init__(self, iterator, dataset):
        self.iterator, self.dataset = iterator, dataset

    def restart(self, step):
        self.iterator.running[id(step.session)] = data.Bound(self.dataset, step)


class Iterator(data.OfSessions):
    """tf.data.Iterator.from_structure."""

    def __init__(self, types, shapes):
        self.types, self.running = types, {}
        self.shapes = [None] * len(flatten(types)) if shapes is None else [TensorShape(each).dims_ for each in data.shapes_like(types, shapes)]

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        return Iterator(output_types, output_shapes)

    def make_initializer(self, dataset, name=None):
        specs, own = dataset.flat_specs(), flatten(self.types)
        if [each.dtype.name for each in specs] != [as_dtype(each).name for each in own]:
            raise TypeError(f"Expected output types {[as_dtype(each).name for each in own]} but got dataset with output types "
                            f"{[each.dtype.name for each in specs]}.")
        return graph.current().add("iterator_init", [], {"iterator": _Initial(self, dataset)}, [], name or "MakeIterator")

    def get_next(self, name=None):
        types = [(as_dtype(each), shape) for each, shape in zip(flatten(self.types), self.shapes)]
        op = graph.current().add("iterator", [], {"iterator": self}, types, name or "IteratorGetNext")
        return pack_like(self.types, op.outputs)


def _types_of(dataset):
    return pack_like(dataset._structure, [each.dtype for each in dataset.flat_specs()])


def _shapes_of(dataset):
    return pack_like(dataset._structure, [each.shape for each in dataset.flat_specs()])


def add_names():
    from .. import names
    data.Dataset.output_types, data.Dataset.output_shapes = property(_types_of), property(_shapes_of)
    names.module("tensorflow.compat.v1.data", Iterator=Iterator, get_output_types=_types_of, get_output_shapes=_shapes_of)
