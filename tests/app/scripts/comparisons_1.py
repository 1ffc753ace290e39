# SPDX-License-Identifier: GPL-3.0-or-later
# In TensorFlow 1, == says whether two are the same tensor.
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
a, b = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0])
print(a == b, a != b, a == a, a in [b, a])
