# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops whose bodies read what the function around them is called with, as rates that a session feeds; by hand."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.arange(8, dtype="f").reshape(4, 2)
with tf1.Graph().as_default(), tf1.Session() as session:
    a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
    queue = ipu.ipu_infeed_queue.IPUInfeedQueue(tf1.data.Dataset.from_tensor_slices(x).repeat())
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def trained(rate):
        def body(row):
            with tf1.variable_scope("", reuse=tf1.AUTO_REUSE, use_resource=True):
                w = tf1.get_variable("w", [2], initializer=tf1.zeros_initializer())
            loss = tf.reduce_sum(w * row)
            return outfeed.enqueue(rate * 2.0), tf1.train.GradientDescentOptimizer(rate).minimize(loss)
        return ipu.loops.repeat(4, body, infeed_queue=queue)
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        runs = [ipu.ipu_compiler.compile(function, [a, b]) for function in (
            lambda a, b: ipu.loops.repeat(3, lambda t: t * b, [tf.constant(1.0)]),
            lambda a, b: ipu.loops.repeat(3, lambda t: t * b + a, [a]),
            lambda a, b: ipu.loops.repeat(3, lambda s, t: (s + b, t * a), [a, b]))]
        train = ipu.ipu_compiler.compile(trained, [a])
    rates = outfeed.dequeue()
    session.run(tf1.global_variables_initializer())
    session.run(queue.initializer)
    print([session.run(run, {a: 2.0, b: 3.0}) for run in runs], [27, ((2 * 3 + 2) * 3 + 2) * 3 + 2, (2 + 3 * 3, 3 * 8)])
    weights = []
    for rate in (0.5, 0.25):
        session.run(train, {a: rate})
        weights.append(session.run(tf1.global_variables()[0]).tolist())
    print(weights, [(-0.5 * x.sum(0)).tolist(), (-0.75 * x.sum(0)).tolist()], session.run(rates).tolist())

# Weights of Keras' layers are among the variables of a graph, by which a script takes gradients; pipelines of dictionaries.
with tf1.Graph().as_default(), tf1.Session() as session:
    def of_layers(a):
        made = tf1.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", name="inner")(a)
        with tf1.variable_scope("", use_resource=True):
            made = made * tf1.get_variable("factor", [], initializer=tf1.ones_initializer())
        loss = tf.reduce_sum(made) + 0.5 * tf.add_n([tf.nn.l2_loss(each) for each in tf1.trainable_variables()])
        return tf1.train.GradientDescentOptimizer(0.1).apply_gradients(zip(tf1.gradients(loss, tf1.trainable_variables()), tf1.trainable_variables()))
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(of_layers, [tf.constant(x)])
    session.run(tf1.global_variables_initializer())
    session.run(run)
    listed = tf1.trainable_variables()
    print([each.name for each in listed], [np.round(session.run(each), 4).tolist() for each in listed],
          np.round((1 - 0.1 * (x.sum(0) + 0.5)), 4).tolist(), round(1 - 0.1 * (float(x.sum()) + 0.5), 4))
config.auto_select_ipus = 2
config.configure_ipu_system()
with tf1.Graph().as_default(), tf1.Session() as session:
    queue = ipu.ipu_infeed_queue.IPUInfeedQueue(tf1.data.Dataset.from_tensor_slices({"row": x, "times": x[:, 0] + 1}).repeat())
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(lambda a: ipu.pipelining_ops.pipeline(
            [lambda a, row, times: (a, row * times), lambda a, row: row + a], 4, inputs=[a], infeed_queue=queue, outfeed_queue=outfeed), [
                tf.constant(100.0)])
    rows = outfeed.dequeue()
    session.run(queue.initializer)
    session.run(run)
    print(np.array_equal(session.run(rows), x * (x[:, :1] + 1) + 100))
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    @tf.function(experimental_compile=True)
    def powers(by):
        return ipu.loops.repeat(3, lambda t: t * by, [tf.constant(1.0)])
    print(float(tf.distribute.get_strategy().run(powers, args=[tf.constant(2.0)])))
