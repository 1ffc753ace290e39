# SPDX-License-Identifier: GPL-3.0-or-later
# Data sets whose sizes of batches and numbers of repeats a session feeds, and placeholders with defaults.
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rows = tf.placeholder_with_default(np.arange(8, dtype=np.float32).reshape(4, 2), [4, 2])
size = tf.placeholder_with_default(np.int64(2), [])
iterator = tf.data.Dataset.from_tensor_slices(rows).batch(size).make_initializable_iterator()
element = iterator.get_next()
with tf.Session() as session:
    session.run(iterator.initializer)
    print(element.shape, session.run(element).tolist())
    session.run(iterator.initializer, {rows: np.ones((4, 2)), size: 3})
    print([session.run(element).shape for _ in range(2)])

count = tf.placeholder(tf.int64, [])
dataset = tf.data.Dataset.range(10).shuffle(count, seed=1).repeat(count).skip(count).take(count * 8).batch(count, drop_remainder=True)
iterator = dataset.make_initializable_iterator()
element = iterator.get_next()
with tf.Session() as session:
    session.run(iterator.initializer, {count: 3})
    found = []
    try:
        while True:
            found.append(session.run(element))
    except tf.errors.OutOfRangeError:
        print(len(found), {len(each) for each in found}, sorted(np.concatenate(found)[7:17].tolist()) == list(range(10)))
    passes = np.concatenate(found)[7:]
    print(passes[:10].tolist() != passes[10:20].tolist())

# One iterator that two data sets initialise in turn.
fed = tf.placeholder(tf.float32, [None, 2])
train, test = tf.data.Dataset.from_tensor_slices(fed).batch(2), tf.data.Dataset.from_tensors(np.ones((3, 2), np.float32))
iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
element = iterator.get_next()
starts = [iterator.make_initializer(each) for each in (train, test)]
with tf.Session() as session:
    session.run(starts[0], {fed: np.arange(8).reshape(4, 2)})
    print(element.shape, session.run(element * 2.0).tolist(), session.run(element).tolist())
    session.run(starts[1])
    print(session.run(element).sum())
try:
    iterator.make_initializer(tf.data.Dataset.range(3))
except TypeError as error:
    print(error)

# Each pass has an order of its own, also where the size of the buffer is fed; counts of nothing and of all.
size, number = tf.placeholder(tf.int64, []), tf.placeholder(tf.int64, [])
rows = tf.data.Dataset.range(8)


def passes(dataset, feed, most=24):
    iterator = dataset.make_initializable_iterator()
    following, found = iterator.get_next(), []
    with tf.Session() as session:
        session.run(iterator.initializer, feed)
        try:
            while len(found) < most:
                found.append(int(session.run(following)))
        except tf.errors.OutOfRangeError:
            pass
    return found


for buffer in (8, 3):
    found = passes(rows.shuffle(size, seed=5).repeat(3), {size: buffer})
    print(sorted(found) == sorted(list(range(8)) * 3), len({tuple(found[i:i + 8]) for i in (0, 8, 16)}), found == passes(rows.shuffle(buffer, seed=5).repeat(3), {}))
found = passes(rows.shuffle(size, reshuffle_each_iteration=False).repeat(2), {size: 8})
print(found[:8] == found[8:])
print(len(passes(rows.repeat(number), {number: -1})), passes(rows.repeat(number), {number: 0}), passes(rows.take(number), {number: -1}),
      passes(rows.take(number), {number: 0}), passes(rows.skip(number), {number: 0}), passes(rows.skip(number), {number: -1}))
try:
    passes(rows.batch(size), {size: 0})
except ValueError as error:
    print(error)
