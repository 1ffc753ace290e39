# SPDX-License-Identifier: GPL-3.0-or-later
# Scopes of IPU TensorFlow, norms over channels that do not stand last, and modules that are refused; against NumPy.
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.RandomState(0).randn(2, 6, 3, 3).astype(np.float32)
ids = np.array([0, 2, 2], np.int32)


def net(a, rows):
    with ipu.scopes.outside_compilation_scope(), ipu.scopes.frontend_attribute("a", "b"):
        doubled = a * 2.0
    with ipu.scopes.stochastic_rounding(False), ipu.scopes.partials_type(tf.float32):
        table = tf.reshape(doubled + 1.0, [12, 9])
    return (table, ipu.normalization_ops.group_norm(a, groups=2, channels_axis=1, training=True),
            ipu.normalization_ops.instance_norm(a, channels_axis=1),
            ipu.embedding_ops.embedding_lookup(table, rows, one_hot_threshold=0, min_encoding_size=1216))


given, rows = tf.placeholder(tf.float32, x.shape), tf.placeholder(tf.int32, ids.shape)
with ipu.scopes.ipu_scope("/device:IPU:0"):
    compiled = ipu.ipu_compiler.compile(net, [given, rows])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    table, group, instance, found = session.run(compiled, {given: x, rows: ids})


def normal(values, axes):
    return (values - values.mean(axes, keepdims=True)) / np.sqrt(values.var(axes, keepdims=True) + 1.53e-5)


wanted = (2 * x + 1).reshape(12, 9)
print(np.allclose(table, wanted), np.allclose(group, normal(x.reshape(2, 3, 2, 3, 3), (1, 3, 4)).reshape(x.shape), atol=1e-5),
      np.allclose(instance, normal(x, (2, 3)), atol=1e-5), np.allclose(found, wanted[ids]))
for refused in (lambda: ipu.scopes.partials_type(tf.int32),
                lambda: ipu.within_replica_ops.reduce_scatter([given], "COLLECTIVE_OP_ADD"), lambda: ipu.ops.internal_ops.fifo(given, 2)):
    try:
        refused()
    except (AttributeError, ValueError) as error:
        print(error)
