# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts as numbers, by the host: keras.preprocessing.text, TextVectorization, and data sets of texts and series."""
import collections
import hashlib
import json
import re

import numpy as np

from . import pipelines as data
from .. import dtypes, failures
from ..keras import layers as keras_layers
from ..operations import image as image_operations, elementary as operations
from ..tracing import graph

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
PUNCTUATION = r'[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']'  # keras/layers/preprocessing/text_vectorization.py


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


def _texts(given):
    """(texts, shape of what they come in)"""
    if isinstance(given, (str, bytes)):
        return data.texts_of(given), ()
    array = np.asarray(operations.known(given) if hasattr(given, "dims") else np.array(given, object), object)
    shape = array.shape[:-1] if array.ndim > 1 and array.shape[-1] == 1 else array.shape
    return data.texts_of(array), shape


class TextVectorization(keras_layers.Layer):
    """keras.layers.TextVectorization, in data sets and on values of the host: the device has no texts."""

    parameters = ("max_tokens=None, standardize='lower_and_strip_punctuation', split='whitespace', ngrams=None, output_mode='int', "
                  "output_sequence_length=None, pad_to_max_tokens=False, vocabulary=None")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        known = {"standardize": ("lower_and_strip_punctuation", None), "split": ("whitespace", None),
                 "output_mode": ("int", "multi_hot", "binary", "count")}
        for name, values in known.items():
            given = self.settings[name]
            if given not in values and not (callable(given) and name != "output_mode"):
                raise failures.refused(f"TextVectorization({name}={given!r})", f"use {', '.join(map(repr, values))}")
        if self.settings["ngrams"] is not None:
            raise failures.refused("TextVectorization(ngrams=…)", "make them of the words beforehand")
        self.words = []
        if self.settings["vocabulary"] is not None:
            self.set_vocabulary(self.settings["vocabulary"])

    whole = property(lambda self: self.settings["output_mode"] == "int")

    def _words_of(self, text):
        standardize, split = self.settings["standardize"], self.settings["split"]
        if callable(standardize):
            text = data.texts_of(standardize(graph.EagerTensor(np.array(text.encode(), object))))[0]
        elif standardize is not None:
            text = re.sub(PUNCTUATION, "", text.lower())
        if callable(split):
            return data.texts_of(split(graph.EagerTensor(np.array(text.encode(), object))))
        return [text] if split is None else text.split()

    def adapt(self, data_set, batch_size=None, steps=None):
        """Takes the words of texts, the most frequent first; among equally frequent ones the last in the alphabet."""
        sets = ([leaves[0] for leaves in data_set.arrays()] if isinstance(data_set, data.Dataset) else [data_set])
        counts = collections.Counter(word for each in sets for text in _texts(each)[0] for word in self._words_of(text))
        order = sorted(sorted(counts, reverse=True), key=counts.get, reverse=True)
        most = self.settings["max_tokens"]
        self.words = order if most is None else order[:max(most - (2 if self.whole else 1), 0)]

    def set_vocabulary(self, vocabulary, idf_weights=None):
        words = [line.rstrip("\n") for line in open(vocabulary, encoding="utf-8")] if isinstance(vocabulary, str) else \
            data.texts_of(vocabulary)
        self.words = [word for word in words if word not in ("", "[UNK]")]

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
        texts, shape = _texts(inputs)
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
                row[i] = count if self.settings["output_mode"] == "count" else 1
        return made


def text_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, batch_size=32,
                                max_length=None, shuffle=True, seed=None, validation_split=None, subset=None,
                                follow_links=False):
    """Batches of (texts, labels) of a folder with one folder of .txt files for each class."""
    files, classes, found = image_operations.labelled(directory, labels if label_mode is not None else None, class_names, (".txt",))
    if not files:
        raise ValueError(f"No text files found in directory {directory}. Allowed format: .txt")
    if found is not None:
        print(f"Found {len(files)} files belonging to {len(found)} classes.")
    files, classes = image_operations.split(files, classes, validation_split, subset, seed, shuffle)

    def text(path):
        with open(path, "rb") as file:
            return file.read()[:max_length]
    texts = np.array([text(path) for path in files] + [None], object)[:-1]
    made = data.Dataset.from_tensor_slices(
        texts if classes is None else (texts, image_operations.as_labels(classes, label_mode, len(found))))
    made = (made.shuffle(len(files), seed) if shuffle else made).batch(batch_size)
    made.class_names, made.file_paths = found, files
    return made


def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=1, sampling_rate=1, batch_size=128,
                                  shuffle=False, seed=None, start_index=None, end_index=None):
    """Batches of windows of a series, each with the target at its beginning."""
    from .pipelines import Dataset
    begin, end = start_index or 0, len(data) if end_index is None else end_index
    rows = np.asarray(data)[begin:end]
    count = len(rows) - sequence_length * sampling_rate + 1
    starts = np.arange(0, count if targets is None else min(count, len(targets)), sequence_stride)
    if not len(starts):
        raise ValueError(f"The series of {len(rows)} values has no window of {sequence_length} values, {sampling_rate} apart.")
    windows = rows[starts[:, None] + np.arange(sequence_length) * sampling_rate]
    made = Dataset.from_tensor_slices(windows if targets is None else (windows, np.asarray(targets)[begin:][starts]))
    made = made.shuffle(batch_size * 8, seed) if shuffle else made
    return made.batch(batch_size)


