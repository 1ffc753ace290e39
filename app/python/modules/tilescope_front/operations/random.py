# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.random and what draws from it. In a graph each step draws anew, on the device or in the session; else Python draws,
when it is at the call."""
import numpy as np

from . import initializers, elementary as operations
from .. import dtypes, failures
from ..tensors import draws, graph
from ..tensors.graph import apply, convert


def _dropped(x, settings, noise_shape, name, function):
    """Drops numbers of x, or, with a noise_shape, all that lie along its extents of 1 together."""
    x = convert(x)
    if operations.known_or_none(settings["rate"]) is None:
        if noise_shape is not None:
            raise failures.refused(f"{function}(noise_shape=…) with a rate that is a tensor", "give one of the two as numbers")
        return _by_rate(x, operations.cast(settings["rate"], "float32"))
    settings = {"rate": float(operations.known(settings.pop("rate"))), "always": True, **settings}
    if noise_shape is None:
        return apply("dropout", [x], settings, name)[0]
    given = operations.known(noise_shape) if hasattr(noise_shape, "dims") and not isinstance(noise_shape, dtypes.TensorShape) else noise_shape
    shape = [own if each is None else int(each) for each, own in zip(given, x.dims)]
    if len(list(given)) != len(x.dims) or any(each not in (1, own) for each, own in zip(shape, x.dims)):
        raise ValueError(f"{function}: noise_shape {list(given)} does not fit the shape {list(x.dims)}: it has as many extents, each the "
                         "same or 1.")
    mask = apply("dropout", [np.ones(shape, x.dtype.as_numpy_dtype)], settings, name)[0]
    return operations.multiply(x, mask)


def _by_rate(x, rate):
    """The same by a rate that a session feeds, or the program computes."""
    noise = apply("gaussian_noise", [operations.cast(operations.zeros_like(x), "float32")],
                  {"stddev": 1.0, "limit": 0.0, "salt": draws.salt(), "always": True})[0]
    share = operations.multiply(operations.add(operations.MATH["erf"](operations.multiply(noise, float(np.sqrt(0.5)))), 1.0), 0.5)
    kept = operations.cast(operations.greater_equal(share, rate), x.dtype)
    made = operations.divide(operations.multiply(x, kept), operations.cast(operations.subtract(1.0, rate), x.dtype))
    if graph.is_symbolic(made):
        made.set_shape(x.shape)  # whatever is known of the rate's
    return made


def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """tf.nn.dropout: x / (1 - rate), and 0 in a share `rate` of the places. In a graph, operations of one seed draw the same."""
    salt = draws.salt() if seed is None or graph.executing_eagerly() else draws.salt_of(seed)
    return _dropped(x, {"rate": rate, "salt": salt}, noise_shape, name, "tf.nn.dropout")


def dropout_1(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """As TensorFlow 1 has it."""
    return dropout(x, (operations.subtract(1.0, keep_prob) if hasattr(keep_prob, "dims") else 1 - keep_prob) if rate is None else rate, noise_shape, seed, name)


def ipu_dropout(x, rate=0.5, noise_shape=None, seed=None, name=None, ref=True):
    """ipu.rand_ops.dropout: with a seed, a pair of whole numbers, what is dropped follows from it alone, in each step. `ref`
    says how it is laid out, which does not matter here."""
    if not 0.0 <= rate < 1.0:
        raise ValueError(f"The rate must be in the range [0, 1), but was {rate}")
    own = {"salt": draws.salt()} if seed is None else {"salt": 0, "seed": _pair(seed)}
    return _dropped(x, {"rate": rate, **own}, noise_shape or None, name, "ipu.rand_ops.dropout")


def _pair(seed):
    """The two 32-bit numbers of a seed as one of 64 bits."""
    values = operations.known_or_none(seed)
    if values is None:
        raise failures.refused("ipu.rand_ops.dropout(seed=…) of a tensor that the program computes", "what is dropped follows from numbers "
                               "that are known before it runs; give them as such")
    if np.shape(values) != (2,):
        raise ValueError(f"Expected the seed to have a shape [2], but got {list(np.shape(values))}.")
    low, high = (int(each) & 0xFFFFFFFF for each in values)
    return int(np.array([high << 32 | low], np.uint64).astype(np.int64)[0])


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
    own = ("minval", "maxval") if kind == "uniform" else ("mean", "stddev")

    def draw(shape, *args, dtype="float32", seed=None, name=None, **bounds):
        failures.check_arguments(f"tf.random.{kind}()", bounds, ("shape", *own, "dtype", "seed", "name"))
        named = dict(zip(own, args), **bounds)
        settings = {key: float(operations.known(value)) for key, value in named.items() if value is not None}
        dtype, dims = dtypes.as_dtype(dtype), tuple(operations.wholes(shape))
        if not graph.executing_eagerly():
            return _in_graph(kind, dims, dtype, settings)
        return _drawn_now(kind, dims, dtype, settings, draws.name(seed))
    draw.__name__ = kind
    return draw


def _drawn_now(kind, dims, dtype, settings, name):
    made = initializers.INITIALIZERS[_INITIALIZERS[kind]](**settings)
    drawn = initializers.first_values(made, dims, dtypes.float32, name)
    return operations.constant((np.floor(drawn) if dtype.is_integer else drawn).astype(dtype.as_numpy_dtype))


uniform, normal, truncated_normal = (_random(kind) for kind in _INITIALIZERS)


def shuffle(value, seed=None, name=None):
    """tf.random.shuffle: the parts along the first axis in the order of as many numbers that are drawn."""
    from . import array as array_operations
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


# Numbers that follow from a seed alone, and generators.

def _stateless(kind):
    own = ("minval", "maxval") if kind == "uniform" else ("mean", "stddev")

    def draw(shape, seed, *args, dtype="float32", name=None, alg=None, **bounds):
        named = dict(zip(own, args), **bounds)
        settings = {key: float(operations.known(value)) for key, value in named.items() if value is not None}
        return _of_seeds(kind, tuple(operations.wholes(shape)), dtypes.as_dtype(dtype), settings, operations.known(seed))
    draw.__name__ = f"stateless_{kind}"
    return draw


def _of_seeds(kind, dims, dtype, settings, seeds):
    with graph.at_once(), graph.current().with_(seed=None):
        return _drawn_now(kind, dims, dtype, settings, "stateless_" + "_".join(str(int(each)) for each in np.ravel(seeds)))


STATELESS = {f"stateless_{kind}": _stateless(kind) for kind in _INITIALIZERS}


def stateless_split(seed, num=2, alg=None):
    """tf.random.experimental's: as many seeds of one, which are numbers below 2^24."""
    return STATELESS["stateless_uniform"]([operations.whole(num), 2], seed, 0, 2**24, dtype="int32")


