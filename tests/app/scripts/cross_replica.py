# SPDX-License-Identifier: GPL-3.0-or-later
# Replicas: which batches each gets, what each enqueues, sums and means over them within a step, and whose gradients Keras'
# optimisers sum; all against NumPy.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.ipu.ops import cross_replica_ops

strategy = ipu.ipu_strategy.IPUStrategy()
random = np.random.RandomState(0)


def configure(ipus):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def fed(values):
    return iter(tf.data.Dataset.from_tensor_slices(values))


for replicas in (2, 4):
    configure(replicas)
    values = np.arange(4 * replicas, dtype=np.float32).reshape(-1, 2)
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function
    def exchange(iterator):
        for _ in tf.range(2):
            x = next(iterator)
            queue.enqueue((x, cross_replica_ops.cross_replica_sum(x), cross_replica_ops.cross_replica_mean(x),
                           cross_replica_ops.cross_replica_sum(x, replica_group_size=2)))

    with strategy.scope():
        strategy.run(exchange, args=[fed(values)])
    own, total, mean, pairs = (each.numpy() for each in queue.dequeue())
    in_order = values.reshape(2, replicas, 2)
    print(np.array_equal(own, in_order), np.array_equal(total, np.broadcast_to(in_order.sum(1, keepdims=True), own.shape)),
          np.array_equal(mean, np.broadcast_to(in_order.mean(1, keepdims=True), own.shape)),
          np.array_equal(pairs, np.repeat(in_order.reshape(2, replicas // 2, 2, 2).sum(2), 2, axis=1)))

configure(2)
x = random.randn(8, 2).astype(np.float32)
with strategy.scope():
    layer = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    layer.build([None, 2])
    sgd = keras.optimizers.SGD(0.1)
    losses = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function
    def train(iterator):
        for _ in tf.range(2):
            a = next(iterator)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(layer(a)))
            sgd.apply_gradients(zip(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables))
            losses.enqueue(loss)

    strategy.run(train, args=[iter(tf.data.Dataset.from_tensor_slices(x).batch(2, drop_remainder=True))])
kernel, wanted = np.ones((2, 1)), []
for step in np.split(x, 2):
    parts = np.split(step, 2)
    wanted.append([((a @ kernel)**2).mean() for a in parts])
    kernel = kernel - 0.1 * sum(2 * a.T @ (a @ kernel) / 2 for a in parts)
print(np.allclose(losses.dequeue().numpy(), wanted, rtol=1e-5), np.allclose(layer.get_weights()[0], kernel, atol=1e-5),
      sgd.iterations.numpy())


class Centred(keras.layers.Layer):
    """Takes the mean over all replicas off, through which the gradients go as well."""

    def call(self, inputs):
        return inputs - cross_replica_ops.cross_replica_sum(tf.reduce_mean(inputs, 0, keepdims=True)) / 2.0


with strategy.scope():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, use_bias=False, kernel_initializer="ones"), Centred()])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    y = random.randn(8, 2).astype(np.float32)
    model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
kernel = np.ones((2, 2))
output = x @ kernel
error = output - output.mean(0) - y
of_output = 2 * error / 8  # of each replica's mean of 4 x 2 numbers
of_output = of_output - of_output.mean(0)
print(np.allclose(model.get_weights()[0], kernel - 0.1 * x.T @ of_output, atol=1e-5))

count = tf.Variable(0.0)


@tf.function
def assigned(iterator):
    count.assign_add(tf.reduce_sum(next(iterator)))


@tf.function
def assigned_and_met(iterator):
    given = next(iterator)
    count.assign_add(tf.reduce_sum(given))
    return cross_replica_ops.cross_replica_sum(given)


@tf.function
def met(iterator):
    count.assign_add(tf.reduce_sum(cross_replica_ops.cross_replica_sum(next(iterator))))


@tf.function
def whole(iterator):
    return cross_replica_ops.cross_replica_sum(tf.cast(next(iterator), tf.int32))


@tf.function
def grouped(iterator):
    return cross_replica_ops.cross_replica_sum(next(iterator), replica_group_size=3)


with strategy.scope():
    strategy.run(assigned, args=[fed(x)])
    of_first = float(count)
    count.assign(0.0)
    strategy.run(met, args=[fed(x)])
    print(np.allclose(of_first, x[0].sum(), atol=1e-5), np.allclose(float(count), x[:2].sum(), atol=1e-5))
for function in (assigned_and_met, whole, grouped):
    try:
        with strategy.scope():
            strategy.run(function, args=[fed(x)])
    except (AttributeError, tf.errors.InvalidArgumentError) as error:
        print(error)