def _each(function, dtype=None):
    """A function of one text, of each of a tensor's."""
    def of_tensor(input, *args, name=None, **kwargs):  # pylint: disable=redefined-builtin
        array = np.asarray(operations.known(input) if hasattr(input, "dims") else np.array(input, object), object)
        made = [function(text, *args, **kwargs) for text in data.texts_of(array)]
        values = np.empty(len(made), object)
        values[:] = [each.encode() if isinstance(each, str) else each for each in made]
        kind = dtypes.as_dtype(kwargs.get("out_type", dtype) or "string").as_numpy_dtype
        return graph.EagerTensor(values.astype(kind).reshape(array.shape))
    return of_tensor


def _written(numbers):
    """Numbers as texts: six digits behind the point of floats."""
    numbers = np.asarray(numbers)
    form = {"f": "{:f}", "b": "{}"}.get(numbers.dtype.kind, "{:d}")
    values = np.empty(numbers.size, object)
    values[:] = [form.format(each).lower().encode() for each in np.ravel(numbers).tolist()]
    return values.reshape(numbers.shape)


def _replaced(text, pattern, rewrite, replace_global=True):
    rewrite = re.sub(r"\\0", r"\\g<0>", rewrite)
    return re.sub(pattern, rewrite, text, count=0 if replace_global else 1)


def _split_text(input, sep=None, maxsplit=-1, name=None):  # pylint: disable=redefined-builtin
    """tf.strings.split of one text."""
    texts, shape = _texts(input)
    if shape != ():
        raise failures.refused("tf.strings.split of several texts", "its rows are of several lengths: split each in Dataset.map()")
    return graph.EagerTensor(np.array([each.encode() for each in texts[0].split(sep or None, maxsplit)] + [None], object)[:-1])


def _letters(input, input_encoding="UTF-8", errors="replace", name=None, **kwargs):  # pylint: disable=redefined-builtin
    """tf.strings.unicode_split of one text."""
    texts, shape = _texts(input)
    if shape != ():
        raise failures.refused("tf.strings.unicode_split of several texts", "its rows are of several lengths: split each in Dataset.map()")
    return graph.EagerTensor(np.array([each.encode() for each in texts[0]] + [None], object)[:-1])


def _joined(inputs, separator="", name=None):
    parts = [np.asarray(operations.known(each) if hasattr(each, "dims") else np.array(each, object), object) for each in inputs]
    rows = np.broadcast_arrays(*parts)
    made = [separator.encode().join(b if isinstance(b, bytes) else str(b).encode() for b in row)
            for row in zip(*(np.ravel(each) for each in rows))]
    values = np.empty(len(made), object)
    values[:] = made
    return graph.EagerTensor(values.reshape(rows[0].shape))


def _filled(template, inputs, placeholder="{}", summarize=3, name=None):
    """tf.strings.format: a text with numbers and texts in its places."""
    parts = iter(inputs if isinstance(inputs, (list, tuple)) else [inputs])
    made = template
    while placeholder in made:
        value = operations.known(graph.convert(next(parts)))
        shown = data.texts_of(value)[0] if np.ndim(value) == 0 and value.dtype.kind == "O" else str(value)
        made = made.replace(placeholder, shown.replace(placeholder, "\0"), 1)
    return graph.EagerTensor(np.array(made.replace("\0", placeholder).encode(), object))


def _of_all(inputs, axis=None, keepdims=False, separator="", name=None):
    """tf.strings.reduce_join."""
    array = np.asarray(operations.known(inputs) if hasattr(inputs, "dims") else np.array(inputs, object), object)
    if axis is None:
        return graph.EagerTensor(np.array(separator.join(data.texts_of(array)).encode(), object))
    rows = np.moveaxis(array, axis, -1)
    made = np.empty(rows.shape[:-1], object)
    for place in np.ndindex(*made.shape):
        made[place] = separator.join(data.texts_of(rows[place])).encode()
    return graph.EagerTensor(np.expand_dims(made, axis) if keepdims else made)


STRINGS = {"format": _filled, "reduce_join": _of_all, "substr": _each(lambda text, pos, len, unit="BYTE": (
    text.encode()[pos:pos + len if pos + len or pos >= 0 else None] if unit == "BYTE" else text[pos:pos + len])),
           "lower": _each(lambda text, encoding="": text.lower()), "upper": _each(lambda text, encoding="": text.upper()),
           "strip": _each(str.strip), "regex_replace": _each(_replaced),
           "length": _each(lambda text, unit="BYTE": len(text.encode() if unit == "BYTE" else text), "int32"),
           "to_number": _each(lambda text, out_type="float32": float(text), "float32"),
           "regex_full_match": _each(lambda text, pattern: re.fullmatch(pattern, text) is not None, "bool"),
           "as_string": lambda input, name=None: graph.EagerTensor(_written(operations.known(input))),
           "split": _split_text, "unicode_split": _letters, "join": _joined}
TEXT = {"Tokenizer": Tokenizer, "text_to_word_sequence": text_to_word_sequence, "one_hot": one_hot,
        "hashing_trick": hashing_trick, "tokenizer_from_json": tokenizer_from_json}
SETS = {"text_dataset_from_directory": text_dataset_from_directory,
        "timeseries_dataset_from_array": timeseries_dataset_from_array}


def add_names():
    from .. import names
    keras = "tensorflow.keras"
    names.module(keras + ".preprocessing.text", TEXT)
    names.module(keras + ".preprocessing", SETS)
    names.module(keras + ".utils", SETS)
    for module in (keras + ".layers", keras + ".layers.experimental.preprocessing"):
        names.module(module, TextVectorization=TextVectorization)
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".strings", STRINGS)
