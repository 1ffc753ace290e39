# SPDX-License-Identifier: GPL-3.0-or-later
"""Which variables a session has no values of yet: by hand."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
a, b = tf.get_variable("a", initializer=1.0), tf.get_variable("b", initializer=2.0)
_, update = tf.metrics.mean(a)
report, is_there = tf.report_uninitialized_variables(), tf.is_variable_initialized(a)
with tf.Session() as session:
    print(session.run([report, is_there]))
    session.run(a.initializer)
    print(session.run([report, is_there]))
    missing = set(session.run(tf.report_uninitialized_variables(tf.global_variables())))
    session.run(tf.variables_initializer([each for each in tf.global_variables() if each.name.split(":")[0].encode() in missing]))
    session.run(tf.local_variables_initializer())
    print(session.run(report).tolist(), session.run([a, b]), bool(session.run(is_there)))
with tf.Session() as session:
    session.run(b.assign(5.0))
    print(session.run(b), session.run(report).tolist())
    try:
        session.run(a.assign_add(1.0))
    except tf.errors.FailedPreconditionError as error:
        print(str(error).split(".", maxsplit=1)[0])
