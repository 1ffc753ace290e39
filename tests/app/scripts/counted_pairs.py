# SPDX-License-Identifier: GPL-3.0-or-later
"""Confusion matrices that a program counts, of a session too: by hand."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
labels, found, weights = np.int32([0, 1, 1, 2, 1]), np.int32([0, 2, 1, 2, 2]), np.float32([1, 2, 3, 4, 0.5])
count = tf.function(lambda a, b, w: (tf.math.confusion_matrix(a, b, num_classes=3), tf.math.confusion_matrix(a, b, 3, w, tf.float32)))
for made in strategy.run(count, [tf.constant(each) for each in (labels, found, weights)]):
    print(made.dtype.name, made.numpy().tolist())
print(tf.math.confusion_matrix(labels, found).numpy().tolist())
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    fed = tf.compat.v1.placeholder(tf.int32, [None])
    print(session.run(tf.math.confusion_matrix(fed, tf.maximum(fed - 1, 0), num_classes=3), {fed: labels}).tolist())
