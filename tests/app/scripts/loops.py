# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops on the device with queues, training and pipelines of TensorFlow 1, against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()

x = np.linspace(-1, 1, 48 * 4, dtype=np.float32).reshape(48, 4)
y = x @ np.array([[1], [2], [3], [4]], np.float32)
RATE, STEPS, MICRO_BATCHES = 0.05, 12, 4


def dataset():
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4, drop_remainder=True)
    return ipu.ipu_infeed_queue.IPUInfeedQueue(data.repeat())


def expected(accumulated):
    """Gradient descent on the mean squared error; the updates' gradients are sums over so many batches."""
    weights, gradient, losses = np.full((4, 1), 0.5, np.float32), 0, []
    for step in range(STEPS):
        a, b = x[4 * step:4 * step + 4], y[4 * step:4 * step + 4]
        error = a @ weights - b
        losses.append((error ** 2).mean())
        gradient = gradient + 2 * a.T @ error / 4
        if (step + 1) % accumulated == 0:
            weights, gradient = weights - RATE * gradient, 0
    return np.array(losses), weights


def weight(name):
    return tf.get_variable(name, [4, 1], initializer=tf.constant_initializer(0.5))


infeed, outfeed = dataset(), ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def step(a, b):
    loss = tf.losses.mean_squared_error(b, tf.matmul(a, weight("looped")))
    with tf.control_dependencies([tf.train.GradientDescentOptimizer(RATE).minimize(loss)]):
        return outfeed.enqueue(tf.identity(loss))


def loop():
    return ipu.loops.repeat(STEPS, step, infeed_queue=infeed)


stage_infeed, stage_outfeed = dataset(), ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def first(a, b):
    return tf.matmul(a, weight("piped")), b


def second(prediction, b):
    return tf.reduce_mean(tf.square(prediction - b))


shared_infeed, shared_outfeed = dataset(), ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def shared_first(a, b):
    return tf.matmul(ipu.pipelining_ops.recomputation_checkpoint(a), weight("shared")), b


turns_infeed, turns_outfeed = dataset(), ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def turns_first(a, b):
    return tf.matmul(a, weight("turns")), b


def turns_second(prediction, b):
    return prediction - b


def turns_third(error):
    return tf.reduce_mean(tf.square(error))


def pipe(stages=(first, second), infeed=stage_infeed, outfeed=stage_outfeed, mapping=None,
         schedule=ipu.pipelining_ops.PipelineSchedule.Grouped, count=MICRO_BATCHES):
    return ipu.pipelining_ops.pipeline(
        list(stages), gradient_accumulation_count=count, repeat_count=STEPS // count,
        infeed_queue=infeed, outfeed_queue=outfeed, device_mapping=mapping,
        optimizer_function=lambda loss: ipu.pipelining_ops.OptimizerFunctionOutput(
            tf.train.GradientDescentOptimizer(RATE), loss),
        pipeline_schedule=schedule)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    looped, piped = ipu.ipu_compiler.compile(loop), ipu.ipu_compiler.compile(pipe)
    shared = ipu.ipu_compiler.compile(lambda: pipe((shared_first, second), shared_infeed, shared_outfeed, [0, 0]))
    turns = ipu.ipu_compiler.compile(
        lambda: pipe((turns_first, turns_second, turns_third), turns_infeed, turns_outfeed, [0, 1, 0], count=6))
    try:
        ipu.ipu_compiler.compile(lambda: pipe(mapping=[0, 0], schedule=ipu.pipelining_ops.PipelineSchedule.Interleaved))
    except NotImplementedError as error:
        print(error)
    for schedule, count in (("Grouped", 6), ("Interleaved", 5)):  # of two stages
        try:
            ipu.ipu_compiler.compile(lambda: pipe(schedule=ipu.pipelining_ops.PipelineSchedule[schedule], count=count))
        except tf.errors.FailedPreconditionError as error:
            print(error)
losses, stage_losses, shared_losses, turns_losses = (
    queue.dequeue() for queue in (outfeed, stage_outfeed, shared_outfeed, turns_outfeed))
ipu.utils.move_variable_initialization_to_cpu()

with tf.Session() as session:
    session.run([tf.global_variables_initializer(), infeed.initializer, stage_infeed.initializer,
                 shared_infeed.initializer, turns_infeed.initializer])
    for run, result, accumulated, name, ipus in ((looped, losses, 1, "looped", 1), (piped, stage_losses, MICRO_BATCHES, "piped", 2),
                                                 (shared, shared_losses, MICRO_BATCHES, "shared", 1),
                                                 (turns, turns_losses, 6, "turns", 2)):
        config.auto_select_ipus = ipus
        config.configure_ipu_system()
        session.run(run)
        given = session.run(result)
        given = given if name == "looped" else given[0]  # a pipeline hands out a list
        variable = next(v for v in tf.global_variables() if v.name == name + ":0")
        wanted, weights = expected(accumulated)
        print(name, given.shape, np.allclose(given, wanted, rtol=1e-5),
              np.allclose(session.run(variable), weights, rtol=1e-5))
