# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags that a script reads before tf.app.run(): they are read once, and a mistake in one is a line."""
import tensorflow.compat.v1 as tf

flags = tf.flags
flags.DEFINE_multi_integer("size", [], "sizes")
flags.DEFINE_integer("count", 3, "a number")
flags.DEFINE_enum("kind", "a", ["a", "b"], "one of two", short_name="k")
print(flags.FLAGS.size, flags.FLAGS.kind)
tf.app.run(lambda argv: print(argv[1:], flags.FLAGS.size, flags.FLAGS.kind, flags.FLAGS.count))
