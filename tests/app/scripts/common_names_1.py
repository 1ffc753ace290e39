# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that scripts of TensorFlow 1 commonly have: flags, layers as classes, placeholders with a default, all losses."""
import numpy as np
import tensorflow.compat.v1 as tf

flags = tf.app.flags
flags.DEFINE_string("name", "none", "A name.")
flags.DEFINE_integer("count", 3, "How many.")
flags.DEFINE_float("rate", None, "How fast.")
flags.DEFINE_boolean("loud", False, "Whether.")
flags.DEFINE_bool("quiet", True, "Whether not.")
flags.DEFINE_enum("kind", "a", ["a", "b"], "Which.")
flags.DEFINE_list("parts", "x,y", "Parts.")
flags.DEFINE_multi_integer("size", [1], "Sizes.")
FLAGS = flags.FLAGS


def main(argv):
    print(argv[1:], FLAGS.name, FLAGS.count, FLAGS.rate, FLAGS.loud, FLAGS.quiet, FLAGS.kind, FLAGS.parts, FLAGS.size)
    for words in (["s", "--kind=c"], ["s", "--nope=1"], ["s", "--count=x"]):
        try:
            FLAGS(words)
        except flags.Error as error:
            print(error)
    x = tf.placeholder_with_default(np.ones((2, 3), np.float32), [2, 3])
    dense = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer(), name="shared")
    once, twice = dense(x), dense(x * 2)
    with tf.variable_scope("inside"):
        other = tf.layers.Dense(2)
        other(x)
    print([each.name for each in dense.variables], [each.name for each in other.trainable_weights], len(tf.trainable_variables()))
    tf.losses.mean_squared_error(tf.zeros((2, 2)), once)
    tf.losses.add_loss(tf.constant(0.5))
    tf.get_variable("w", [2], initializer=tf.ones_initializer(), regularizer=lambda w: tf.reduce_sum(w) * 0.25)
    total, alone = tf.losses.get_total_loss(), tf.losses.get_total_loss(add_regularization_losses=False)
    counted, band = tf.count_nonzero(x - 1.0), tf.matrix_band_part(tf.ones((3, 3)), 0, -1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([once, twice]), sess.run(twice, {x: [[1, 2, 3], [1, 1, 4]]}).tolist())
        print(sess.run([total, alone]), sess.run(counted, {x: [[1, 2, 3], [1, 1, 4]]}), sess.run(band).tolist())
    return 0


if __name__ == "__main__":
    tf.app.run()
