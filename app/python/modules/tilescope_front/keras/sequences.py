# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.preprocessing.sequence beside pad_sequences: windows of a series, and pairs of words that stand near each other."""
import numpy as np

from . import data as keras_data


class TimeseriesGenerator(keras_data.Sequence):
    """Batches of windows of a series, each with the target that follows it."""

    def __init__(self, data, targets, length, sampling_rate=1, stride=1, start_index=0, end_index=None, shuffle=False, reverse=False, batch_size=128):
        if len(data) != len(targets):
            raise ValueError(f"Data and targets have to be of same length. Data length is {len(data)} while target length is {len(targets)}")
        self.data, self.targets, self.length, self.sampling_rate, self.stride = data, targets, length, sampling_rate, stride
        self.start_index, self.end_index = start_index + length, len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as no part of the sequence "
                             "would be left to be used as current step.")

    def __len__(self):
        return (self.end_index - self.start_index + self.batch_size * self.stride) // (self.batch_size * self.stride)

    def __getitem__(self, index):
        first = self.start_index + self.batch_size * self.stride * index
        rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size) if self.shuffle else \
            np.arange(first, min(first + self.batch_size * self.stride, self.end_index + 1), self.stride)
        samples = np.array([self.data[row - self.length:row:self.sampling_rate] for row in rows])
        return samples[:, ::-1] if self.reverse else samples, np.array([self.targets[row] for row in rows])


def make_sampling_table(size, sampling_factor=1e-5):
    """How likely a word is kept, by its rank, where words are as frequent as Zipf's law has it."""
    rank = np.maximum(np.arange(size), 1.0)
    share = sampling_factor * (rank * (np.log(rank) + 0.577) + 0.5 - 1 / (12 * rank))
    return np.minimum(1.0, share / np.sqrt(share))


def skipgrams(sequence, vocabulary_size, window_size=4, negative_samples=1.0, shuffle=True, categorical=False, sampling_table=None, seed=None):
    """Pairs of words (word, one near it), 1, and (word, any), 0."""
    random = np.random.default_rng(seed)
    near = [[word, sequence[j]] for i, word in enumerate(sequence) if word and (sampling_table is None or sampling_table[word] >= random.random())
            for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)) if j != i and sequence[j]]
    words = random.permutation([pair[0] for pair in near]) if near else []
    count = int(len(near) * negative_samples)
    pairs = near + [[int(words[i % len(words)]), int(random.integers(1, vocabulary_size))] for i in range(count)]
    labels = [[0, 1] if categorical else 1] * len(near) + [[1, 0] if categorical else 0] * count
    order = random.permutation(len(pairs)) if shuffle else range(len(pairs))
    return [pairs[i] for i in order], [labels[i] for i in order]


def add_names():
    from .. import names
    names.module("tensorflow.keras.preprocessing.sequence", TimeseriesGenerator=TimeseriesGenerator, make_sampling_table=make_sampling_table,
                 skipgrams=skipgrams)
