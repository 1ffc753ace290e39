# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of records, the Examples of tf.train in them, and what is decoded out of bytes. The engine reads and writes them."""
import collections

import numpy as np

import tilescope_engine as engine

from . import pipelines as data
from .. import dtypes, failures
from ..operations import sparse, elementary as operations
from ..tensors import graph

FixedLenFeature = collections.namedtuple("FixedLenFeature", "shape dtype default_value", defaults=(None,))
VarLenFeature = collections.namedtuple("VarLenFeature", "dtype")


def _bytes(contents):
    """The bytes that a tensor of one text has."""
    value = operations.known(contents) if hasattr(contents, "dims") else contents
    value = value.item() if isinstance(value, np.ndarray) else value
    return value.encode() if isinstance(value, str) else bytes(value)


def _text(value):
    """A text as an element of a data set."""
    made = np.empty((), object)
    made[()] = value
    return made


def _records_of(path):
    reader = engine.RecordReader(path)
    while (record := reader.next()) is not None:
        yield record


def _check_compression(name, kind):
    kind = np.ravel(kind)[0] if kind is not None and np.size(kind) else None
    if kind not in (None, "", "GZIP", b"", b"GZIP"):
        raise failures.refused(f"{name}(compression_type={kind!r})", "files are read plain or as GZIP")


class _OfFiles(data.Dataset):
    """Texts, one after the other, of files."""

    def __init__(self, filenames, read):
        names = data.texts_of(filenames)
        spec = dtypes.TensorSpec((), "string")
        super().__init__(lambda: ([_text(each)] for name in names for each in read(name)), spec, data.UNKNOWN, specs=[spec])


class TFRecordDataset(_OfFiles):
    """The records of files; of several one after the other."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        _check_compression("tf.data.TFRecordDataset", compression_type)
        super().__init__(filenames, _records_of)


class FixedLengthRecordDataset(_OfFiles):
    """Pieces of files, each of `record_bytes`, between what is left out at their beginning and end."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None,
                 num_parallel_reads=None, name=None):
        if compression_type:
            raise failures.refused("tf.data.FixedLengthRecordDataset(compression_type=…)", "unpack the files beforehand")
        size, first, last = (int(operations.whole(each or 0)) for each in (record_bytes, header_bytes, footer_bytes))

        def pieces(path):
            with open(path, "rb") as file:
                content = file.read()
            content = content[first:len(content) - last]
            if len(content) % size:
                raise ValueError(f"{path} has {len(content)} bytes between header and footer, which is no multiple of "
                                 f"record_bytes {size}")
            for at in range(0, len(content), size):
                yield content[at:at + size]
        super().__init__(filenames, pieces)


