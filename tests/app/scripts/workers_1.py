# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers with TensorFlow 1: a compiled function under strategy.run(), and IPUEstimators, against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
strategy = ipu.ipu_multi_worker_strategy.IPUMultiWorkerStrategyV1(cluster)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
workers = strategy.num_replicas_in_sync
RATE = 0.1
x = np.linspace(-1, 1, 16 * 3, dtype=np.float32).reshape(16, 3) ** 3
y = (x.sum(1, keepdims=True) > 0).astype(np.float32)


def told(*what):
    """The first worker prints it; on the others it must hold."""
    if cluster.task_id == 0:
        print(*what)
    assert all(what), what


def trained(kernel, parts, steps, share):
    """Batches of 4 of each part in turn; the sum of their gradients times `share` is the update's."""
    for step in range(steps):
        at = slice(4 * step % len(parts[0][0]), None)
        batches = [(a[at][:4], b[at][:4]) for a, b in parts]
        kernel = kernel - RATE * share * sum(2 * a.T @ (a @ kernel - b) / 4 for a, b in batches)
    return kernel


def rows_of(worker, count):
    return x[worker::count], y[worker::count]


every = [rows_of(worker, workers) for worker in range(workers)]
own = rows_of(cluster.task_id, workers)
with strategy.scope():
    data = tf.data.Dataset.from_tensor_slices(own).batch(4, drop_remainder=True).repeat()
    queue, outfeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data), ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def body(features, labels):
        kernel = tf.get_variable("kernel", [3, 1], initializer=tf.zeros_initializer())
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features, kernel))
        with tf.control_dependencies([tf.train.GradientDescentOptimizer(RATE).minimize(loss)]):
            return outfeed.enqueue(loss)

    def compiled():
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            return ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(2, body, [], queue), [])

    run, received = strategy.run(compiled), outfeed.dequeue()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(queue.initializer)
        session.run(run)
        losses = session.run(received)
        kernel = session.run(tf.trainable_variables()[0])
expected = trained(np.zeros((3, 1), np.float32), every, 2, 1)
first = ((0 - own[1][:4]) ** 2).mean()
told("looped", losses.shape, np.isclose(losses[0], first, rtol=1e-4), np.allclose(kernel, expected, rtol=1e-4))


def model_fn(features, labels, mode):
    weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weights))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(RATE).minimize(loss))


def input_fn(input_context):
    made = tf.data.Dataset.from_tensor_slices((x, y))
    return made.shard(input_context.num_input_pipelines, input_context.input_pipeline_id).batch(4, drop_remainder=True).repeat()


def own_input_fn():
    return tf.data.Dataset.from_tensor_slices(own).batch(4, drop_remainder=True).repeat()


for name, settings, given, parts in (("together", {"train_distribute": strategy}, input_fn, every), ("alone", {}, own_input_fn, [own])):
    options = ipu.ipu_run_config.IPURunConfig(iterations_per_loop=2, ipu_options=config)
    estimator = ipu.ipu_estimator.IPUEstimator(model_fn, config=ipu.ipu_run_config.RunConfig(ipu_run_config=options, **settings))
    estimator.train(given, steps=4)
    expected = trained(np.zeros((3, 1), np.float32), parts, 4, 1 / len(parts))
    evaluated = estimator.evaluate(own_input_fn, steps=2)["loss"]
    rows = slice(0, 8) if workers == 1 else slice(None)
    told(name, np.allclose(estimator.get_variable_value("weights"), expected, rtol=1e-4),
         np.isclose(evaluated, ((own[0][rows] @ expected - own[1][rows]) ** 2).mean(), rtol=1e-4))
