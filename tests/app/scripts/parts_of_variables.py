# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of which parts are changed and read, on the host and on the device, against NumPy; and as keys."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
first = np.arange(6, dtype="f").reshape(3, 2)


def rows(values, indices):
    return tf.IndexedSlices(tf.constant(values, tf.float32), tf.constant(indices))


def steps(v):
    v.scatter_nd_update([[0], [2]], [[9.0, 9.0], [8.0, 8.0]])
    v.scatter_update(rows([[1, 1]], [1]))
    v.scatter_nd_add([[0, 1], [0, 1]], [5.0, 1.0])
    v.scatter_add(rows([[1, 2], [1, 2]], [1, 1]))
    v.scatter_sub(rows([[1, 2]], [0]))
    v.scatter_mul(rows([[3, 2]], [2]))
    v.scatter_div(rows([[2, 2]], [1]))
    v.scatter_max(rows([[100, 0]], [0]))
    v.scatter_nd_sub([[2, 0]], [4.0])
    v.scatter_min(rows([[0, 20]], [2]))
    middle = v.read_value()
    v[0].assign([7.0, 6.0])
    v[1:, 0].assign(3.0)
    v[..., -1].assign(v[..., 0] * 2)
    return middle, v.read_value()


by_hand = [[[100, 13], [1.5, 2.5], [0, 16]], [[7, 14], [3, 6], [3, 6]]]
host = tf.Variable(first)
print(np.array_equal(steps(host), by_hand), np.array_equal(host, by_hand[1]))
with strategy.scope():
    device = tf.Variable(first)
    made = strategy.run(tf.function(lambda: steps(device)))
    print(np.array_equal(made, by_hand), np.array_equal(device, by_hand[1]))
known = {host.ref(): "host", device.ref(): "device"}
print(known[host.ref()], known[device.ref()], next(iter(known)).deref() is host, host.ref() == device.ref(), len({tf.constant(1).ref(), host.ref()}))
print(host.gather_nd([[0, 1], [2, 0]]).numpy(), host.sparse_read([1]).numpy())
with tf.Graph().as_default(), tf1.Session() as session:
    counted = tf1.get_variable("v", initializer=first, use_resource=True)
    changed = [counted[0, 1].assign(5.0), counted.scatter_nd_add([[2, 0]], [1.0])]
    session.run(tf1.global_variables_initializer())
    for each in changed:
        session.run(each)
    print(session.run(counted).tolist())
try:
    host.scatter_add([1.0])
except TypeError as error:
    print(error)