class TextLineDataset(_OfFiles):
    """The lines of files, without their ends."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        if compression_type:
            raise failures.refused("tf.data.TextLineDataset(compression_type=…)", "unpack the files beforehand")

        def lines(path):
            with open(path, "rb") as file:
                for line in file:
                    yield line.rstrip(b"\r\n")
        super().__init__(filenames, lines)


class TFRecordWriter:
    """tf.io.TFRecordWriter."""

    def __init__(self, path, options=None):
        if options is not None:
            raise failures.refused("tf.io.TFRecordWriter(options=…)", "records are written plain; leave the options out")
        self.writer = engine.RecordWriter(str(path))

    def write(self, record):
        self.writer.write(record.encode() if isinstance(record, str) else bytes(record))

    def flush(self):
        self.writer.flush()

    def close(self):
        if self.writer is not None:
            self.writer.flush()
        self.writer = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


class _List:
    """A list of values of tf.train: Int64List and its like."""

    def __init__(self, value=()):
        self.value = list(value)


class Int64List(_List):
    """Whole numbers."""

    def packed(self):
        return np.asarray(self.value, np.int64)


class FloatList(_List):
    """Floats."""

    def packed(self):
        return np.asarray(self.value, np.float32)


class BytesList(_List):
    """Texts."""

    def packed(self):
        return [each.encode() if isinstance(each, str) else bytes(each) for each in self.value]


_LISTS = {"int64_list": Int64List, "float_list": FloatList, "bytes_list": BytesList}


class Feature:
    """tf.train.Feature: one list, of one of the kinds."""

    def __init__(self, **lists):
        failures.check_arguments("tf.train.Feature()", lists, _LISTS)
        self.kind, self.list = next(iter(lists.items()), (None, None))

    def __getattr__(self, name):
        if name not in _LISTS:
            raise AttributeError(name)
        return self.list if name == self.kind else _LISTS[name]()


class Features:
    """tf.train.Features: features by name."""

    def __init__(self, feature=None):
        self.feature = dict(feature or {})


class Example:
    """tf.train.Example."""

    def __init__(self, features=None):
        self.features = features or Features()

    def SerializeToString(self):  # pylint: disable=invalid-name
        return engine.write_example({name: None if each.list is None else each.list.packed()
                                     for name, each in self.features.feature.items()})

    def ParseFromString(self, serialized):  # pylint: disable=invalid-name
        kinds = {"i": "int64_list", "f": "float_list"}
        found = {}
        for name, values in engine.parse_example(_bytes(serialized)).items():
            kind = "bytes_list" if isinstance(values, list) else None if values is None else kinds[values.dtype.kind]
            found[name] = Feature() if kind is None else Feature(**{kind: _LISTS[kind](
                values if isinstance(values, list) else values.tolist())})
        self.features = Features(found)
        return len(_bytes(serialized))

    @classmethod
    def FromString(cls, serialized):  # pylint: disable=invalid-name
        made = cls()
        made.ParseFromString(serialized)
        return made


def _kind_of(values):
    return None if values is None else "string" if isinstance(values, list) else values.dtype.name


def _values_of(key, values, dtype):
    """The values of a feature as an array of one element type; an empty one where there are none."""
    if values is not None and _kind_of(values) != dtype.name:
        raise ValueError(f"Key: {key}.  Data types don't match. Expected type: {dtype.name}, the feature has {_kind_of(values)}")
    made = np.empty(0 if values is None else len(values), dtype.as_numpy_dtype)
    made[:] = [] if values is None else values
    return made


def _parsed(found, key, feature):
    if isinstance(feature, VarLenFeature):
        values = _values_of(key, found.get(key), dtypes.as_dtype(feature.dtype))
        return sparse.SparseTensor(graph.EagerTensor(np.arange(len(values), dtype=np.int64)[:, None]), graph.EagerTensor(values),
                            graph.EagerTensor(np.array([len(values)], np.int64)))
    if not isinstance(feature, FixedLenFeature):
        raise failures.refused(f"tf.io.{type(feature).__name__}", "use FixedLenFeature or VarLenFeature")
    shape, dtype = tuple(dtypes.TensorShape(feature.shape)), dtypes.as_dtype(feature.dtype)
    if found.get(key) is None:
        if feature.default_value is None:
            raise ValueError(f"Feature: {key} (data type: {dtype.name}) is required but could not be found.")
        given = np.asarray(feature.default_value)
        default = given.astype(dtype.as_numpy_dtype) if dtype.name != "string" else np.array(
            [each.encode() if isinstance(each, str) else each for each in np.ravel(given).tolist()], object).reshape(given.shape)
        return graph.EagerTensor(np.broadcast_to(default, shape))
    values = _values_of(key, found[key], dtype)
    if values.size != np.prod(shape, dtype=int):
        raise ValueError(f"Key: {key}.  Number of {dtype.name} values != expected.  Values size: {values.size} but output shape: "
                         f"{list(shape)}")
    return graph.EagerTensor(values.reshape(shape))


def parse_single_example(serialized, features, name=None, example_names=None):
    """The features of one Example, by their names."""
    found = engine.parse_example(_bytes(serialized))
    return {key: _parsed(found, key, feature) for key, feature in features.items()}


def parse_example(serialized, features, name=None, example_names=None):
    """The same of a batch of them."""
    if any(isinstance(each, VarLenFeature) for each in features.values()):
        raise failures.refused("tf.io.parse_example with VarLenFeature", "parse_single_example each, before they are batched")
    rows = [parse_single_example(each, features) for each in np.ravel(operations.known(serialized)).tolist()]
    return {key: graph.EagerTensor(np.stack([row[key].value for row in rows])) for key in features}


def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """The numbers that lie in a text."""
    if fixed_length is not None:
        raise failures.refused("tf.io.decode_raw(fixed_length=…)", "slice the numbers that it gives")
    kind = np.dtype(dtypes.as_dtype(out_type).as_numpy_dtype).newbyteorder("<" if little_endian else ">")
    values = np.frombuffer(_bytes(input_bytes), kind)
    return graph.EagerTensor(values.astype(kind.newbyteorder("=")))


def decode_image(contents, channels=0, dtype="uint8", name=None, expand_animations=True):
    """The pixels of a PNG or JPEG file's bytes."""
    channels = int(channels or 0)
    if channels not in (0, 1, 3):
        raise failures.refused(f"tf.image.decode_image(channels={channels})", "use 0, 1 or 3")
    pixels = engine.decode_image(_bytes(contents), channels, "the bytes of an image")
    wanted = dtypes.as_dtype(dtype)
    if wanted.name == "uint8":
        return graph.EagerTensor(pixels)
    if not wanted.is_floating:
        raise failures.refused(f"tf.image.decode_image(dtype={wanted.name})", "decode uint8, and cast that")
    return graph.EagerTensor((pixels / np.float32(255)).astype(wanted.as_numpy_dtype))


