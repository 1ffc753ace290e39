# SPDX-License-Identifier: GPL-3.0-or-later
"""A global_step on the IPU, and one on the CPU (with an argument), of a training outside of ipu_compiler: what the steps give is the same."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.utils.create_ipu_config()
ipu.utils.configure_ipu_system(ipu.utils.auto_select_ipus(config, 1))
x = tf.placeholder(np.float32, [4, 3])
with tf.device("cpu" if len(sys.argv) > 1 else "/device:IPU:0"):
    step = tf.train.get_or_create_global_step()
with ipu.scopes.ipu_scope("/device:IPU:0"):
    weight = tf.get_variable("weight", [3, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, weight) - 1))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print([round(float(session.run([loss, train], {x: np.ones((4, 3))})[0]), 4) for _ in range(3)], session.run(step))
