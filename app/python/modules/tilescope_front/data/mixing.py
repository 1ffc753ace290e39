# SPDX-License-Identifier: GPL-3.0-or-later
"""Data sets of several, of which each element comes from one that is drawn or chosen; running states; random numbers."""
import copy
import enum
import functools
import inspect
import itertools

import numpy as np

from . import pipelines as data, passes as data_passes
from .. import errors
from ..tensors import graph
from ..dtypes import TensorSpec
from ..structure import flatten, pack_like


def _common(datasets):
    """The structure of the elements of data sets, and what each part of all of them is: extents that differ are open. Errors:
    TypeError where they are nested in other ways, or of other types."""
    found = [(each, each.flat_specs()) for each in datasets if each.flat_specs() or not flatten(each._structure)]  # not those without elements
    if not found:
        return datasets[0]._structure, None
    (first, common), *rest = found
    types = pack_like(first._structure, [spec.dtype.name for spec in common])
    for each, specs in rest:
        own = pack_like(each._structure, [spec.dtype.name for spec in specs])
        if own != types:
            raise TypeError(f"All datasets must have the same type and class: one has elements of {types}, another of {own}.")
        common = [TensorSpec(_shape_of_both(one.shape.dims_, other.shape.dims_), one.dtype) for one, other in zip(common, specs)]
    return first._structure, common


def _shape_of_both(one, other):
    if one is None or other is None or len(one) != len(other):
        return None
    return [m if m == n else None for m, n in zip(one, other)]


def _mixed(datasets, picks, stop_on_empty, length=data.UNKNOWN):
    """The elements of data sets in the order of `picks`, which gives an iterator of their numbers."""
    def make():
        running = [each.arrays() for each in datasets]
        for number in picks():
            element = next(running[number], None) if running[number] is not None else None
            if element is None:
                if stop_on_empty:
                    return
                running[number] = None
                if not any(each is not None for each in running):
                    return
                continue
            yield element
    structure, specs = _common(datasets)
    return data.Dataset(make, structure, length, open_batch=any(each._open_batch for each in datasets), specs=specs)


def _hands_on(function):
    """A function whose data set has the options of those that it is given, of the last one that says something."""
    @functools.wraps(function)
    def handing_on(*args, **kwargs):
        made = function(*args, **kwargs)
        given = [each for each in flatten([list(args), kwargs]) if isinstance(each, data.Dataset)]
        if isinstance(made, data.Dataset) and all(each is not made for each in given):
            made = functools.reduce(with_options, [each.options() for each in given if "_options" in vars(each)], made)
        return made
    return handing_on


def _listed(datasets):
    datasets = list(datasets)
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    return datasets


def _check_weights(shares, datasets):
    if np.shape(shares) != (len(datasets),):
        raise ValueError(f"`weights` must have the same length as `datasets`: their shape is {np.shape(shares)}, and there are "
                         f"{len(datasets)} data sets.")


@_hands_on
def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False, rerandomize_each_iteration=None):
    """Each element is of one that is drawn. `weights`: of each data set, or a data set of those of each element."""
    datasets = _listed(datasets)
    changing = isinstance(weights, data.Dataset)
    if not changing:
        shares = np.ones(len(datasets)) if weights is None else np.asarray(weights, np.float64)
        _check_weights(shares, datasets)
        kept = [i for i, share in enumerate(shares) if share > 0]  # the others are never drawn
        datasets, shares = ([datasets[i] for i in kept], shares[kept]) if kept else ([datasets[0].take(0)], np.ones(1))
    passes, own = itertools.count(), data._seed() if seed is None else int(seed)

    def of_each():
        if not changing:
            yield from itertools.repeat(shares)
        for leaves in weights.arrays():
            _check_weights(leaves[0], datasets)
            found = np.maximum(np.asarray(leaves[0], np.float64), 0)
            if not found.any():
                raise errors.InvalidArgumentError(message=f"`weights` has {np.asarray(leaves[0]).tolist()}, of which none is above 0.")
            yield found

    def picks():
        random = np.random.Generator(np.random.Philox(key=[own, next(passes)]))
        for now in of_each():
            yield int(random.choice(len(datasets), p=now / now.sum()))
    return _mixed(datasets, picks, stop_on_empty_dataset)


@_hands_on
def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True):
    """Each element is of the one whose number the choice has."""
    datasets = _listed(datasets)
    specs = choice_dataset.flat_specs()
    if specs and (len(specs) > 1 or specs[0].shape.dims_ not in ((), None) or specs[0].dtype.name != "int64"):
        raise TypeError(f"`choice_dataset` must be a dataset of scalar `tf.int64` tensors, and its elements are "
                        f"{', '.join(map(repr, specs))}.")

    def picks():
        for leaves in choice_dataset.arrays():
            if not 0 <= int(leaves[0]) < len(datasets):
                raise errors.InvalidArgumentError(message=f"Selector index out of range: {int(leaves[0])}; there are {len(datasets)} data sets.")
            yield int(leaves[0])
    return _mixed(datasets, picks, stop_on_empty_dataset)


