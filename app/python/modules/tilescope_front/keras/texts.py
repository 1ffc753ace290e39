# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts as numbers, by the host: keras.preprocessing.text and TextVectorization."""
import collections
import hashlib
import json
import re

import numpy as np

from . import layers as keras_layers
from .. import failures
from ..data import pipelines as data, strings
from ..operations import elementary as operations
from ..tensors import graph

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
PUNCTUATION = r'[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']'  # keras/layers/preprocessing/text_vectorization.py
_STANDARDIZED = {"lower_and_strip_punctuation": lambda text: re.sub(PUNCTUATION, "", text.lower()), "lower": str.lower,
                 "strip_punctuation": lambda text: re.sub(PUNCTUATION, "", text)}


def text_to_word_sequence(input_text, filters=FILTERS, lower=True, split=" "):
    """The words of a text."""
    text = input_text.lower() if lower else input_text
    return [word for word in text.translate({ord(each): split for each in filters}).split(split) if word]


def hashing_trick(text, n, hash_function=None, filters=FILTERS, lower=True, split=" "):
    """A number from 1 to n - 1 for each word."""
    if hash_function == "md5":
        def hash_function(word):
            return int(hashlib.md5(word.encode()).hexdigest(), 16)
    number = hash_function or hash
    return [number(word) % (n - 1) + 1 for word in text_to_word_sequence(text, filters, lower, split)]


def one_hot(input_text, n, filters=FILTERS, lower=True, split=" "):
    return hashing_trick(input_text, n, hash, filters, lower, split)


class Tokenizer:
    """keras.preprocessing.text.Tokenizer: words, the most frequent first, have numbers from 1 on."""

    def __init__(self, num_words=None, filters=FILTERS, lower=True, split=" ", char_level=False, oov_token=None,
                 analyzer=None):
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token, self.analyzer, self.document_count = char_level, oov_token, analyzer, 0
        self.word_counts, self.word_docs = collections.OrderedDict(), collections.defaultdict(int)
        self.word_index, self.index_word, self.index_docs = {}, {}, collections.defaultdict(int)

    def _words(self, text):
        if isinstance(text, list) or self.char_level:
            return [each.lower() for each in text] if self.lower else list(text)
        return self.analyzer(text) if self.analyzer else text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts):
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        by_count = sorted(self.word_counts.items(), key=lambda each: each[1], reverse=True)
        words = ([] if self.oov_token is None else [self.oov_token]) + [word for word, _ in by_count]
        self.word_index = {word: i + 1 for i, word in enumerate(words)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        self.index_docs = collections.defaultdict(int, {self.word_index[word]: n for word, n in self.word_docs.items()})

    def texts_to_sequences(self, texts):
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts):
        unknown = self.word_index.get(self.oov_token)
        for text in texts:
            numbers = (self.word_index.get(word, unknown) for word in self._words(text))
            known = (unknown if i is not None and self.num_words and i >= self.num_words else i for i in numbers)
            yield [i for i in known if i is not None]

    def sequences_to_texts(self, sequences):
        words = ([self.index_word.get(i, self.oov_token) for i in row] for row in sequences)
        return [" ".join(word for word in row if word is not None) for row in words]

    def texts_to_matrix(self, texts, mode="binary"):
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences, mode="binary"):
        width = self.num_words or len(self.word_index) + 1
        if mode not in ("binary", "count", "freq"):
            raise failures.refused(f"Tokenizer.sequences_to_matrix(mode={mode!r})", "use 'binary', 'count' or 'freq'")
        made = np.zeros((len(sequences), width))
        for row, numbers in zip(made, sequences):
            for i, count in collections.Counter(i for i in numbers if i < width).items():
                row[i] = 1 if mode == "binary" else count if mode == "count" else count / len(numbers)
        return made

    def get_config(self):
        tables = {name: json.dumps(getattr(self, name)) for name in
                  ("word_counts", "word_docs", "index_docs", "index_word", "word_index")}
        plain = ("num_words", "filters", "lower", "split", "char_level", "oov_token", "document_count")
        return {**{name: getattr(self, name) for name in plain}, **tables}

    def to_json(self, **kwargs):
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)


def tokenizer_from_json(json_string):
    config = json.loads(json_string)["config"]
    tables = {name: json.loads(config.pop(name)) for name in
              ("word_counts", "word_docs", "index_docs", "index_word", "word_index")}
    made = Tokenizer(**{name: value for name, value in config.items() if name != "document_count"})
    made.document_count = config["document_count"]
    for name in ("index_docs", "index_word"):
        tables[name] = {int(key): value for key, value in tables[name].items()}
    vars(made).update(tables)
    return made


