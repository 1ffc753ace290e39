# SPDX-License-Identifier: GPL-3.0-or-later
"""Factors of matrices [..., n, n] that a program or a GradientTape computes, and what is solved by them: row after row, of elementwise operations and
products, whose gradients are the engine's. PopLibs has operators of its own for two of them."""
import numpy as np

from . import array as array_operations, elementary as operations
from .. import errors, failures, host
from ..tensors import graph
from .elementary import MATH, add, concat, divide, matmul, multiply, reduce_sum, subtract, transpose, where

MOST_ROWS = 64


def check(x, square=True):
    """Errors: TensorFlow's, where a tensor is none of matrices, or they are not square."""
    if not x.dtype.is_floating:
        raise TypeError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: double, float, half")
    if len(x.dims) < 2:
        raise errors.InvalidArgumentError(message=f"Input tensor must have rank >= 2, got {len(x.dims)}")
    if square and x.dims[-1] != x.dims[-2]:
        raise errors.InvalidArgumentError(message=f"Input matrices must be squares, got {x.dims[-2]} != {x.dims[-1]}")


def _checked(function, given, square=True):
    x = graph.convert(given)
    check(x, square)
    if max(x.dims[-2:]) > MOST_ROWS:
        raise failures.refused(f"tf.linalg.{function} of more than {MOST_ROWS} rows in a program or a GradientTape", "it is made row after row; take it of "
                               "values that are at hand, as of x.numpy()")
    host.tell_once(f"tilescope: note: tf.linalg.{function} in a program is made row after row, of elementwise operations and products, whose cycles it has")
    return x


def _turned(x):
    return transpose(x, [*range(len(x.dims) - 2), len(x.dims) - 1, len(x.dims) - 2])


def _row(x, k):
    return operations.slice_of(x, (Ellipsis, slice(k, k + 1), slice(None)))


def _column(x, k):
    return operations.slice_of(x, (Ellipsis, slice(k, k + 1)))


def _from(k, rows, x):
    """A column of ones from row k on, zeros before."""
    return (np.arange(rows) >= k).astype(x.dtype.as_numpy_dtype)[:, None]


def cholesky(input, name=None):
    x = _checked("cholesky", input)
    left, columns = multiply(add(x, _turned(x)), 0.5), []
    for k in range(x.dims[-1]):
        column = divide(_column(left, k), MATH["sqrt"](_row(_column(left, k), k)))
        columns.append(multiply(column, _from(k, x.dims[-1], x)))
        left = subtract(left, matmul(columns[-1], columns[-1], transpose_b=True))
    return concat(columns, -1)


def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    a, left = _checked("triangular_solve", matrix), graph.convert(rhs)
    if adjoint:
        a, lower = _turned(a), not lower
    rows, made = a.dims[-1], {}
    for k in range(rows) if lower else reversed(range(rows)):
        made[k] = divide(_row(left, k), _row(_column(a, k), k))
        after = _from(k + 1, rows, a) if lower else 1 - _from(k, rows, a)
        left = subtract(left, matmul(multiply(_column(a, k), after), made[k]))
    return concat([made[k] for k in range(rows)], -2)


def cholesky_solve(chol, rhs, name=None):
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def _diagonal(x):
    return array_operations.LINALG["diag_part"](x)


def logdet(matrix, name=None):
    return multiply(reduce_sum(MATH["log"](_diagonal(cholesky(matrix))), -1), 2.0)


def _reflected(x):
    """(q [..., m, m], r [..., m, n], where LAPACK reflects nothing: -1 for those of the columns, else 1) by Householder's reflections, one for each
    column that has something below it; the determinant of q is -1 to the power of their number."""
    rows, columns = x.dims[-2:]
    one = np.eye(rows, dtype=x.dtype.as_numpy_dtype)
    q, r, turns = operations.broadcast_to(operations.constant(one), [*x.dims[:-2], rows, rows]), x, []
    for k in range(_reflections(x)):
        column = multiply(_column(r, k), _from(k, rows, x))
        first = _row(column, k)
        square = reduce_sum(MATH["square"](column), -2, keepdims=True)
        is_none = MATH["equal"](square, 0.0)
        length = MATH["sqrt"](where(is_none, operations.ones_like(square), square))
        v = add(column, multiply(where(MATH["less"](first, 0.0), operations.negative(length), length), one[:, k:k + 1]))
        scaled = multiply(v, divide(2.0, reduce_sum(MATH["square"](v), -2, keepdims=True)))
        r = subtract(r, matmul(scaled, matmul(v, r, transpose_a=True)))
        q = subtract(q, matmul(matmul(q, scaled), v, transpose_b=True))
        below = reduce_sum(MATH["abs"](multiply(column, _from(k + 1, rows, x))), -2, keepdims=True)
        turns.append(where(MATH["equal"](below, 0.0), operations.negative(operations.ones_like(below)), operations.ones_like(below)))
    return q, multiply(r, np.triu(np.ones((rows, columns), x.dtype.as_numpy_dtype))), turns


def _reflections(x):
    return min(x.dims[-2] - 1, x.dims[-1])


def _sign(x):
    """The determinant of q."""
    return -1.0 if _reflections(x) % 2 else 1.0


def qr(input, full_matrices=False, name=None):
    x = _checked("qr", input, square=False)
    q, r, turns = _reflected(x)
    if turns:
        ones = operations.ones_like(turns[0])
        signs = concat([*turns, *[ones] * (x.dims[-2] - len(turns))], -2)
        q, r = multiply(q, _turned(signs)), multiply(r, signs)
    least = min(x.dims[-2:])
    return (q, r) if full_matrices else (operations.slice_of(q, (Ellipsis, slice(least))), operations.slice_of(r, (Ellipsis, slice(least), slice(None))))


def solve(matrix, rhs, adjoint=False, name=None):
    a, b = _checked("solve", matrix), graph.convert(rhs)
    if a.dims[:-1] != b.dims[:-1]:
        raise errors.InvalidArgumentError(message=f"Input matrix and right-hand side must have the same number of rows, got {list(a.dims)} "
                                          f"and {list(b.dims)}")
    q, r, _ = _reflected(_turned(a) if adjoint else a)
    return triangular_solve(r, matmul(q, b, transpose_a=True), lower=False)


def inv(input, adjoint=False, name=None):
    x = _checked("inv", input)
    q, r, _ = _reflected(_turned(x) if adjoint else x)
    return triangular_solve(r, _turned(q), lower=False)


def slogdet(input, name=None):
    x = _checked("slogdet", input)
    made = _diagonal(_reflected(x)[1])
    return multiply(operations.reduce_prod(MATH["sign"](made), -1), _sign(x)), reduce_sum(MATH["log"](MATH["abs"](made)), -1)


def det(input, name=None):
    x = _checked("det", input)
    return multiply(operations.reduce_prod(_diagonal(_reflected(x)[1]), -1), _sign(x))


MADE = {each.__name__: each for each in (cholesky, cholesky_solve, triangular_solve, logdet, qr, solve, inv, slogdet, det)}