def _choose_on(datasets, choice_dataset, stop_on_empty_dataset=False):
    """tf.data.experimental.choose_from_datasets, which goes on with the others where one has ended."""
    return choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def group_by_window(dataset, key_func, reduce_func, window_size=None, window_size_func=None, name=None):
    """What reduce_func makes of windows of elements that have one key, in the order in which they are full; then of the rest."""
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Must pass either window_size or window_size_func, and not both.")

    def size_of(key):
        size = int(np.asarray(window_size if window_size_func is None else window_size_func(graph.EagerTensor(key))))
        if size <= 0:
            raise errors.InvalidArgumentError(message=f"Window size must be greater than zero, but got {size}.")
        return size

    def made(key, rows):
        window = dataset._like(lambda: iter(rows), len(rows))
        with graph.at_once():
            return reduce_func(graph.EagerTensor(key), window)

    def key_of(leaves):
        return np.int64(np.asarray(dataset._made_of(leaves, key_func)))

    def make():
        windows = {}
        for leaves in dataset._make():
            key = key_of(leaves)
            rows = windows.setdefault(key, [])
            rows.append(leaves)
            if len(rows) == size_of(key):
                yield from made(key, windows.pop(key))._make()
        for key, rows in windows.items():
            yield from made(key, rows)._make()

    first = data_passes.first_of(dataset._make)
    inner = dataset if first is None else made(key_of(first), [first] * size_of(key_of(first)))
    return data.Dataset(make, inner._structure, data.UNKNOWN, open_batch=inner._open_batch, specs=inner._specs)


def unique(dataset, name=None):
    """Each element once."""
    def make():
        seen = set()
        for leaves in dataset._make():
            known = tuple(np.asarray(each).tobytes() if np.asarray(each).dtype != object else str(each) for each in leaves)
            if known not in seen:
                seen.add(known)
                yield leaves
    return dataset._like(make, data.UNKNOWN)


def assert_cardinality(expected_cardinality):
    """Gives a data set a length, which is checked where it ends."""
    expected = int(expected_cardinality)

    def with_length(dataset):
        def make():
            count = 0
            for leaves in dataset._make():
                count += 1
                if count > expected:
                    raise errors.FailedPreconditionError(message=f"Input dataset was expected to contain {expected} elements but contained more.")
                yield leaves
            if count < expected:
                raise errors.FailedPreconditionError(message=f"Input dataset was expected to contain {expected} elements but contained only {count}.")
        return dataset._like(make, expected)
    return with_length


def applied(function):
    return lambda *args, **kwargs: lambda dataset: function(dataset, *args, **kwargs)


def random(seed=None, rerandomize_each_iteration=None, name=None):
    """Whole numbers below 2^32 without end."""
    own = data._seed() if seed is None else int(seed)

    def make():
        numbers = np.random.Generator(np.random.Philox(key=[own, 0]))
        while True:
            yield [np.int64(numbers.integers(2**32))]
    return data.Dataset(make, np.int64(0), data.INFINITE)


class _Settings:
    """How a pipeline is run, which has no meaning here."""

    def updated(self, given):
        """The same with what is set in `given`."""
        made = copy.copy(self)
        for name, value in vars(given).items():
            own = getattr(made, name, None)
            if value is not None:
                setattr(made, name, own.updated(value) if isinstance(own, _Settings) and isinstance(value, _Settings) else value)
        return made


class AutoShardPolicy(enum.IntEnum):
    """tf.data.experimental's: how data are dealt to several workers, of which there is one."""

    OFF, AUTO, FILE, DATA, HINT = -1, 0, 1, 2, 3


class Options(_Settings):
    """tf.data.Options: how a pipeline is run. Its order is always the same."""

    def __init__(self):
        self.deterministic = self.experimental_deterministic = self.experimental_slack = self.experimental_external_state_policy = None
        for name in ("autotune", "threading", "experimental_optimization", "experimental_distribute", "experimental_threading", "experimental_stats"):
            setattr(self, name, _Settings())

    merge = _Settings.updated


def options(dataset):
    """What with_options() has said of a data set, and of those that it is made of."""
    return dataset.__dict__.get("_options") or Options()


def with_options(dataset, options, name=None):
    """The same elements, which with_options() of before and these say how to make."""
    made = copy.copy(dataset)
    made._options = dataset.options().merge(options)
    return made


def add_names():
    from .. import names
    data.Dataset.group_by_window, data.Dataset.unique = group_by_window, unique
    data.Dataset.snapshot = lambda self, path, compression=None, reader_func=None, shard_func=None, name=None: self
    for function in (sample_from_datasets, choose_from_datasets, random):
        setattr(data.Dataset, function.__name__, staticmethod(function))
    data.Dataset.zip = staticmethod(_hands_on(data.Dataset.zip))
    for name, method in list(vars(data.Dataset).items()):
        if not name.startswith("_") and inspect.isfunction(method):  # sources are given no data sets
            setattr(data.Dataset, name, _hands_on(method))
    data.Dataset.with_options, data.Dataset.options = with_options, options
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".data", Options=Options)
        names.module(module + ".data.experimental", AutoShardPolicy=AutoShardPolicy, sample_from_datasets=sample_from_datasets, choose_from_datasets=_choose_on,
                     group_by_window=applied(group_by_window), unique=applied(unique), assert_cardinality=assert_cardinality)
