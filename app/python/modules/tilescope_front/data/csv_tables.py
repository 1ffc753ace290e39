# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of numbers and texts between commas: tf.io.decode_csv and the data sets of such files."""
import collections
import csv
import glob

import numpy as np

from . import pipelines as data, records
from .. import dtypes, failures
from ..operations import elementary as operations
from ..tensors import graph


class _Column:
    """What the texts of a column become: numbers of its type, and its default where a field is empty."""

    def __init__(self, default, na_value=""):
        self.default, self.na_value = None, na_value
        if isinstance(default, (dtypes.DType, str, type)) and not isinstance(default, bytes):
            try:
                self.dtype = dtypes.as_dtype(default)
                return
            except TypeError:
                pass  # a text that is no type's name
        value = operations.known(default) if hasattr(default, "dims") else default
        if isinstance(value, str):
            value = value.encode()
        value = np.asarray(value, object) if isinstance(value, bytes) else data._array(value)
        self.dtype = dtypes.as_dtype(value.dtype)
        if value.size:
            first = np.ravel(value)[0]
            self.default = first.encode() if isinstance(first, str) else first

    def value(self, field, number):
        if field in ("", self.na_value):
            if self.default is None:
                raise ValueError(f"Field {number} is required but missing in record!")
            return self.default
        if self.dtype.name == "string":
            return field.encode()
        try:
            return np.array(field).astype(self.dtype.as_numpy_dtype)[()]
        except (ValueError, OverflowError):
            raise ValueError(f"Field {number} in record is not a valid {self.dtype.name}: {field}") from None

    def array(self, values):
        made = np.empty(np.shape(values), self.dtype.as_numpy_dtype)
        made[...] = values
        return made


def _fields(line, delimiter, quotes):
    if len(delimiter) != 1:
        raise ValueError("field_delim should be only 1 char")
    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    try:
        return next(csv.reader([line], delimiter=delimiter, quoting=quoting, strict=quotes), [""])
    except csv.Error as error:
        raise ValueError(f"{error} in record {line!r}") from None


def _row(line, columns, chosen, delimiter, quotes):
    fields = _fields(line, delimiter, quotes)
    if chosen is None and len(fields) != len(columns):
        raise ValueError(f"Expect {len(columns)} fields but have {len(fields)} in record")
    if chosen is not None and chosen and max(chosen) >= len(fields):
        raise ValueError(f"Expect {max(chosen) + 1} fields but have {len(fields)} in record")
    picked = fields if chosen is None else [fields[i] for i in chosen]
    return [column.value(field, number) for number, (column, field) in enumerate(zip(columns, picked))]


def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None, name=None):
    """The columns of texts, each a line: one tensor for each column."""
    lines = np.asarray(operations.known(records) if hasattr(records, "dims") else np.asarray(records, object), object)
    columns = [_Column(each, na_value) for each in record_defaults]
    rows = [_row(_line(each), columns, select_cols, field_delim, use_quote_delim) for each in np.ravel(lines)]
    made = [column.array([row[i] for row in rows]) for i, column in enumerate(columns)]
    return [graph.EagerTensor(each.reshape(lines.shape)) for each in made]


