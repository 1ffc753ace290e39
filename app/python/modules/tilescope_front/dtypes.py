# SPDX-License-Identifier: GPL-3.0-or-later
"""Element types, shapes and specs of tensors."""
import numpy as np


class DType:
    """An element type of TensorFlow."""

    def __init__(self, name, numpy_type):
        self.name = name
        self.as_numpy_dtype = numpy_type

    is_floating = property(lambda self: self.name.startswith("float") or self.name == "bfloat16")
    is_integer = property(lambda self: "int" in self.name)
    is_bool = property(lambda self: self.name == "bool")
    is_complex = property(lambda self: self.name.startswith("complex"))
    real_dtype = property(lambda self: {"complex64": float32, "complex128": float64}.get(self.name, self))
    base_dtype = property(lambda self: self)
    in_engine = property(lambda self: _IN_ENGINE.get(self.name, self.name))
    size = property(lambda self: np.dtype(self.as_numpy_dtype).itemsize)
    min = property(lambda self: np.iinfo(self.as_numpy_dtype).min if self.is_integer
                   else np.finfo(self.as_numpy_dtype).min)
    max = property(lambda self: np.iinfo(self.as_numpy_dtype).max if self.is_integer
                   else np.finfo(self.as_numpy_dtype).max)

    def __eq__(self, other):
        if other is None:
            return False
        try:
            return self.name == as_dtype(other).name
        except TypeError:
            return False

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"tf.{self.name}"

    def __str__(self):
        return f"<dtype: '{self.name}'>"


# The names of the engine's types, for those that it has not.
_IN_ENGINE = {"float64": "float32", **{name: "int32" for name in (
    "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64")}}
_NUMPY = {"float16": np.float16, "float32": np.float32, "float64": np.float64, "int8": np.int8,
          "int16": np.int16, "int32": np.int32, "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16,
          "uint32": np.uint32, "uint64": np.uint64, "bool": np.bool_, "string": np.object_,
          "complex64": np.complex64, "complex128": np.complex128}
ALL = {name: DType(name, kind) for name, kind in _NUMPY.items()}
float16, float32, float64, int32, int64 = (ALL[n] for n in ("float16", "float32", "float64", "int32", "int64"))
bool_ = ALL["bool"]


def as_dtype(given):
    if isinstance(given, DType):
        return given
    if given is None:
        raise TypeError("Cannot convert value None to a TensorFlow DType.")
    if isinstance(given, str) and given in ALL:
        return ALL[given]
    if isinstance(given, type) and given in (float, int, bool):  # NumPy's int64 is equal to int
        return {float: float32, int: int32, bool: bool_}[given]
    name = np.dtype(given).name
    if name in ALL:
        return ALL[name]
    if np.dtype(given).kind in "OSU":
        return ALL["string"]
    raise TypeError(f"Cannot convert value {given!r} to a TensorFlow DType.")


class Dimension(int):
    """An extent, as TensorFlow 1 gives it."""

    value = property(int)


class TensorShape:
    """A shape whose extents may be unknown (None); without a rank where `dims` is None."""

    def __init__(self, dims):
        if isinstance(dims, TensorShape):
            dims = dims.dims_
        elif dims is not None:
            dims = (dims,) if isinstance(dims, int) else dims
            dims = tuple(None if d is None or d == -1 else int(d) for d in dims)
        self.dims_ = dims

    rank = property(lambda self: None if self.dims_ is None else len(self.dims_))
    ndims = rank
    dims = property(lambda self: None if self.dims_ is None else list(self))

    def as_list(self):
        if self.dims_ is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self.dims_)

    def is_fully_defined(self):
        return self.dims_ is not None and None not in self.dims_

    def num_elements(self):
        return int(np.prod(self.dims_)) if self.is_fully_defined() else None

    def __len__(self):
        return len(self.dims_)

    def __iter__(self):
        return (None if extent is None else Dimension(extent) for extent in self.dims_)

    def __getitem__(self, index):
        return TensorShape(self.dims_[index]) if isinstance(index, slice) else list(self)[index]

    def is_compatible_with(self, other):
        """Whether one shape may be both."""
        other = TensorShape(other).dims_
        return None in (self.dims_, other) or len(self.dims_) == len(other) and all(
            a == b or None in (a, b) for a, b in zip(self.dims_, other))

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def merge_with(self, other):
        """What is known of both. Errors: ValueError where they are not compatible."""
        self.assert_is_compatible_with(other)
        other = TensorShape(other).dims_
        if None in (self.dims_, other):
            return TensorShape(other if self.dims_ is None else self.dims_)
        return TensorShape([b if a is None else a for a, b in zip(self.dims_, other)])

    def concatenate(self, other):
        other = TensorShape(other).dims_
        return TensorShape(None if None in (self.dims_, other) else self.dims_ + other)

    def with_rank(self, rank):
        return self.merge_with([None] * int(rank))

    def assert_has_rank(self, rank):
        if self.rank not in (None, int(rank)):
            raise ValueError(f"Shape {self} must have rank {int(rank)}")

    def with_rank_at_least(self, rank):
        if self.dims_ is not None and len(self.dims_) < int(rank):
            raise ValueError(f"Shape {self} must have rank at least {int(rank)}")
        return self

    def __eq__(self, other):
        return self.dims_ == TensorShape(other).dims_

    def __add__(self, other):
        return TensorShape(self.dims_ + tuple(TensorShape(other).dims_))

    def __str__(self):
        if self.dims_ is None:
            return "<unknown>"
        return f"({', '.join(str(d) for d in self.dims_)}{',' if len(self.dims_) == 1 else ''})"

    def __repr__(self):
        return f"TensorShape({'None' if self.dims_ is None else list(self.dims_)})"


class TensorSpec:
    """What a tensor is: shape, element type, name."""

    def __init__(self, shape, dtype=float32, name=None):
        self.shape = TensorShape(shape)
        self.dtype = as_dtype(dtype)
        self.name = name

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"
