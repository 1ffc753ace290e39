# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.random and what draws from it. In a graph each step draws anew, on the device or in the session; else Python draws,
when it is at the call."""
import numpy as np

from . import draws, dtypes, failures, graph, operations, variables
from .graph import apply, convert


def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """tf.nn.dropout: x / (1 - rate), and 0 in a share `rate` of the places."""
    if noise_shape is not None:
        raise failures.refused("tf.nn.dropout(noise_shape=…)", "each number is left out by itself")
    return apply("dropout", [x], {"rate": float(rate), "salt": draws.salt(), "always": True}, name)[0]


def dropout_1(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """As TensorFlow 1 has it."""
    return dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed, name)


def standard_normal(shape, limit=0.0):
    """Normal numbers; none beyond the limit, where it is not 0."""
    return apply("gaussian_noise", [np.zeros(shape, np.float32)],
                 {"stddev": 1.0, "limit": limit, "salt": draws.salt(), "always": True})[0]


def share_of_one(shape):
    """Between 0 and 1, all equally likely: (1 + erf(n / sqrt(2))) / 2 of n that are normal."""
    n = operations.multiply(standard_normal(shape), float(np.sqrt(0.5)))
    return operations.multiply(operations.add(operations.MATH["erf"](n), 1.0), 0.5)


def _in_graph(kind, dims, dtype, settings):
    if kind != "uniform":
        drawn = standard_normal(dims, 2.0 if kind == "truncated_normal" else 0.0)
        drawn = operations.add(operations.multiply(drawn, settings.get("stddev", 1.0)), settings.get("mean", 0.0))
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
        dtype, dims = dtypes.as_dtype(dtype), tuple(operations.wholes(shape))
        if not graph.executing_eagerly():
            return _in_graph(kind, dims, dtype, settings)
        return _drawn_now(kind, dims, dtype, settings, draws.name(seed))
    draw.__name__ = kind
    return draw


def _drawn_now(kind, dims, dtype, settings, name):
    made = variables.INITIALIZERS[_INITIALIZERS[kind]](**settings)
    drawn = variables.first_values(made, dims, dtypes.float32, name)
    return operations.constant((np.floor(drawn) if dtype.is_integer else drawn).astype(dtype.as_numpy_dtype))


uniform, normal, truncated_normal = (_random(kind) for kind in _INITIALIZERS)


def shuffle(value, seed=None, name=None):
    """tf.random.shuffle: the parts along the first axis in the order of as many numbers that are drawn."""
    from . import array_operations
    x = convert(value)
    if not x.dims:
        raise ValueError("tf.random.shuffle takes a tensor of one dimension or more, and got a single number")
    return operations.gather(x, array_operations.argsort(uniform([x.dims[0]], seed=seed)))


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
    if not graph.executing_eagerly():
        return uniform([], least, most, dtype=dtype)
    generator = np.random.default_rng(draws.salt())
    return int(generator.integers(least, most)) if dtype == "int32" else float(generator.uniform(least, most))


def by_chance(function, x):
    """function(x) or x, one as likely as the other."""
    x, chance = convert(x), number(0.0, 1.0)
    if isinstance(chance, float):
        return function(x) if chance < 0.5 else x
    return operations.where(operations.less(operations.reshape(chance, [1] * len(x.dims)), 0.5), function(x), x)
