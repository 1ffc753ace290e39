# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' layers that take what they know from data: Normalization, StringLookup and IntegerLookup, CategoryEncoding and Discretization."""
import collections

import numpy as np

from . import layers as keras_layers
from .. import failures, ipu_config
from ..data import pipelines as data
from ..operations import elementary as operations
from ..tensors import graph
from .layer_table import TABLE

_ENCODED = {"binary": "multi_hot"}  # as it was called before Keras 2.6
_MODES = ("one_hot", "multi_hot", "count")


def _batches(given):
    """The arrays of a data set, whose elements may have more parts, or the one that is given."""
    if isinstance(given, data.Dataset):
        return [leaves[0] for leaves in given.arrays()]
    return [np.asarray(operations.known(given) if hasattr(given, "dims") else given)]


class Normalization(keras_layers.Layer):
    """keras.layers.Normalization: (x - mean) / deviation, of numbers that are given or of data."""

    parameters = TABLE["Normalization"]

    def adapt(self, data, batch_size=None, steps=None):  # pylint: disable=redefined-outer-name
        """Takes mean and variance of data: of each number of the last axis, or of all where the axis is None."""
        rows = np.concatenate([np.atleast_1d(each) for each in _batches(data)]).astype(np.float64)
        rows = rows[:, None] if rows.ndim == 1 and self.settings["axis"] is not None else rows
        if not rows.size:
            raise ValueError("The data that a Normalization layer should adapt to has no elements.")
        if self.settings["mean"] is not None:
            raise RuntimeError(f"Cannot `adapt` a Normalization layer that is initialized with static `mean` and `variance`, you passed mean "
                               f"{self.settings['mean']} and variance {self.settings['variance']}.")
        if self._held_by() is None:
            self.build([None, *rows.shape[1:]])
        over = None if self.settings["axis"] is None else tuple(range(rows.ndim - 1))
        self.set_weights([rows.mean(over), rows.var(over), np.float32(len(rows))])


def encoded(numbers, mode, depth):
    """Whole numbers as rows of zeros and ones, or of counts: one for each sample, of all numbers of its last axis."""
    mode = _ENCODED.get(mode, mode)
    numbers = operations.cast(numbers, "int32")
    if mode == "one_hot" and numbers.dims and numbers.dims[-1] == 1:
        numbers = operations.squeeze(numbers, [-1])
    rows = operations.one_hot(numbers, depth)
    if mode == "one_hot" or len(numbers.dims) == 0:
        return rows
    return operations.MATH["reduce_sum"](rows, -2) if mode == "count" else operations.reduce_max(rows, -2)


class CategoryEncoding(keras_layers.Layer):
    """keras.layers.CategoryEncoding: whole numbers as rows of zeros and ones, or of counts."""

    parameters = "num_tokens=None, output_mode='multi_hot', sparse=False, max_tokens=None"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.depth = self.settings["num_tokens"] or self.settings["max_tokens"]
        if self.settings["output_mode"] not in (*_MODES, *_ENCODED):
            raise ValueError(f"Unknown argument for output_mode: {self.settings['output_mode']}.")
        if self.depth is None or self.settings["sparse"]:
            raise failures.refused("CategoryEncoding(num_tokens=None)" if self.depth is None else "CategoryEncoding(sparse=True)",
                                   "give it num_tokens, as shapes are static on the IPU" if self.depth is None else "leave it out")

    def call(self, inputs):
        return encoded(inputs, self.settings["output_mode"], int(self.depth))


class Discretization(keras_layers.Layer):
    """keras.layers.Discretization: the number of the bin of each value, which begins at the boundary before it."""

    parameters = "bin_boundaries=None, num_bins=None, epsilon=0.01, bins=None"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        given = self.settings["bin_boundaries"] if self.settings["bins"] is None else self.settings["bins"]
        if given is None or isinstance(given, int):
            raise failures.refused("Discretization without bin_boundaries", "give it those, as of np.quantile")
        self.boundaries = np.float32(list(given))

    def call(self, inputs):
        x = operations.expand_dims(operations.cast(inputs, "float32"), -1)
        return operations.reduce_sum(operations.cast(operations.greater_equal(x, operations.constant(self.boundaries)), "int32"), -1)


