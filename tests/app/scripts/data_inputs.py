# SPDX-License-Identifier: GPL-3.0-or-later
"""Data sets that are made of others: a generator that goes through another one, and options, which are of all that they are made of.
By hand."""
import tensorflow as tf

Dataset = tf.data.Dataset
begun = []


def numbers(name, count):
    def generator():
        begun.append(name)
        yield from range(count)
    return Dataset.from_generator(generator, tf.int64, [])


def through(dataset):
    return Dataset.from_generator(lambda: (each + 10 for each in dataset), tf.int64, [])


# What is looked at while a pipeline is built belongs to the pass that its own data set makes, whichever of the two is first.
for order in ((0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 1, 1)):
    begun.clear()
    inner = numbers("inner", 6)
    both = [inner, through(inner).shuffle(4).map(lambda x: x * 2)]
    made = [sorted(int(each) for each in both[which]) for which in order]
    print([each == ([0, 1, 2, 3, 4, 5] if which == 0 else [20, 22, 24, 26, 28, 30]) for which, each in zip(order, made)])
once = numbers("once", 5)
pairs = once.map(lambda x: x + 1).batch(2)
print([each.numpy().tolist() for each in pairs], begun.count("once"), [int(each) for each in once], begun.count("once"))

options, slack = tf.data.Options(), tf.data.Options()
options.experimental_deterministic, slack.experimental_slack = False, True
first, second = Dataset.range(6).with_options(options), Dataset.range(6).with_options(slack)


def told(dataset):
    found = dataset.options()
    return [found.experimental_deterministic, found.experimental_slack]


print(told(first.batch(2)), told(first.map(lambda x: x + 1).shuffle(3).repeat(2).take(4)), told(first.prefetch(1)), told(Dataset.range(3)))
print(told(Dataset.zip((first, second))), told(first.concatenate(second)), told(Dataset.range(3).concatenate(dataset=second)),
      told(tf.data.experimental.sample_from_datasets([Dataset.range(2), second])), told(first.apply(tf.data.experimental.unique())),
      told(first.batch(2).with_options(slack).unbatch()), told(first), told(second))
print([each.numpy().tolist() for each in first.batch(4).map(lambda x: x * 2)], len(first.batch(4)))
