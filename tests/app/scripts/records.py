# SPDX-License-Identifier: GPL-3.0-or-later
"""Records, Examples, decoded images, files of lines, and data sets over placeholders, against bytes of the script's own."""
import json
import struct
import zlib

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu


def checksum(data):
    """CRC-32C, bit by bit, and turned as TensorFlow has it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    length = struct.pack("<Q", len(data))
    return length + checksum(length) + data + checksum(data)


def field(number, data):
    """Of protocol buffers: shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(data)]) + data


def example(**lists):
    entries = b"".join(field(1, field(1, name.encode()) + field(2, field(kind, values)))
                       for name, (kind, values) in lists.items())
    return field(1, entries)


pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
rows = b"".join(b"\0" + row.tobytes() for row in pixels)
chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows))
       + chunk(b"IEND", b""))

# Read: what this script has put together byte by byte.
with open("hand.tfrecord", "wb") as file:
    for i in range(3):
        file.write(record(example(label=(3, field(1, bytes([i]))), raw=(1, field(1, struct.pack("<2h", i, -i))),
                                  size=(2, field(1, struct.pack("<f", i / 2))))))
spec = {"label": tf.io.FixedLenFeature([], tf.int64), "raw": tf.io.FixedLenFeature([], tf.string),
        "size": tf.io.VarLenFeature(tf.float32), "more": tf.io.FixedLenFeature([2], tf.int64, default_value=[7, 8])}


def parsed(serialized):
    found = tf.io.parse_single_example(serialized, spec)
    return tf.io.decode_raw(found["raw"], tf.int16), found["label"], found["size"].values, found["more"]


for raw, label, size, more in tf.data.TFRecordDataset(["hand.tfrecord"]).map(parsed):
    print(raw.numpy().tolist(), int(label), size.numpy().tolist(), more.numpy().tolist())

# Write: the same bytes.
with tf.io.TFRecordWriter("written.tfrecord") as writer:
    for i in range(3):
        feature = {"label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                   "raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[struct.pack("<2h", i, -i)])),
                   "size": tf.train.Feature(float_list=tf.train.FloatList(value=[i / 2]))}
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
print(open("written.tfrecord", "rb").read() == open("hand.tfrecord", "rb").read())
read = [tf.train.Example.FromString(each) for each in tf1.python_io.tf_record_iterator("written.tfrecord")]
print([each.features.feature["label"].int64_list.value for each in read])

# Images out of bytes, files in pieces and lines.
print(np.array_equal(tf.image.decode_png(png).numpy(), pixels), tf.io.decode_image(png, channels=1).shape)
with open("lines.txt", "wb") as file:
    file.write(b"one\r\ntwo\n\nlast")
print([line.numpy() for line in tf.data.TextLineDataset("lines.txt")])
print([piece.numpy() for piece in tf.data.FixedLengthRecordDataset("lines.txt", 4, header_bytes=1, footer_bytes=1)])
print(sorted(name.numpy() for name in tf.data.Dataset.list_files("*.tfrecord")))

for wrong in (lambda: next(iter(tf.data.TFRecordDataset("lines.txt"))), lambda: tf.io.parse_single_example(b"\x0a\x7f", spec),
              lambda: tf.io.parse_single_example(example(label=(2, field(1, struct.pack("<f", 1)))), spec),
              lambda: tf.io.parse_single_example(example(), spec), lambda: tf.keras.utils.get_file("gone.txt", "http://none/gone.txt")):
    try:
        wrong()
    except Exception as error:
        print(error)
print(tf.keras.utils.get_file("lines.txt", "http://none/lines.txt", cache_dir=".", cache_subdir="."))

# How fast elements are made is of this machine; how many and how large they are is not.
found = json.loads(ipu.dataset_benchmark.dataset_benchmark(
    tf.data.Dataset.from_tensor_slices(np.zeros((6, 5), np.float32)).batch(2).repeat(), 2, 3, print_stats=False).numpy()[0])
print([(each["elements_processed"], each["total_bytes_processed"], each["time_elapsed"] > 0) for each in found["epochs"]])

# Data sets over placeholders: each iterator has what was fed as it began, also where they take turns and keep what they made.
with tf1.Graph().as_default():
    fed = tf1.placeholder(tf.int32, [None, 2])
    pairs = tf.data.Dataset.from_tensor_slices((fed, fed)).map(lambda a, b: (a + 1, b)).cache().repeat()
    first, second = (tf1.data.make_initializable_iterator(pairs) for _ in range(2))
    ends = first.get_next(), second.get_next()
    speed = ipu.dataset_benchmark.dataset_benchmark(pairs, 1, 3, False)
    with tf1.Session() as session:
        session.run(first.initializer, {fed: [[1, 2], [3, 4]]})
        session.run(second.initializer, {fed: [[10, 20]]})
        for _ in range(3):
            (a, b), (c, d) = session.run(ends)
            print(a.tolist(), b.tolist(), c.tolist(), d.tolist())
        print(json.loads(session.run(speed, {fed: np.ones((4, 2))})[0])["epochs"][0]["total_bytes_processed"])
        try:
            session.run(first.initializer)
            session.run(ends[0])
        except tf.errors.InvalidArgumentError as error:
            print(error)