class _Lookup(keras_layers.Layer):
    """Tokens as their numbers in a vocabulary, of the host; of whole numbers also in a model."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.mode = _ENCODED.get(self.settings["output_mode"], self.settings["output_mode"])
        if self.mode not in (*_MODES, "int"):
            raise failures.refused(f"{type(self).__name__}(output_mode={self.settings['output_mode']!r})", "use 'int', 'one_hot', 'multi_hot' or "
                                   "'count'")
        if self.settings["num_oov_indices"] not in (0, 1):
            raise failures.refused(f"{type(self).__name__}(num_oov_indices={self.settings['num_oov_indices']})", "use 0 or 1")
        self.tokens = []
        if self.settings["vocabulary"] is not None:
            self.set_vocabulary(self.settings["vocabulary"])

    def _special(self):
        """What comes before the tokens: what masks, in numbers alone, and what stands for the unknown."""
        mask = [self.settings["mask_token"]] if self.settings["mask_token"] is not None and self.mode == "int" else []
        return mask + [self.settings["oov_token"]] * self.settings["num_oov_indices"]

    def adapt(self, data, batch_size=None, steps=None):  # pylint: disable=redefined-outer-name
        """Takes the tokens of data, the most frequent first; among equally frequent ones the last in their order."""
        counts = collections.Counter(token for each in _batches(data) for token in self._listed(each))
        counts.pop(self.settings["mask_token"], None)
        order = sorted(sorted(counts, reverse=True), key=counts.get, reverse=True)
        most = self.settings["max_tokens"]
        self.tokens = order if most is None else order[:max(most - len(self._special()), 0)]

    def set_vocabulary(self, vocabulary, idf_weights=None):
        if isinstance(vocabulary, str):
            with open(vocabulary, encoding="utf-8") as file:
                vocabulary = [line.rstrip("\n") for line in file]
        tokens = self._listed(np.asarray(operations.known(vocabulary) if hasattr(vocabulary, "dims") else vocabulary))
        special = self._special()
        self.tokens = tokens[len(special):] if special and tokens[:len(special)] == special else tokens
        twice = [token for token, count in collections.Counter(self.tokens).items() if count > 1]
        if twice:
            raise ValueError(f"The passed vocabulary has at least one repeated term. Please uniquify your dataset. The repeated terms are {twice}")

    def get_vocabulary(self, include_special_tokens=True):
        return (self._special() if include_special_tokens else []) + self.tokens

    def vocabulary_size(self):
        return len(self.get_vocabulary())

    vocab_size = vocabulary_size

    def _checked(self):
        if not self.tokens:
            raise RuntimeError(f"{type(self).__name__} has no vocabulary: give it one, or call `adapt()` first.")

    def __call__(self, inputs, *args, **kwargs):
        self._checked()
        if isinstance(inputs, keras_layers.KerasTensor) or graph.is_symbolic(inputs) and operations.known_or_none(inputs) is None:
            if not self.in_models or self.settings["invert"]:
                raise failures.refused(f"{type(self).__name__}{'(invert=True)' if self.settings['invert'] else ''} in a model", self.remedy)
            return super().__call__(inputs, *args, **kwargs)
        array = np.asarray(operations.known(inputs) if hasattr(inputs, "dims") else inputs)
        if self.settings["invert"]:
            return graph.EagerTensor(self._tokens_of(array))
        numbers = {token: i + len(self._special()) for i, token in enumerate(self.tokens)}
        if self.settings["mask_token"] is not None and self.mode == "int":
            numbers[self.settings["mask_token"]] = 0
        unknown = len(self._special()) - 1 if self.settings["num_oov_indices"] else None
        found = [numbers.get(token, unknown) for token in self._listed(array)]
        if None in found:
            raise ValueError(f"When `num_oov_indices=0` all inputs should be in vocabulary, found {self._listed(array)[found.index(None)]!r}.")
        found = np.array(found, np.int64).reshape(array.shape)
        return graph.EagerTensor(found) if self.mode == "int" else encoded(graph.EagerTensor(found), self.mode, len(self.get_vocabulary()))

    def _tokens_of(self, array):
        every = self.get_vocabulary()
        found = [every[int(each)] if 0 <= int(each) < len(every) else self.settings["oov_token"] for each in array.reshape(-1)]
        return self._array(found).reshape(array.shape)

    def call(self, inputs):
        """The same of whole numbers that a model computes."""
        special, x = self._special(), operations.cast(inputs, "int32")
        same = operations.cast(operations.equal(operations.expand_dims(x, -1), operations.constant(np.array(self.tokens, np.int32))), "int32")
        places = operations.constant(np.arange(len(self.tokens), dtype=np.int32) + len(special))
        numbers = operations.reduce_sum(operations.multiply(same, places), -1)
        if len(special) == 2:  # what masks, which is 0, and the unknown, which is 1
            others = operations.subtract(operations.cast(operations.not_equal(x, int(special[0])), "int32"), operations.reduce_sum(same, -1))
            numbers = operations.add(numbers, others)
        return numbers if self.mode == "int" else encoded(numbers, self.mode, len(self.get_vocabulary()))


class StringLookup(_Lookup):
    """keras.layers.StringLookup."""

    parameters = ("max_tokens=None, num_oov_indices=1, mask_token=None, oov_token='[UNK]', vocabulary=None, invert=False, output_mode='int', "
                  "sparse=False, pad_to_max_tokens=False, encoding=None")
    in_models, remedy = False, "IPUs have no texts: call it in Dataset.map(), and give the model the numbers"

    @staticmethod
    def _listed(array):
        return data.texts_of(np.asarray(array, object))

    @staticmethod
    def _array(tokens):
        made = np.empty(len(tokens), object)
        made[:] = [token.encode() for token in tokens]
        return made


class IntegerLookup(_Lookup):
    """keras.layers.IntegerLookup."""

    parameters = ("max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, vocabulary=None, invert=False, output_mode='int', "
                  "sparse=False, pad_to_max_tokens=False")
    in_models, remedy = True, "look tokens up on the host, in what the model gives"

    @staticmethod
    def _listed(array):
        return [int(each) for each in np.asarray(array).reshape(-1)]

    @staticmethod
    def _array(tokens):
        return np.array(tokens, np.int64)


LOOKUPS = {each.__name__: each for each in (Normalization, CategoryEncoding, Discretization, StringLookup, IntegerLookup)}


class SyncBatchNormalization(keras_layers.LAYERS["BatchNormalization"]):
    """keras.layers.experimental.SyncBatchNormalization: statistics of all replicas, which Keras' norms here have by the configuration."""

    parameters = "axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, beta_initializer='zeros', gamma_initializer='ones', " \
        "moving_mean_initializer='zeros', moving_variance_initializer='ones', beta_regularizer=None, gamma_regularizer=None, " \
        "beta_constraint=None, gamma_constraint=None"
    is_of_all_replicas = True

    def document(self):
        return {**super().document(), "class_name": "BatchNormalization"}


def check_norms(model, replicas):
    """Errors: refused where a norm is of all replicas, and the configuration says that norms are of fewer."""
    group = ipu_config.norms_part().get("norms", {}).get("experimental", {}).get("distributed_batch_norm_replica_group_size", 1)
    if replicas > 1 and group != replicas and any(getattr(layer, "is_of_all_replicas", False) for layer in model.leaves()):
        raise failures.refused(f"SyncBatchNormalization on {replicas} replicas", "set IPUConfig.norms.experimental."
                               f"distributed_batch_norm_replica_group_size to {replicas}, by which all batch norms have the statistics of all")


def add_names():
    from .. import names
    keras_layers.LAYERS.update(LOOKUPS)
    names.module("tensorflow.keras.layers.experimental", SyncBatchNormalization=SyncBatchNormalization)
    for below in ("layers", "layers.experimental.preprocessing"):
        names.module(f"tensorflow.keras.{below}", LOOKUPS)
