# SPDX-License-Identifier: GPL-3.0-or-later
"""Which checkpoints a Saver keeps, and what it says of them: one path that is saved again and again stays."""
import os

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
value = tf.get_variable("value", initializer=0.0)
raised = value.assign_add(1.0)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    saver, other = tf.train.Saver(max_to_keep=2), tf.train.Saver()
    for _ in range(7):
        session.run(raised)
        path = other.save(session, "same/model")
    session.run(value.assign(0.0))
    other.restore(session, path)
    print(session.run(value), other.last_checkpoints, tf.train.latest_checkpoint("same"))
    for step in (1, 2, 3):
        saver.save(session, "steps/model", global_step=step)
    print(tf.train.get_checkpoint_state("steps").all_model_checkpoint_paths, saver.last_checkpoints,
          sorted(each for each in os.listdir("steps") if each != "checkpoint"))
