# SPDX-License-Identifier: GPL-3.0-or-later
"""Data sets of several, of which each element comes from one that is drawn or chosen; running states; random numbers."""
import itertools

import numpy as np

from . import data, graph
from .structure import flatten, pack_like


def _mixed(datasets, picks, stop_on_empty, length=data.UNKNOWN):
    """The elements of data sets in the order of `picks`, which gives an iterator of their numbers."""
    first = datasets[0]

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
    return data.Dataset(make, first._structure, length, open_batch=first._open_batch, specs=first.flat_specs())


def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False, rerandomize_each_iteration=None):
    """Each element is of one that is drawn."""
    datasets = list(datasets)
    shares = np.ones(len(datasets)) if weights is None else np.asarray(weights, np.float64)
    if len(shares) != len(datasets):
        raise ValueError(f"weights must have the same length as datasets: {len(shares)} and {len(datasets)}.")
    passes, own = itertools.count(), data._seed() if seed is None else int(seed)

    def picks():
        random = np.random.Generator(np.random.Philox(key=[own, next(passes)]))
        while True:
            yield int(random.choice(len(datasets), p=shares / shares.sum()))
    return _mixed(datasets, picks, stop_on_empty_dataset)


def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True):
    """Each element is of the one whose number the choice has."""
    return _mixed(list(datasets), lambda: (int(each[0]) for each in choice_dataset.arrays()), stop_on_empty_dataset)


def scan(dataset, initial_state, scan_func, name=None):
    """Elements that a function makes of its state, which it hands on, and an element."""
    shaped = []

    def make():
        state = pack_like(initial_state, [graph.convert(each) for each in flatten(initial_state)])
        for leaves in dataset._make():
            element = pack_like(dataset._structure, [data.part_of_element(leaf) for leaf in leaves])
            with graph.at_once():
                state, made = scan_func(state, element)
            shaped[:] = [made]
            yield [data._array(leaf) for leaf in flatten(made)]
    next(make(), None)
    return data.Dataset(make, shaped[0] if shaped else dataset._structure, dataset._length)


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


class Options(_Settings):
    """tf.data.Options: how a pipeline is run. Its order is always the same."""

    def __init__(self):
        self.deterministic = self.experimental_deterministic = self.experimental_slack = self.experimental_external_state_policy = None
        for name in ("autotune", "threading", "experimental_optimization", "experimental_distribute", "experimental_threading"):
            setattr(self, name, _Settings())

    def merge(self, options):
        return self


def add_names():
    from . import names
    data.Dataset.scan = scan
    for function in (sample_from_datasets, choose_from_datasets, random):
        setattr(data.Dataset, function.__name__, staticmethod(function))
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".data", Options=Options)
        names.module(module + ".data.experimental", sample_from_datasets=sample_from_datasets, choose_from_datasets=choose_from_datasets)
