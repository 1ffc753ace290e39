# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.sparse: tensors of few numbers that are not 0, at hand on the host. A program gets them dense."""
import collections

import numpy as np

from . import array as array_operations, elementary as operations
from ..tensors import graph

SparseTensor = collections.namedtuple("SparseTensor", "indices values dense_shape")


def to_dense(sp_input, default_value=None, name=None):
    """tf.sparse.to_dense."""
    values = np.asarray(sp_input.values)
    default = default_value if default_value is not None else b"" if values.dtype == object else 0
    made = np.full(tuple(int(each) for each in np.asarray(sp_input.dense_shape)), default, values.dtype)
    made[tuple(np.asarray(sp_input.indices).T)] = values
    return graph.EagerTensor(made)


def _parts(sparse):
    return [np.asarray(each) for each in (sparse.indices, sparse.values, sparse.dense_shape)]


def _made(indices, values, shape):
    """In the order of rows, those of one place added up."""
    values = np.asarray(values)
    places = np.ravel_multi_index(tuple(np.asarray(indices, np.int64).reshape(-1, len(shape)).T), tuple(int(each) for each in shape))
    chosen, where = np.unique(places, return_inverse=True)
    total = np.zeros(len(chosen), values.dtype)
    np.add.at(total, where, values)
    found = np.stack(np.unravel_index(chosen, tuple(int(each) for each in shape)), -1).astype(np.int64)
    return SparseTensor(graph.EagerTensor(found), graph.EagerTensor(total), graph.EagerTensor(np.asarray(shape, np.int64)))


def from_dense(tensor, name=None):
    """What of a tensor, which is at hand, is not 0."""
    values = np.asarray(operations.known(tensor))
    found = np.argwhere(values)
    return SparseTensor(graph.EagerTensor(found.astype(np.int64)), graph.EagerTensor(values[tuple(found.T)]),
                        graph.EagerTensor(np.array(values.shape, np.int64)))


def add(a, b, threshold=0):
    """Of two sparse ones a sparse one, of a dense one a dense one."""
    if not (isinstance(a, SparseTensor) and isinstance(b, SparseTensor)):
        return operations.add(*(to_dense(each) if isinstance(each, SparseTensor) else each for each in (a, b)))
    (ai, av, shape), (bi, bv, other) = _parts(a), _parts(b)
    if tuple(shape) != tuple(other):
        raise ValueError(f"Shapes {tuple(shape)} and {tuple(other)} of sparse tensors are not the same.")
    made = _made(np.concatenate([ai, bi]), np.concatenate([av, bv]), shape)
    if not threshold:
        return made
    kept = np.abs(made.values.value) >= threshold
    return SparseTensor(graph.EagerTensor(made.indices.value[kept]), graph.EagerTensor(made.values.value[kept]), made.dense_shape)


def eye(num_rows, num_columns=None, dtype="float32", name=None):
    """[rows, columns] with ones on the diagonal."""
    rows, columns = operations.whole(num_rows), operations.whole(num_rows if num_columns is None else num_columns)
    at = np.arange(min(rows, columns), dtype=np.int64)
    return SparseTensor(graph.EagerTensor(np.stack([at, at], -1)), graph.EagerTensor(np.ones(len(at), graph.as_dtype(dtype).as_numpy_dtype)),
                        graph.EagerTensor(np.array([rows, columns], np.int64)))


def map_values(op, *args, **kwargs):
    """A function of the values, of tensors of the same places."""
    given = [each for each in [*args, *kwargs.values()] if isinstance(each, SparseTensor)]
    if not given:
        raise ValueError("tf.sparse.map_values() takes at least one SparseTensor, got none.")
    first = given[0]
    if any(not np.array_equal(np.asarray(each.indices), np.asarray(first.indices)) for each in given):
        raise ValueError("The SparseTensors of tf.sparse.map_values() have other places: only those of the same indices are mapped together.")

    def value(each):
        return graph.EagerTensor(np.asarray(each.values)) if isinstance(each, SparseTensor) else each
    made = op(*map(value, args), **{key: value(each) for key, each in kwargs.items()})
    return SparseTensor(first.indices, graph.convert(made), first.dense_shape)


def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The sums over axes, dense; with `output_is_sparse` those that are not 0."""
    made = operations.reduce_sum(to_dense(sp_input), axis, keepdims=bool(keepdims))
    return from_dense(made) if output_is_sparse else made


def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """The product of [m, k] and a dense [k, n]; adjoints are of what is turned around."""
    return operations.matmul(to_dense(sp_a), b, transpose_a=adjoint_a, transpose_b=adjoint_b)


def reorder(sp_input, name=None):
    """In the order of rows; values of one place stay apart."""
    indices, values, shape = _parts(sp_input)
    order = np.lexsort(indices.T[::-1])
    return SparseTensor(graph.EagerTensor(indices[order]), graph.EagerTensor(values[order]), graph.EagerTensor(shape))


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    places = graph.convert(sparse_indices)
    if len(places.dims) < 2:
        places = operations.reshape(places, [-1, 1])
    values = graph.convert(sparse_values)
    values = values if values.dims else operations.broadcast_to(values, [places.dims[0]])
    filled = operations.fill(operations.wholes(output_shape), operations.cast(default_value, values.dtype))
    return array_operations.TOP_MORE["tensor_scatter_nd_update"](filled, places, values)


NAMES = {each.__name__: each for each in (SparseTensor, to_dense, from_dense, add, eye, map_values, reduce_sum, sparse_dense_matmul, reorder)}


def add_names():
    from .. import names
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".sparse", NAMES)
        names.module(module, SparseTensor=SparseTensor)
    names.module("tensorflow.compat.v1", sparse_tensor_to_dense=to_dense, sparse_tensor_dense_matmul=sparse_dense_matmul,
                 sparse_add=add, sparse_reduce_sum=reduce_sum, sparse_to_dense=sparse_to_dense)
