# SPDX-License-Identifier: GPL-3.0-or-later
"""What TensorFlow calls the operations of a graph: what a function, an operator, a layer or a loss makes, in scopes, and as often as one
likes; what is looked up by its name. By hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [2, 4], name="x")
w, bias = tf.get_variable("w", [4, 3]), tf.get_variable("bias", [3])


def shown(*tensors):
    print(*(each.name for each in tensors))


shown(tf.placeholder(tf.float32, []), tf.placeholder(tf.int32, []), tf.constant(1.0), tf.constant(2))
product = tf.matmul(x, w)
shown(product, product @ tf.transpose(w), tf.nn.bias_add(product, bias), tf.nn.bias_add(product, bias, name="moved"))
shown(tf.add(x, x), x + x, x - 1.0, tf.subtract(x, x), 2.0 * x, tf.multiply(x, x), x / 2.0, tf.divide(x, x), x ** 2.0, x % 2.0, x // 2.0, -x, abs(x))
shown(tf.constant(3.0), tf.reduce_mean(x), tf.reduce_sum(x, 1), tf.reduce_max(x), tf.argmax(x, 1), tf.cast(x, tf.int32), tf.equal(x, x), x < 1.0)
shown(tf.nn.relu(x), tf.nn.softmax(x), tf.nn.sigmoid(x), tf.tanh(x), tf.nn.l2_loss(x), tf.nn.dropout(x, rate=0.5), *tf.nn.moments(x, [0]))
shown(tf.reshape(x, [-1]), tf.transpose(x), tf.concat([x, x], 0), tf.stack([x, x]), x[0], x[:, 1:], tf.expand_dims(x, 0), tf.squeeze(tf.ones([1, 2])),
      tf.one_hot([1, 0], 3), tf.gather(x, [0]), tf.tile(x, [1, 2]), tf.pad(x, [[1, 1], [0, 0]]), tf.identity(x, "same"), tf.clip_by_value(x, 0.0, 1.0))
shown(*tf.split(x, 2, 1), *tf.nn.top_k(x))
labels = tf.placeholder(tf.int32, [2], name="labels")
shown(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=product), tf.losses.sparse_softmax_cross_entropy(labels, product),
      tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.one_hot(labels, 3), logits=product), tf.losses.mean_squared_error(x, 2 * x, scope="far"))
image = tf.placeholder(tf.float32, [2, 8, 8, 3], name="image")
hidden = tf.layers.conv2d(image, 4, 3, activation=tf.nn.relu)
normal = tf.layers.batch_normalization(hidden, training=True)
pooled = tf.layers.max_pooling2d(normal, 2, 2)
flat = tf.layers.flatten(pooled)
first, second, last = tf.layers.dense(flat, 4), tf.layers.dense(flat, 4, activation="relu"), tf.layers.dense(flat, 3, name="logits")
shown(hidden, normal, pooled, flat, first, second, last, tf.layers.dense(flat, 3, name="logits", reuse=True))
with tf.name_scope("part"):
    inner = x + x
    with tf.name_scope("within") as scope:
        print(scope, (x + x).name, tf.Variable(0.0, name="v").name)
    with tf.name_scope(scope):
        shown(x + x)
with tf.name_scope("part"):
    shown(x + x)
for reuse in (False, True):
    with tf.variable_scope("shared", reuse=reuse):
        shown(tf.get_variable("v", []), tf.nn.relu(x))
print(inner.op.name, inner.op.type, product.op.type, x.op.type, inner.op)
found = tf.get_default_graph()
print(found.get_tensor_by_name("logits/BiasAdd:0") is last, found.get_operation_by_name("part/add") is inner.op)
print(tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(last)).name, tf.train.AdamOptimizer().minimize(tf.reduce_mean(last)).name)

number = tf.Variable(0, trainable=False, name="global_step", use_resource=True)
rate = tf.train.exponential_decay(0.1, number, 10, 0.5, name="rate")
given = tf.train.MomentumOptimizer(rate, 0.9, name="Heavy")
print(rate.name, given.minimize(tf.reduce_mean(first), global_step=number).name,
      given.apply_gradients(given.compute_gradients(tf.reduce_mean(second)), name="step").name)
holds = tf.placeholder(tf.bool, [], name="holds")
shown(tf.cond(holds, lambda: x * 2.0, lambda: x), *tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v + x), [tf.constant(0), x]))


def within(given):
    return tf.nn.softmax(tf.matmul(given, tf.get_variable("inner", [4, 2]), name="product"), name="probabilities")


with ipu.scopes.ipu_scope("/device:IPU:0"):
    compiled = ipu.ipu_compiler.compile(within, [x])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    numbers = np.arange(8, dtype=np.float32).reshape(2, 4)
    print(session.run("add_1:0", {"x:0": numbers}).tolist(), session.run("Mean:0", {x: numbers}), session.run(compiled, {"x:0": numbers})[0].shape)
