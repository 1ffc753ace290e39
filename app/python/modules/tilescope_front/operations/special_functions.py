# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse trigonometry, the gamma function and others that operations of the engine make up. Angles are the engine's `atan2`."""
import math

import numpy as np

from . import array as array_operations, elementary as operations, recipes
from .. import names
from ..tensors import graph
from .elementary import MATH, add, divide, lifted, multiply, negative, reduce_sum, subtract, where

# Of Lanczos' approximation of the gamma function with g = 7 and nine terms (P. Godfrey, 2001): to 1e-15 in exact arithmetic.
_G = 7.0
_FIRST = 0.99999999999980993
_TERMS = (676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012,
          9.9843695780195716e-6, 1.5056327351493116e-7)


def _leg(x):
    """sqrt(1 - x^2), which keeps its digits near 1."""
    return MATH["sqrt"](multiply(subtract(1.0, x), add(1.0, x)))


def atan2(y, x, name=None):
    """The angle of the point (x, y)."""
    return graph.apply("atan2", operations._pair(y, x), None, name)[0]


def _of_floats(function):
    def on_floats(x, name=None):
        x = graph.convert(x)
        if not x.dtype.is_floating:
            raise TypeError(f"Value passed to parameter 'x' has DataType {x.dtype.name} not in list of allowed values: float16, float32, float64")
        return function(x)
    return on_floats


_log1p = recipes.hyperbolic("log1p")


def _expm1(x):
    """exp(x) - 1; near 0, where that loses its digits, tanh(x / 2) (exp(x) + 1)."""
    power = MATH["exp"](x)
    return where(MATH["less"](MATH["abs"](x), 1.0), multiply(MATH["tanh"](multiply(x, 0.5)), add(power, 1.0)), subtract(power, 1.0))


# Of the complementary error function, with t = 1 / (1 + |x| / 2), to 1.2e-7 of it (Numerical Recipes, 6.2).
_ERFC = (-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277)


def _erfc(x):
    """1 - erf(x), also where that is next to nothing."""
    if x.dtype.name == "float64" and not graph.is_symbolic(x):
        return graph.EagerTensor(np.vectorize(math.erfc, [np.float64])(x.value))
    size = MATH["abs"](x)
    t = divide(1.0, add(multiply(size, 0.5), 1.0))
    series = operations.zeros_like(x)
    for each in reversed(_ERFC):
        series = add(multiply(series, t), each)
    return where(MATH["greater"](x, 0.5), multiply(t, MATH["exp"](subtract(series, multiply(x, x)))), subtract(1.0, MATH["erf"](x)))


def _lanczos(x):
    """(whether x is below 1/2, where 1 - x stands for it; z; the series at z + 1; z + g + 1/2): gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t series."""
    below = MATH["less"](x, 0.5)
    z = where(below, negative(x), subtract(x, 1.0))
    series = operations.add_n([divide(term, add(z, float(number))) for number, term in enumerate(_TERMS, 1)])
    return below, z, add(series, _FIRST), add(z, _G + 0.5)


def _lgamma(x):
    """log |gamma(x)|; below 1/2 by gamma(x) gamma(1 - x) = pi / sin(pi x)."""
    below, z, series, t = _lanczos(x)
    log_t = MATH["log"](t)
    value = add(add(multiply(subtract(add(z, 0.5), divide(t, log_t)), log_t), MATH["log"](series)), float(np.log(2 * np.pi) / 2))
    whole = MATH["floor"](x)
    sine = MATH["abs"](MATH["sin"](multiply(subtract(x, whole), float(np.pi))))
    sine = where(below, sine, operations.ones_like(sine))
    return where(below, subtract(subtract(float(np.log(np.pi)), MATH["log"](sine)), value), value)


def _digamma(x):
    """The slope of log gamma(x); below 1/2 by that of the reflection."""
    below, z, series, t = _lanczos(x)
    slope = negative(operations.add_n([divide(term, MATH["square"](add(z, float(number)))) for number, term in enumerate(_TERMS, 1)]))
    value = subtract(add(MATH["log"](t), divide(slope, series)), divide(_G, t))
    angle = multiply(subtract(x, MATH["floor"](x)), float(np.pi))
    angle = where(below, angle, operations.ones_like(angle))
    cotangent = multiply(divide(MATH["cos"](angle), MATH["sin"](angle)), float(np.pi))
    return where(below, subtract(value, cotangent), value)


def _lbeta(x):
    return subtract(reduce_sum(_lgamma(x), -1), _lgamma(reduce_sum(x, -1)))


def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """log of the sums of exp(x) so far, from the greatest along the axis."""
    x = graph.convert(x)
    nothing = lambda like: operations.multiply(operations.ones_like(like), -np.inf)
    return array_operations.together(x, int(axis) % len(x.dims), exclusive, reverse, _log_add_exp, nothing)


def _log_add_exp(x, y):
    """log(exp(x) + exp(y)); the larger is taken out where it is finite, so that no power overflows."""
    most = array_operations.finite_or_zero(operations.maximum(x, y))
    return add(MATH["log"](add(MATH["exp"](subtract(x, most)), MATH["exp"](subtract(y, most)))), most)


def xlog1py(x, y, name=None):
    """x log(1 + y), and 0 where x is 0."""
    x, y = operations._pair(x, y)
    return multiply(x, _log1p(where(MATH["equal"](x, 0.0), operations.zeros_like(y), y)))


def div_no_nan(x, y, name=None):
    return operations.divide_no_nan(x, y)


MATHS = {name: lifted(_of_floats(function)) for name, function in {
    "asin": lambda x: atan2(x, _leg(x)), "acos": lambda x: atan2(_leg(x), x), "atan": lambda x: atan2(x, operations.ones_like(x)),
    **{name: recipes.hyperbolic(name) for name in ("sinh", "asinh", "acosh", "atanh")}, "log1p": _log1p, "expm1": _expm1,
    "lgamma": _lgamma, "digamma": _digamma, "erfc": _erfc, "lbeta": _lbeta}.items()}
MATHS.update(atan2=lifted(atan2), cumulative_logsumexp=lifted(cumulative_logsumexp), xlog1py=lifted(xlog1py))


def add_names():
    at_top = {name: MATHS[name] for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "sinh")}
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".math", MATHS)
        names.module(module, at_top)
    names.module("tensorflow.compat.v1", {name: MATHS[name] for name in ("digamma", "erfc", "expm1", "lgamma", "lbeta", "log1p")}, div_no_nan=div_no_nan)
    names.module("tensorflow.python.ops.math_ops", MATHS)
    for module in ("tensorflow.math", "tensorflow.compat.v1.math"):
        for name in ("igamma", "igammac", "betainc", "polygamma", "zeta", "bessel_i0", "bessel_i1"):
            names.refuse(f"{module}.{name}", "it has no operator; work it out on the host, with NumPy or SciPy")
