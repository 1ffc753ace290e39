# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.RaggedTensor of the host: rows of several lengths, which become a tensor before the device gets them."""
import numpy as np

from .. import failures, names
from ..dtypes import TensorShape, as_dtype
from ..tensors import graph


class RaggedTensor:
    """Rows of numbers or texts, each of a length of its own."""

    def __init__(self, rows, dtype=None):
        self.rows = [np.asarray(each, None if dtype is None else as_dtype(dtype).as_numpy_dtype) for each in rows]
        kinds = [each.dtype for each in self.rows if each.size]
        kind = np.result_type(*kinds) if kinds and kinds[0].kind in "iufb" else kinds[0] if kinds else np.dtype(np.float32)
        kind = {"int64": np.dtype(np.int32), "float64": np.dtype(np.float32)}.get(kind.name, kind) if dtype is None else kind
        self.rows = [each.astype(kind) if kind.kind in "iufb" else each for each in self.rows]
        self.dtype = as_dtype(kind if kind.kind in "iufb" else "string") if dtype is None else as_dtype(dtype)

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        kind, splits = graph.convert(values).dtype, np.asarray(row_splits)
        values = np.asarray(values)
        return cls([values[a:b] for a, b in zip(splits[:-1], splits[1:])], kind)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        return cls.from_row_splits(values, np.concatenate([[0], np.cumsum(np.asarray(row_lengths))]))

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None):
        rows = np.asarray(graph.convert(tensor).value)
        if padding is not None:
            lengths = [max((i + 1 for i, each in enumerate(row) if each != padding), default=0) for row in rows]
        return cls(list(rows) if lengths is None else [row[:int(n)] for row, n in zip(rows, np.asarray(lengths))], graph.convert(tensor).dtype)

    shape = property(lambda self: TensorShape([len(self.rows), None]))
    flat_values = values = property(lambda self: graph.EagerTensor(np.concatenate(self.rows) if self.rows else np.zeros(0)))

    def row_lengths(self, axis=1, name=None):
        return graph.EagerTensor(np.array([len(each) for each in self.rows], np.int64))

    def row_splits(self):
        return graph.EagerTensor(np.cumsum([0, *(len(each) for each in self.rows)]).astype(np.int64))

    row_splits = property(row_splits)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        whole = np.array([len(self.rows), max(map(len, self.rows), default=0)], np.int64)
        return graph.EagerTensor(whole if axis is None else whole[axis])

    def nrows(self, out_type=None, name=None):
        return graph.EagerTensor(np.int64(len(self.rows)))

    def to_list(self):
        return [each.tolist() for each in self.rows]

    def to_tensor(self, default_value=None, name=None, shape=None):
        """The rows in one tensor, with a value, else 0 or no text, where a row is shorter."""
        width = max(map(len, self.rows), default=0)
        dims = [None, None] if shape is None else list(TensorShape(shape).as_list())
        rest = next((each.shape[1:] for each in self.rows if each.size), ())
        filled = (b"" if self.dtype.name == "string" else 0) if default_value is None else default_value
        made = np.full([dims[0] or len(self.rows), dims[1] or width, *rest], filled, object if self.dtype.name == "string" else self.dtype.as_numpy_dtype)
        for to, row in zip(made, self.rows):
            to[:len(row)] = row[:made.shape[1]]
        return graph.EagerTensor(made)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        made = self.rows[index]
        return RaggedTensor(made, self.dtype) if isinstance(index, slice) else graph.EagerTensor(made)

    def __iter__(self):
        return map(graph.EagerTensor, self.rows)

    def __repr__(self):
        return f"<tf.RaggedTensor {self.to_list()}>"

    def __array__(self, dtype=None):
        raise failures.refused("a RaggedTensor as a tensor", "the device's shapes are static: pad it with to_tensor(), "
                               "keras.preprocessing.sequence.pad_sequences or Dataset.padded_batch")


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=None):
    """tf.ragged.constant, of rows of values."""
    if any(isinstance(each, (list, tuple)) and each and isinstance(each[0], (list, tuple)) for each in pylist):
        raise failures.refused("tf.ragged.constant of rows of rows", "pad the inner ones first, as with keras.preprocessing.sequence.pad_sequences")
    return RaggedTensor([[text.encode() if isinstance(text, str) else text for text in each] for each in pylist], dtype)


def stack(values, axis=0, name=None):
    """tf.ragged.stack: tensors as rows."""
    if axis:
        raise failures.refused(f"tf.ragged.stack(axis={axis})", "stack rows, along the axis 0")
    return RaggedTensor([np.asarray(graph.convert(each).value) for each in values])


def add_names():
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module, RaggedTensor=RaggedTensor)
        names.module(module + ".ragged", constant=constant, stack=stack)