def decode_png(contents, channels=0, dtype="uint8", name=None):
    return decode_image(contents, channels, dtype)


def decode_jpeg(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1,
                dct_method="", name=None):
    """What says how exactly pixels are worked out has no effect."""
    if ratio != 1:
        raise failures.refused(f"tf.io.decode_jpeg(ratio={ratio})", "use tf.image.resize")
    return decode_image(contents, channels)


def extract_jpeg_shape(contents, output_type="int32", name=None):
    return graph.EagerTensor(np.array(decode_image(contents).dims, dtypes.as_dtype(output_type).as_numpy_dtype))


def decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False,
                         acceptable_fraction=1, dct_method="", name=None):
    top, left, height, width = operations.wholes(crop_window)
    return graph.EagerTensor(decode_jpeg(contents, channels, ratio).value[top:top + height, left:left + width])


def read_file(filename, name=None):
    with open(data.texts_of(filename)[0], "rb") as file:
        return graph.EagerTensor(_text(file.read()))


def write_file(filename, contents, name=None):
    with open(data.texts_of(filename)[0], "wb") as file:
        file.write(_bytes(contents))
    return graph.group()


_DECODERS = {"decode_jpeg": decode_jpeg, "decode_png": decode_png, "decode_image": decode_image,
             "extract_jpeg_shape": extract_jpeg_shape, "decode_and_crop_jpeg": decode_and_crop_jpeg}
_PARSERS = {"FixedLenFeature": FixedLenFeature, "VarLenFeature": VarLenFeature, "parse_single_example": parse_single_example,
            "parse_example": parse_example, "decode_raw": decode_raw}
_SETS = {each.__name__: each for each in (TFRecordDataset, FixedLengthRecordDataset, TextLineDataset)}
_MESSAGES = {each.__name__: each for each in (Example, Features, Feature, Int64List, FloatList, BytesList)}


def add_names():
    from .. import names
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".data", _SETS)
        names.module(module + ".train", _MESSAGES)
        names.module(module + ".image", _DECODERS)
        names.module(module + ".io", _PARSERS, _DECODERS, TFRecordWriter=TFRecordWriter, read_file=read_file, write_file=write_file)
    names.module("tensorflow.compat.v1", _PARSERS, read_file=read_file, write_file=write_file)
    for module in ("tensorflow.compat.v1.python_io", "tensorflow.compat.v1.io"):
        names.module(module, TFRecordWriter=TFRecordWriter, tf_record_iterator=_records_of)
