# SPDX-License-Identifier: GPL-3.0-or-later
"""How data sets are printed: by the class that TensorFlow has for what made them, with shapes and types of their elements."""
import copy
import functools

from . import pipelines as data
from ..structure import pack_like

_CLASSES = {"from_tensors": "Tensor", "from_tensor_slices": "TensorSlice", "from_generator": "FlatMap", "enumerate": "Zip", "unbatch": "_Unbatch",
            "with_options": "_Options", "flat_map": "FlatMap", "padded_batch": "PaddedBatch", "group_by_window": "GroupByWindow", **{
                name: name.capitalize() for name in ("range", "zip", "concatenate", "prefetch", "repeat", "shuffle", "cache", "take", "skip", "shard",
                                                     "batch", "map", "interleave", "filter", "window", "unique", "random", "scan")}}


def shown_as(name, function):
    """The method of this name, whose data sets are of the class that it makes."""
    @functools.wraps(function)
    def made(*args, **kwargs):
        result = function(*args, **kwargs)
        if not isinstance(result, data.Dataset):
            return result
        if any(result is each for each in args):  # as it was, but by name
            result = copy.copy(result)
        parallel = "Parallel" if kwargs.get("num_parallel_calls") is not None and name in ("map", "interleave", "batch") else ""
        result.class_name = f"{parallel}{_CLASSES[name]}Dataset"
        return result
    return made


def _shown(dataset):
    specs, name = dataset.flat_specs(), getattr(dataset, "class_name", "Dataset")
    if not specs:  # of no elements
        return f"<{name}>"
    texts = ["<unknown>" if each.shape.dims_ is None else f"({', '.join(map(str, each.shape.dims_))}{',' * (len(each.shape.dims_) == 1)})"
             for each in specs]
    shapes, types = (str(pack_like(dataset._structure, each)).replace("'", "") for each in (texts, [f"tf.{each.dtype.name}" for each in specs]))
    return f"<{name} shapes: {shapes}, types: {types}>"


def add_names():
    for name in _CLASSES:
        method = vars(data.Dataset).get(name)
        if method is not None:
            setattr(data.Dataset, name, staticmethod(shown_as(name, method.__func__)) if isinstance(method, staticmethod) else shown_as(name, method))
    data.Dataset.__repr__ = data.Dataset.__str__ = _shown