class TextVectorization(keras_layers.Layer):
    """keras.layers.TextVectorization, in data sets and on values of the host: the device has no texts."""

    parameters = ("max_tokens=None, standardize='lower_and_strip_punctuation', split='whitespace', ngrams=None, output_mode='int', "
                  "output_sequence_length=None, pad_to_max_tokens=False, vocabulary=None, idf_weights=None")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        known = {"standardize": (*_STANDARDIZED, None), "split": ("whitespace", "character", None),
                 "output_mode": ("int", "multi_hot", "binary", "count", "tf_idf", "tf-idf")}
        for name, values in known.items():
            given = self.settings[name]
            if given not in values and not (callable(given) and name != "output_mode"):
                raise failures.refused(f"TextVectorization({name}={given!r})", f"use {', '.join(map(repr, values))}")
        ngrams = self.settings["ngrams"]
        if not (ngrams is None or isinstance(ngrams, int) and ngrams > 0 or isinstance(ngrams, tuple) and all(isinstance(n, int) for n in ngrams)):
            raise ValueError(f"`ngrams` must be None, an integer, or a tuple of integers. Got {ngrams}")
        self.lengths = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self.words, self.idf_weights = [], None
        if self.settings["vocabulary"] is not None:
            self.set_vocabulary(self.settings["vocabulary"], self.settings["idf_weights"])

    whole = property(lambda self: self.settings["output_mode"] == "int")
    of_frequencies = property(lambda self: self.settings["output_mode"] in ("tf_idf", "tf-idf"))

    def _words_of(self, text):
        """Those of a text, and as many of them in a row as `ngrams` says: all of one length after the other."""
        words = self._single_words_of(text)
        return words if self.lengths is None else [" ".join(words[i:i + n]) for n in self.lengths for i in range(len(words) - n + 1)]

    def _single_words_of(self, text):
        standardize, split = self.settings["standardize"], self.settings["split"]
        if callable(standardize):
            text = data.texts_of(standardize(graph.EagerTensor(np.array(text.encode(), object))))[0]
        elif standardize is not None:
            text = _STANDARDIZED[standardize](text)
        if callable(split):
            return data.texts_of(split(graph.EagerTensor(np.array(text.encode(), object))))
        return [text] if split is None else list(text) if split == "character" else text.split()

    def adapt(self, data_set, batch_size=None, steps=None):
        """Takes the words of texts, the most frequent first; among equally frequent ones the last in the alphabet."""
        sets = ([leaves[0] for leaves in data_set.arrays()] if isinstance(data_set, data.Dataset) else [data_set])
        texts = [self._words_of(text) for each in sets for text in strings.texts_with_shape(each)[0]]
        counts = collections.Counter(word for words in texts for word in words)
        order = sorted(sorted(counts, reverse=True), key=counts.get, reverse=True)
        most = self.settings["max_tokens"]
        self.words = order if most is None else order[:max(most - (2 if self.whole else 1), 0)]
        within = collections.Counter(word for words in texts for word in set(words))
        self._weigh(np.log(1 + len(texts) / (1 + np.array([within[word] for word in self.words], np.float32))))

    def set_vocabulary(self, vocabulary, idf_weights=None):
        """`idf_weights`: what the number of a word counts in mode "tf_idf"."""
        if isinstance(vocabulary, str):
            with open(vocabulary, encoding="utf-8") as file:
                words = [line.rstrip("\n") for line in file]
        else:
            words = data.texts_of(vocabulary)
        if self.of_frequencies and idf_weights is None:
            raise ValueError("`idf_weights` must be set if output_mode is TF_IDF.")
        if idf_weights is not None and not self.of_frequencies:
            raise ValueError(f"`idf_weights` should only be set if output_mode is TF_IDF, output_mode is {self.settings['output_mode']}.")
        if idf_weights is not None and len(idf_weights) != len(words):
            raise ValueError(f"`idf_weights` must be the same length as vocabulary. len(idf_weights) is {len(idf_weights)}, len(vocabulary) is "
                             f"{len(words)}")
        kept = [i for i, word in enumerate(words) if word not in ("", "[UNK]")]
        self.words = [words[i] for i in kept]
        if idf_weights is not None:
            self._weigh(np.asarray(idf_weights, np.float32)[kept], [each for word, each in zip(words, idf_weights) if word == "[UNK]"])

    def _weigh(self, weights, of_others=()):
        """What the words count; a word that is none of these as they do in the mean, where that is not given."""
        others = np.float32(of_others[0] if len(of_others) else np.mean(weights) if len(weights) else 0)
        self.idf_weights = np.concatenate([[others], weights]).astype(np.float32)

    def get_vocabulary(self, include_special_tokens=True):
        special = [] if not include_special_tokens else ["", "[UNK]"] if self.whole else ["[UNK]"]
        return special + self.words

    def vocabulary_size(self):
        return len(self.get_vocabulary())

    vocab_size = vocabulary_size

    def __call__(self, inputs, *args, **kwargs):
        if isinstance(inputs, keras_layers.KerasTensor) or graph.is_symbolic(inputs) and operations.known_or_none(inputs) is None:
            raise failures.refused("TextVectorization in a model", "IPUs have no texts: call it in Dataset.map(), and give the model "
                                   "the numbers")
        if self.of_frequencies and self.idf_weights is None:
            raise RuntimeError("TextVectorization has no vocabulary: give it one, or call `adapt()` first.")
        texts, shape = strings.texts_with_shape(inputs)
        first = 2 if self.whole else 1
        number = {word: i + first for i, word in enumerate(self.words)}
        rows = [[number.get(word, first - 1) for word in self._words_of(text)] for text in texts]
        return graph.EagerTensor(self._array(rows).reshape(shape + (-1,)))

    def _array(self, rows):
        if self.whole:
            width = self.settings["output_sequence_length"] or max(map(len, rows), default=0)
            return np.array([(row + [0] * width)[:width] for row in rows], np.int64)
        width = self.settings["max_tokens"] if self.settings["pad_to_max_tokens"] else len(self.words) + 1
        made = np.zeros((len(rows), width), np.float32)
        for row, numbers in zip(made, rows):
            for i, count in collections.Counter(numbers).items():
                row[i] = count if self.settings["output_mode"] == "count" else count * self.idf_weights[i] if self.of_frequencies else 1
        return made


TEXT = {"Tokenizer": Tokenizer, "text_to_word_sequence": text_to_word_sequence, "one_hot": one_hot,
        "hashing_trick": hashing_trick, "tokenizer_from_json": tokenizer_from_json}
def add_names():
    from .. import names
    keras = "tensorflow.keras"
    names.module(keras + ".preprocessing.text", TEXT)
    for module in (keras + ".layers", keras + ".layers.experimental.preprocessing"):
        names.module(module, TextVectorization=TextVectorization)