def stateless_fold_in(seed, data, alg=None):
    """A seed of a seed and a number."""
    seeds = np.ravel(operations.known(seed))
    return STATELESS["stateless_uniform"]([2], [*seeds, int(operations.known(data))], 0, 2**24, dtype="int32")


def _of_host(name, drawn):
    def draw(shape, *args, dtype="float32", seed=None, name=None, **kwargs):
        if graph.current().of_program or not graph.values_at_hand():
            raise failures.refused(f"tf.random.{draw.__name__} in a program", "the device draws normal and equally likely numbers: draw it in "
                                   "Dataset.map(), or beside the program")
        made = drawn(np.random.default_rng(draws.salt() if seed is None else draws.salt_of(seed)), tuple(operations.wholes(shape)),
                     *map(operations.known, args), **{key: operations.known(each) for key, each in kwargs.items()})
        return operations.constant(made.astype(dtypes.as_dtype(dtype).as_numpy_dtype))
    draw.__name__ = name
    return draw


def _gamma(random, shape, alpha, beta=1.0):
    alpha, beta = np.broadcast_arrays(alpha, 1.0 if beta is None else beta)
    return random.gamma(alpha, 1 / beta, shape + alpha.shape)


OF_HOST = {"gamma": _of_host("gamma", _gamma),
           "poisson": _of_host("poisson", lambda random, shape, lam: random.poisson(lam, shape + np.shape(lam)))}


class Generator:
    """tf.random.Generator: numbers that go on from draw to draw; in a program they are drawn anew in each step."""

    def __init__(self, copy_from=None, state=None, alg=None):
        self.key = copy_from.key if copy_from is not None else tuple(int(each) for each in np.ravel(operations.known(state)))
        self.drawn = copy_from.drawn if copy_from is not None else 0

    @classmethod
    def from_seed(cls, seed, alg=None):
        return cls(state=[int(seed)])

    @classmethod
    def from_state(cls, state, alg=None):
        return cls(state=state)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        return cls(state=[int(np.random.SeedSequence().entropy % 2**31)])

    def reset_from_seed(self, seed):
        self.key, self.drawn = (int(seed),), 0

    def split(self, count=1):
        return [Generator(state=[*self.key, self._next(), i]) for i in range(count)]

    def _next(self):
        self.drawn += 1
        return self.drawn

    def _draw(self, kind, shape, dtype, settings):
        dims, dtype = tuple(operations.wholes(shape)), dtypes.as_dtype(dtype)
        settings = {key: float(operations.known(value)) for key, value in settings.items() if value is not None}
        if not graph.executing_eagerly():
            return _in_graph(kind, dims, dtype, settings)
        return _of_seeds(kind, dims, dtype, settings, [*self.key, self._next()])

    def uniform(self, shape, minval=0, maxval=None, dtype="float32", name=None):
        return self._draw("uniform", shape, dtype, {"minval": minval, "maxval": 1 if maxval is None else maxval})

    def normal(self, shape, mean=0.0, stddev=1.0, dtype="float32", name=None):
        return self._draw("normal", shape, dtype, {"mean": mean, "stddev": stddev})

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype="float32", name=None):
        return self._draw("truncated_normal", shape, dtype, {"mean": mean, "stddev": stddev})

    def make_seeds(self, count=1):
        return self.uniform([2, count], 0, 2**24, "int32")


_global = []


def get_global_generator():
    if not _global:
        _global.append(Generator.from_seed(1))
    return _global[0]


def add_names():
    from .. import names
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".random.experimental", Generator=Generator, get_global_generator=get_global_generator,
                     stateless_split=stateless_split, stateless_fold_in=stateless_fold_in)
        names.module(module + ".random", STATELESS, OF_HOST, Generator=Generator, get_global_generator=get_global_generator,
                     set_global_generator=lambda generator: _global.__setitem__(slice(None), [generator]))