def _line(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _records_of(path, header):
    """The records of a file, in which quoted fields may hold ends of lines."""
    with open(path, newline="", encoding="utf-8") as file:
        open_record = ""
        for number, line in enumerate(file):
            open_record += line
            if open_record.count('"') % 2:
                continue
            record, open_record = open_record.rstrip("\r\n"), ""
            if record and not (header and number == 0):
                yield record


class CsvDataset(data.Dataset):
    """tf.data.experimental.CsvDataset: a tuple of the columns for each record of files."""

    def __init__(self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False, field_delim=",",
                 use_quote_delim=True, na_value="", select_cols=None, exclude_cols=None):
        records._check_compression("tf.data.experimental.CsvDataset", compression_type)
        if compression_type:
            raise failures.refused("tf.data.experimental.CsvDataset(compression_type=…)", "unpack the files beforehand")
        if select_cols is not None and exclude_cols is not None:
            raise ValueError("Only one of `select_cols` and `exclude_cols` can be given.")
        columns = [_Column(each, na_value) for each in record_defaults]

        def chosen(record):
            if exclude_cols is None:
                return select_cols
            width = len(_fields(record, field_delim, use_quote_delim))
            return [i for i in range(width) if i not in exclude_cols]

        def make():
            for path in data.texts_of(filenames):
                for record in _records_of(path, header):
                    row = _row(record, columns, chosen(record), field_delim, use_quote_delim)
                    yield [column.array(value) for column, value in zip(columns, row)]
        specs = [dtypes.TensorSpec((), column.dtype) for column in columns]
        super().__init__(make, tuple(specs), data.UNKNOWN, specs=specs)


_INFERRED = ("int32", "int64", "float32", "float64", "string")


def _inferred(values, na_value):
    """The first type that all these texts have."""
    def fits(value, kind):
        if kind == "string" or value in ("", na_value):
            return True
        try:
            number = int(value) if "int" in kind else float(value)
        except ValueError:
            return False
        return "int" not in kind or np.iinfo(kind).min <= number <= np.iinfo(kind).max
    kind = next(kind for kind in _INFERRED if all(fits(value, kind) for value in values))
    return b"" if kind == "string" else np.zeros((), kind)[()]


def make_csv_dataset(file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None, select_columns=None,
                     field_delim=",", use_quote_delim=True, na_value="", header=True, num_epochs=None, shuffle=True,
                     shuffle_buffer_size=10000, shuffle_seed=None, prefetch_buffer_size=None, num_parallel_reads=None,
                     sloppy=False, num_rows_for_inference=100, compression_type=None, ignore_errors=False):
    """Batches of dictionaries of columns, with the labels beside them where `label_name` names their column."""
    if compression_type or ignore_errors:
        raise failures.refused("tf.data.experimental.make_csv_dataset(compression_type=…, ignore_errors=…)",
                               "unpack and mend the files beforehand")
    paths = sorted(path for pattern in data.texts_of(file_pattern) for path in glob.glob(pattern))
    if not paths:
        raise ValueError(f"No files matched pattern: {', '.join(data.texts_of(file_pattern))}")
    if column_names is None:
        if not header:
            raise ValueError("Cannot infer column names without a header line.")
        column_names = _fields(next(_records_of(paths[0], False)), field_delim, use_quote_delim)
    if len(set(column_names)) != len(column_names):
        raise ValueError("Cannot have duplicate column names.")
    for each in [label_name] if label_name is not None else []:
        if each not in column_names:
            raise ValueError(f"`label_name` provided must be one of the columns: {each!r} is none of {list(column_names)}")
    wanted = list(range(len(column_names))) if select_columns is None else \
        sorted(column_names.index(each) if isinstance(each, str) else int(each) for each in select_columns)
    if column_defaults is None:
        rows = [_fields(record, field_delim, use_quote_delim) for record, _ in
                zip((r for path in paths for r in _records_of(path, header)), range(num_rows_for_inference or 2**30))]
        column_defaults = [_inferred([row[i] for row in rows if i < len(row)], na_value) for i in wanted]
    read = CsvDataset(paths, column_defaults, None, None, header, field_delim, use_quote_delim, na_value, wanted)
    names = [column_names[i] for i in wanted]

    def named(*values):
        columns = collections.OrderedDict(zip(names, values))
        return columns if label_name is None else (columns, columns.pop(label_name))
    made = read.shuffle(shuffle_buffer_size, shuffle_seed) if shuffle else read
    return made.repeat(num_epochs).batch(batch_size, drop_remainder=num_epochs is None).map(named)


def add_names():
    from .. import names
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".io", decode_csv=decode_csv)
        names.module(module + ".data.experimental", CsvDataset=CsvDataset, make_csv_dataset=make_csv_dataset)
    names.module("tensorflow.compat.v1", decode_csv=decode_csv)
