# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.lookup: tables of the host, of keys and values, for data sets."""
import numpy as np

from ..operations import elementary as operations
from .. import dtypes, failures
from . import pipelines as data
from ..tensors import graph


def _values(given, dtype):
    kind = dtypes.as_dtype(dtype) if dtype is not None else graph.convert(given).dtype
    if kind.name == "string":
        return [each.encode() for each in data.texts_of(given)], kind
    return [kind.as_numpy_dtype(each) for each in np.ravel(operations.known(given) if hasattr(given, "dims") else given)], kind


class KeyValueTensorInitializer:
    """tf.lookup's: keys, and as many values."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        (self.keys, self.key_dtype), (self.values, self.value_dtype) = _values(keys, key_dtype), _values(values, value_dtype)
        if len(self.keys) != len(self.values):
            raise ValueError(f"There are {len(self.keys)} keys and {len(self.values)} values.")


class TextFileIndex:
    WHOLE_LINE, LINE_NUMBER = -2, -1


class TextFileInitializer(KeyValueTensorInitializer):
    """tf.lookup's: of a file, whose lines or their columns are keys and values."""

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t", name=None, value_index_offset=0):
        with open(filename, encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line in file][:vocab_size]

        def column(index, dtype):
            if index == TextFileIndex.LINE_NUMBER:
                return list(range(len(lines)))
            found = lines if index == TextFileIndex.WHOLE_LINE else [line.split(delimiter)[index] for line in lines]
            return found if dtypes.as_dtype(dtype).name == "string" else [float(each) for each in found]
        super().__init__(column(key_index, key_dtype), column(value_index, value_dtype), key_dtype, value_dtype)


class StaticHashTable:
    """tf.lookup's: the value of each key, or the default."""

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        self.key_dtype, self.value_dtype = initializer.key_dtype, initializer.value_dtype
        self.table = dict(zip(initializer.keys, initializer.values))
        self.default = _values([default_value], self.value_dtype)[0][0]
        self.default_value, self.initializer = graph.EagerTensor(np.array(self.default, self.value_dtype.as_numpy_dtype)), graph.group()

    def size(self, name=None):
        return graph.EagerTensor(np.int64(len(self.table)))

    def lookup(self, keys, name=None):
        if operations.known_or_none(keys) is None if graph.is_symbolic(keys) else False:
            raise failures.refused("tf.lookup.StaticHashTable.lookup() in a program", "the device has no tables: look up in Dataset.map()")
        array = np.asarray(operations.known(keys) if hasattr(keys, "dims") else np.array(keys, self.key_dtype.as_numpy_dtype))
        found = [self.table.get(each, self.default) for each in _values(array, self.key_dtype)[0]]
        made = np.empty(len(found), self.value_dtype.as_numpy_dtype)
        made[:] = found
        return graph.EagerTensor(made.reshape(array.shape))

    __getitem__ = lookup


def add_names():
    from .. import names
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".lookup", KeyValueTensorInitializer=KeyValueTensorInitializer, TextFileInitializer=TextFileInitializer,
                     TextFileIndex=TextFileIndex, StaticHashTable=StaticHashTable)
