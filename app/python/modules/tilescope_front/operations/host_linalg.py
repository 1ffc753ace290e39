# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverses, determinants, factors and systems of equations of matrices [..., n, n] that the host has at hand: by NumPy. Those of a program
program_linalg.py makes, as far as it can."""
import functools

import numpy as np

from . import program_linalg
from .. import errors, failures
from ..structure import flatten, pack_like
from ..tensors import graph
from ..tensors.graph import EagerTensor


def _matrices(function, given, square=True):
    """The array of matrices, and what it is computed in, as LAPACK has no halves. Errors: TensorFlow's, where they are not square."""
    x = graph.convert(given)
    if graph.is_symbolic(x):
        raise failures.refused(f"tf.linalg.{function} of what the device or a GradientTape computes", "the device has no operator for it; "
                               "take it of values that are at hand, as of x.numpy()")
    program_linalg.check(x, square)
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


def cholesky_solve(chol, rhs, name=None):
    """x of L L^T x = rhs."""
    (factor, kind), (b, _) = _matrices("cholesky_solve", chol), _matrices("cholesky_solve", rhs, square=False)
    factor = np.tril(factor)
    return _made(lambda: np.linalg.solve(factor.swapaxes(-1, -2), np.linalg.solve(factor, b)), kind, "Input matrix is not invertible.")


def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """x of a triangle of each matrix, which alone is read, x = rhs."""
    (a, kind), (b, _) = _matrices("triangular_solve", matrix), _matrices("triangular_solve", rhs, square=False)
    a = np.tril(a) if lower else np.triu(a)
    return _made(lambda: np.linalg.solve(a.swapaxes(-1, -2) if adjoint else a, b), kind, "Input matrix is not invertible.")


def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """x by which the sum of the squares of matrix x - rhs, and of the regulariser times those of x, is least."""
    (a, kind), (b, _) = (_matrices("lstsq", each, square=False) for each in (matrix, rhs))
    if l2_regularizer == 0:
        return _made(lambda: np.linalg.pinv(a) @ b, kind, "Input matrix is not invertible.")
    turned = a.swapaxes(-1, -2)
    return _made(lambda: np.linalg.solve(turned @ a + l2_regularizer * np.eye(a.shape[-1]), turned @ b), kind, "Input matrix is not invertible.")


def eigh(tensor, name=None):
    """(eigenvalues, the smallest first; eigenvectors as columns) of symmetric matrices."""
    x, kind = _matrices("eigh", tensor)
    return tuple(EagerTensor(np.asarray(each, kind)) for each in np.linalg.eigh(x))


def eigvalsh(tensor, name=None):
    return eigh(tensor)[0]


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """(singular values, the largest first; u; v) of matrices u diag(s) v^T; the values alone without compute_uv."""
    x, kind = _matrices("svd", tensor, square=False)
    if not compute_uv:
        return EagerTensor(np.asarray(np.linalg.svd(x, compute_uv=False), kind))
    u, s, v = np.linalg.svd(x, full_matrices)
    return tuple(EagerTensor(np.asarray(each, kind)) for each in (s, u, v.swapaxes(-1, -2)))


def qr(input, full_matrices=False, name=None):
    """(q, r) of each matrix q r."""
    x, kind = _matrices("qr", input, square=False)
    return tuple(EagerTensor(np.asarray(each, kind)) for each in np.linalg.qr(x, "complete" if full_matrices else "reduced"))


def slogdet(input, name=None):
    """(the sign of each determinant, the logarithm of its absolute value)."""
    x, kind = _matrices("slogdet", input)
    return tuple(EagerTensor(np.asarray(each, kind)) for each in np.linalg.slogdet(x))


def logdet(matrix, name=None):
    """The logarithm of the determinant of positive definite matrices."""
    x, kind = _matrices("logdet", matrix)
    return _made(lambda: 2 * np.log(np.diagonal(np.linalg.cholesky(x), axis1=-2, axis2=-1)).sum(-1), kind,
                 "Cholesky decomposition was not successful. The input might not be valid.")


def pinv(a, rcond=None, validate_args=False, name=None):
    x, kind = _matrices("pinv", a, square=False)
    return EagerTensor(np.asarray(np.linalg.pinv(x, 10 * max(x.shape[-2:]) * np.finfo(x.dtype).eps if rcond is None else rcond), kind))


def matrix_rank(a, tol=None, validate_args=False, name=None):
    x, _ = _matrices("matrix_rank", a, square=False)
    return EagerTensor(np.asarray(np.linalg.matrix_rank(x, tol), np.int32))


def _is_of_session():
    here = graph.current()
    return not (here.of_program or here.of_tape or graph.executing_eagerly() or "IPU" in here.device.upper())


def _in_session(function, args, kwargs):
    """What a session makes on the host, when it runs; its types are those of what comes of zeros."""
    leaves = [graph.convert(each) if hasattr(each, "dims") else each for each in flatten([list(args), kwargs])]
    tensors = list(filter(graph.is_symbolic, leaves))

    def made(*arrays):
        rest = iter(arrays)
        args_now, kwargs_now = pack_like([list(args), kwargs], [EagerTensor(next(rest)) if graph.is_symbolic(each) else each for each in leaves])
        with graph.at_once():
            return [each.value for each in flatten(function(*args_now, **kwargs_now))]
    is_open = any(each.dims is None or None in each.dims for each in tensors)
    if any(each.dims is None for each in tensors):
        raise failures.refused(f"tf.linalg.{function.__name__} of tensors of an open rank", "give the placeholders shapes")
    samples = made(*(np.zeros([1 if each is None else each for each in t.dims], t.dtype.as_numpy_dtype) for t in tensors))
    op = graph.current().add("python", tensors, {"function": made, "without_gradient": f"tf.linalg.{function.__name__}"},
                             [(graph.as_dtype(each.dtype), None if is_open else each.shape) for each in samples], function.__name__)
    return op.outputs[0] if len(op.outputs) == 1 else op.outputs


def _of_either(function):
    """The same, of what a program or a session computes as well."""
    in_program = program_linalg.MADE.get(function.__name__)

    @functools.wraps(function)
    def either(*args, **kwargs):
        given = [graph.convert(each) for each in (*args, *kwargs.values()) if hasattr(each, "dims")]
        if not any(map(graph.is_symbolic, given)):
            return function(*args, **kwargs)
        if in_program:
            return in_program(*args, **kwargs)
        return _in_session(function, args, kwargs) if _is_of_session() else function(*args, **kwargs)
    return either


def add_names():
    from .. import names
    table = {each.__name__: _of_either(each) for each in (inv, det, solve, cholesky, cholesky_solve, triangular_solve, lstsq, eigh, eigvalsh, svd, qr,
                                                          slogdet, logdet, pinv, matrix_rank)}
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(f"{module}.linalg", table)
    names.module("tensorflow.compat.v1", {old: table[name] for old, name in (
        ("matrix_inverse", "inv"), ("matrix_determinant", "det"), ("matrix_solve", "solve"), ("cholesky", "cholesky"), ("qr", "qr"), ("svd", "svd"),
        ("cholesky_solve", "cholesky_solve"), ("matrix_triangular_solve", "triangular_solve"), ("matrix_solve_ls", "lstsq"),
        ("self_adjoint_eig", "eigh"), ("self_adjoint_eigvals", "eigvalsh"), ("log_matrix_determinant", "slogdet"))})
