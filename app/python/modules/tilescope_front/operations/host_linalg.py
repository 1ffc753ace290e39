# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverses, determinants, factors and systems of equations of matrices [..., n, n] that the host has at hand: by NumPy. The device
has no operator for them."""
import numpy as np

from .. import errors, failures
from ..tracing import graph
from ..tracing.graph import EagerTensor


def _matrices(function, given, square=True):
    """The array of matrices, and what it is computed in, as LAPACK has no halves. Errors: TensorFlow's, where they are not square."""
    x = graph.convert(given)
    if graph.is_symbolic(x):
        raise failures.refused(f"tf.linalg.{function} of what the device or a GradientTape computes", "the device has no operator for it; "
                               "take it of values that are at hand, as of x.numpy()")
    if not x.dtype.is_floating:
        raise TypeError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: double, float, half")
    if len(x.dims) < 2:
        raise errors.InvalidArgumentError(message=f"Input tensor must have rank >= 2, got {len(x.dims)}")
    if square and x.dims[-1] != x.dims[-2]:
        raise errors.InvalidArgumentError(message=f"Input matrices must be squares, got {x.dims[-2]} != {x.dims[-1]}")
    return x.value.astype(np.float32) if x.dtype.name == "float16" else x.value, x.value.dtype


def _made(compute, kind, failed):
    try:
        return EagerTensor(compute().astype(kind))
    except np.linalg.LinAlgError as error:
        raise errors.InvalidArgumentError(message=failed) from error


def inv(input, adjoint=False, name=None):
    """The inverse of each matrix; `adjoint`: that of its transpose."""
    x, kind = _matrices("inv", input)
    return _made(lambda: np.linalg.inv(x.swapaxes(-1, -2) if adjoint else x), kind, "Input is not invertible.")


def det(input, name=None):
    x, kind = _matrices("det", input)
    return EagerTensor(np.asarray(np.linalg.det(x), kind))


def solve(matrix, rhs, adjoint=False, name=None):
    """x [..., n, k] of matrix x = rhs."""
    (a, kind), (b, _) = _matrices("solve", matrix), _matrices("solve", rhs, square=False)
    if a.shape[:-1] != b.shape[:-1]:
        raise errors.InvalidArgumentError(message=f"Input matrix and right-hand side must have the same number of rows, got {list(a.shape)} "
                                          f"and {list(b.shape)}")
    return _made(lambda: np.linalg.solve(a.swapaxes(-1, -2) if adjoint else a, b), kind, "Input matrix is not invertible.")


def cholesky(input, name=None):
    """The lower triangle L of each matrix L L^T."""
    x, kind = _matrices("cholesky", input)
    return _made(lambda: np.linalg.cholesky(x), kind, "Cholesky decomposition was not successful. The input might not be valid.")


def add_names():
    from .. import names
    table = {"inv": inv, "det": det, "solve": solve, "cholesky": cholesky}
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(f"{module}.linalg", table)
    names.module("tensorflow.compat.v1", matrix_inverse=inv, matrix_determinant=det, matrix_solve=solve, cholesky=cholesky)
