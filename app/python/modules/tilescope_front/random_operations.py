# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.random and what draws from it. In a program each step draws anew, on the device; elsewhere Python draws, when it is at
the call."""
import numpy as np

from . import dtypes, failures, graph, host, operations, variables
from .graph import apply, convert

_drawn = 0


def _salt():
    """A number that tells what is drawn in one place from what is drawn in others."""
    global _drawn
    _drawn += 1
    if not graph.executing_eagerly():
        return len(graph.current().operations_)
    return ((graph.current().seed or 0) * 65537 + _drawn) % 2**24  # the engine has as many


def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """tf.nn.dropout: x / (1 - rate), and 0 in a share `rate` of the places."""
    if noise_shape is not None:
        raise failures.refused("tf.nn.dropout(noise_shape=…)", "each number is left out by itself")
    return apply("dropout", [x], {"rate": float(rate), "salt": _salt(), "always": True}, name)[0]


def dropout_1(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """As TensorFlow 1 has it."""
    return dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed, name)


def standard_normal(shape):
    return apply("gaussian_noise", [np.zeros(shape, np.float32)], {"stddev": 1.0, "salt": _salt(), "always": True})[0]


def share_of_one(shape):
    """Between 0 and 1, all equally likely: (1 + erf(n / sqrt(2))) / 2 of n that are normal."""
    n = operations.multiply(standard_normal(shape), float(np.sqrt(0.5)))
    return operations.multiply(operations.add(operations.MATH["erf"](n), 1.0), 0.5)


def _of_program(kind, dims, dtype, settings):
    if kind == "normal":
        drawn = operations.add(operations.multiply(standard_normal(dims), settings.get("stddev", 1.0)), settings.get("mean", 0.0))
    else:
        least, most = settings.get("minval", 0.0), settings.get("maxval", 1.0)
        drawn = operations.add(operations.multiply(share_of_one(dims), most - least), least)
        # A share may be rounded up to 1, which is not to be drawn.
        most = most - 1 if dtype.is_integer else float(np.nextafter(np.float32(most), np.float32(least)))
        drawn = operations.minimum(operations.MATH["floor"](drawn) if dtype.is_integer else drawn, most)
    return operations.cast(drawn, dtype)


_INITIALIZERS = {"uniform": "random_uniform", "normal": "random_normal", "truncated_normal": "truncated_normal"}


def _random(kind):
    def draw(shape, *args, dtype="float32", seed=None, name=None, **bounds):
        named = dict(zip(("minval", "maxval") if kind == "uniform" else ("mean", "stddev"), args), **bounds)
        settings = {key: float(operations.known(value)) for key, value in named.items() if value is not None}
        dtype, dims = dtypes.as_dtype(dtype), tuple(operations.wholes(dtypes.TensorShape(np.asarray(shape))
                                                                      if not hasattr(shape, "dims") else shape))
        if graph.current().of_program and not graph.executing_eagerly() and kind != "truncated_normal":
            return _of_program(kind, dims, dtype, settings)
        if not graph.values_at_hand():
            host.tell_once(f"tilescope: tf.random.{kind} in a graph is drawn once, when the graph is made")
        made = variables.INITIALIZERS[_INITIALIZERS[kind]](**settings)
        drawn = variables.first_values(made, dims, dtypes.float32, f"random_{_salt()}" if seed is None else f"seed_{seed}")
        return operations.constant((np.floor(drawn) if dtype.is_integer else drawn).astype(dtype.as_numpy_dtype))
    draw.__name__ = kind
    return draw


uniform, normal, truncated_normal = (_random(kind) for kind in _INITIALIZERS)


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Numbers of classes [batch, samples], class k as likely as exp(logits[k]) among all: the place of the largest of the
    logits plus -log(-log(u)), u between 0 and 1."""
    x = operations.cast(logits, "float32")
    batch, classes = x.dims
    below_one = float(np.nextafter(np.float32(1), np.float32(0)))
    u = operations.minimum(share_of_one([batch, operations.whole(num_samples), classes]), below_one)
    log = operations.MATH["log"]
    found = operations.argmax(operations.subtract(operations.expand_dims(x, 1), log(operations.negative(log(u)))), -1)
    return found if dtype is None else operations.cast(found, dtype)


def number(least, most, dtype="float32"):
    """One of what lies from `least` up to `most`, or of the whole numbers below `most`."""
    if graph.current().of_program and not graph.executing_eagerly():
        return uniform([], least, most, dtype=dtype)
    generator = np.random.default_rng(_salt())
    return int(generator.integers(least, most)) if dtype == "int32" else float(generator.uniform(least, most))


def by_chance(function, x):
    """function(x) or x, one as likely as the other."""
    x, chance = convert(x), number(0.0, 1.0)
    if isinstance(chance, float):
        return function(x) if chance < 0.5 else x
    return operations.where(operations.less(operations.reshape(chance, [1] * len(x.dims)), 0.5), function(x), x)
