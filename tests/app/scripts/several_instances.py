# SPDX-License-Identifier: GPL-3.0-or-later
"""Under --num-instances 2: each instance has data of its own, and all have the weights that NumPy has of all data."""
import sys

import numpy as np
import popdist
import popdist.tensorflow
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.ipu import horovod as hvd
from tensorflow.python.ipu.distributed.popdist_strategy import PopDistStrategy

instance, instances = popdist.getInstanceIndex(), popdist.getNumInstances()
replicas, own = popdist.getNumTotalReplicas(), popdist.getNumLocalReplicas()


def say(*words):
    if instance == 0:
        print(*words, flush=True)


say(popdist.isPopdistEnvSet(), instances, replicas, own, hvd.size())
say(hvd.allgather(np.float32(instance)).numpy().tolist(), float(hvd.allreduce(np.float32(instance + 1))),
    float(ipu.distributed.allreduce(np.float32(instance + 1), tf.distribute.ReduceOp.SUM)),
    float(hvd.broadcast(np.float32(instance + 5), instances - 1)))
one = np.float32([instance + 1])
say(*[float(each) for each in (hvd.allreduce(one, average=False), hvd.allreduce(one, op=hvd.Sum), hvd.allreduce(one, average=True),
                               hvd.allreduce(one, hvd.Sum, 2.0, 0.25),
                               ipu.distributed.allreduce(one, tf.distribute.ReduceOp.MEAN))],
    hvd.allgather([[instance, 1]]).numpy().tolist(), ipu.distributed.allgather([[instance, 1]]).shape)
config = ipu.config.IPUConfig()
popdist.tensorflow.set_ipu_config(config, ipus_per_replica=1, configure_device=True)
random = np.random.default_rng(0)
steps = 4
X, T = random.normal(size=(steps * replicas, 3)).astype(np.float32), random.normal(size=(steps * replicas, 1)).astype(np.float32)
FIRST = np.array([[0.5], [-0.25], [1.0]], np.float32)
mine = tf.data.Dataset.from_tensor_slices((X, T)).shard(instances, instance).batch(1, drop_remainder=True)
strategy = PopDistStrategy()
with strategy.scope():
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(3,))])
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.1), steps_per_execution=steps)
    model.set_weights([FIRST])
    history = model.fit(mine, epochs=1, verbose=0)
w = FIRST.astype(np.float64)
seen = []
for step in range(steps):
    # Sample i of an instance is i * instances + its number of all; each replica takes the next of its instance.
    of_step = [(step * own + r) * instances + i for i in range(instances) for r in range(own)]
    seen.append(float((X[of_step[own - 1]] @ w - T[of_step[own - 1]]) ** 2))
    w = w - 0.1 * sum(2 * X[k:k + 1].T @ (X[k:k + 1] @ w - T[k:k + 1]) for k in of_step) / replicas
everywhere = ipu.distributed.allgather(model.get_weights()[0]).numpy()
say("trained", all(np.allclose(each, w, atol=1e-5) for each in everywhere), everywhere.shape,
    np.isclose(history.history["loss"][0], np.mean(seen), atol=1e-5))
predicted = model.predict(X[instance::instances], batch_size=1)
say("predicted", np.allclose(predicted, X[::instances] @ w, atol=1e-4), strategy.num_replicas_in_sync)

# A loop of TensorFlow 1's: the losses are of the whole batch, and gradients of all replicas are added up.
with tf.Graph().as_default(), strategy.scope():
    repeated = tf.data.Dataset.from_tensor_slices((X, T)).shard(instances, instance).repeat().batch(1, drop_remainder=True)
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(repeated)
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def step_of(total, x, t):
        v = tf.compat.v1.get_variable("v", initializer=FIRST, use_resource=True)
        loss = tf.nn.compute_average_loss(tf.reduce_sum((tf.matmul(x, v) - t) ** 2, axis=1), global_batch_size=replicas)
        update = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        return total + loss, outfeed.enqueue(x), update

    def loop():
        return ipu.loops.repeat(steps, step_of, [0.0], infeed)

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        compiled = ipu.ipu_compiler.compile(
            lambda: strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.experimental_run_v2(loop)) / steps)
    dequeued = outfeed.dequeue()
    with tf.compat.v1.Session() as session:
        session.run(infeed.initializer)
        session.run(tf.compat.v1.global_variables_initializer())
        mean = session.run(compiled)
        fed = session.run(dequeued)
        weights = session.run(tf.compat.v1.trainable_variables())[0]
losses, v = 0.0, FIRST.astype(np.float64)
for step in range(steps):
    of_step = [(step * own + r) * instances + i for i in range(instances) for r in range(own)]
    losses += sum(float((X[k] @ v - T[k]) ** 2) for k in of_step) / replicas
    v = v - 0.1 * sum(2 * X[k:k + 1].T @ (X[k:k + 1] @ v - T[k:k + 1]) for k in of_step) / replicas
say("looped", np.allclose(weights, v, atol=1e-5), np.isclose(np.ravel(mean)[0], losses / steps, atol=1e-5), np.shape(fed))
if "--fail" in sys.argv and instance == 1:
    sys.exit(9)
