# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.strings: texts at hand on the host."""
import re

import numpy as np

from . import pipelines as data, ragged
from .. import dtypes, failures
from ..operations import elementary as operations
from ..tensors import graph


def texts_with_shape(given):
    """(texts, shape of what they come in)"""
    if isinstance(given, (str, bytes)):
        return data.texts_of(given), ()
    array = np.asarray(operations.known(given) if hasattr(given, "dims") else np.array(given, object), object)
    shape = array.shape[:-1] if array.ndim > 1 and array.shape[-1] == 1 else array.shape
    return data.texts_of(array), shape


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


def _one_text(given, function):
    texts, shape = texts_with_shape(given)
    if shape != ():
        raise failures.refused(f"tf.strings.{function} of several texts", "its rows are of several lengths: split each in Dataset.map()")
    return texts[0]


def _row(texts):
    return graph.EagerTensor(np.array([each.encode() for each in texts] + [None], object)[:-1])


def _in_rows(given, function, parts):
    texts, shape = texts_with_shape(given)
    if len(shape) != 1:
        return _row(parts(_one_text(given, function)))
    return ragged.RaggedTensor([np.array([part.encode() for part in parts(text)], object) for text in texts], "string")


def _split_text(input, sep=None, maxsplit=-1, name=None):  # pylint: disable=redefined-builtin
    """tf.strings.split of a text, or of a row of texts, whose parts are rows of several lengths."""
    return _in_rows(input, "split", lambda text: text.split(sep or None, maxsplit))


def _letters(input, input_encoding="UTF-8", errors="replace", name=None, **kwargs):  # pylint: disable=redefined-builtin
    """tf.strings.unicode_split of the same."""
    return _in_rows(input, "unicode_split", list)


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


def add_names():
    from .. import names
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module, as_string=STRINGS["as_string"])
        names.module(module + ".strings", STRINGS)
