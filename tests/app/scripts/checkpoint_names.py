# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in checkpoints, which are TensorFlow's, and what restoring them gives models, optimizers, sessions and estimators."""
import re
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

x = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)


def listed(path):
    """Names without what ends all of them, slots as name:optimizer/kind."""
    return [re.sub("/.OPTIMIZER_SLOT/", ":", name.replace("/.ATTRIBUTES/VARIABLE_VALUE", "")) for name, _ in tf.train.list_variables(path)]


def connected():
    model = keras.Sequential([keras.layers.Dense(3, input_shape=(4,)), keras.layers.Dropout(0.0), keras.layers.Dense(1, use_bias=False)])
    model.compile(keras.optimizers.Adam(0.125), "mse")
    return model


def fitted(model, epochs):
    return model.fit(x, x[:, :1], batch_size=8, epochs=epochs, verbose=0).history["loss"]


# save_weights() keeps what the optimizer does, too.
model = connected()
fitted(model, 2)
model.save_weights("w/own")
print(listed("w/own"))
reader = tf.train.load_checkpoint("w/own")
print(reader.get_tensor("optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE"), reader.get_tensor("optimizer/learning_rate/.ATTRIBUTES/VARIABLE_VALUE"),
      b"layer_with_weights-1" in reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"))
wanted = fitted(model, 3)
fresh = connected()
fresh.load_weights("w/own").assert_consumed()
later = keras.Sequential([keras.layers.Dense(3), keras.layers.Dropout(0.0), keras.layers.Dense(1, use_bias=False)])
later.compile(keras.optimizers.Adam(0.5), "mse")
later.load_weights("w/own")  # waits for variables
print(fitted(fresh, 3) == wanted, fitted(later, 3) == wanted, later.optimizer.iterations.numpy())


class Scaled(keras.layers.Layer):
    def build(self, shape):
        self.scale_of = self.add_weight("scale", (4,), initializer="ones")
        self.dense, self.shift = keras.layers.Dense(2), tf.Variable(0.0)

    def call(self, inputs):
        return self.dense(inputs * self.scale_of) + self.shift


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.scaled, self.norm = Scaled(), keras.layers.BatchNormalization()
        self.steps = [keras.layers.LSTM(2, return_sequences=True), keras.layers.Bidirectional(keras.layers.GRU(1))]
        self.attention = keras.layers.MultiHeadAttention(1, 2)
        self.each = keras.layers.TimeDistributed(keras.layers.Dense(2, use_bias=False))
        self.named = {"a.b": tf.Variable(1.0)}

    def call(self, inputs):
        made = self.each(self.norm(self.scaled(inputs))[:, None])
        return self.steps[1](self.steps[0](self.attention(made, made)))


own = Own()
own.compile(keras.optimizers.SGD(0.1, momentum=0.5), "mse")
own.fit(x, x[:, :2], batch_size=8, verbose=0)
checkpoint = tf.train.Checkpoint(optimizer=own.optimizer, net=own, step=tf.Variable(3))
names = listed(checkpoint.save("w/net"))
print([name for name in names if ":" not in name])
print(sorted({name.partition(":")[2] for name in names if ":" in name}), "net/scaled/scale:optimizer/momentum" in names,
      any(name.startswith("net/norm/moving_mean:") for name in names))


class Module(tf.Module):
    def __init__(self):
        super().__init__()
        self.w, self.inner = tf.Variable([1.0, 2.0]), [tf.Variable(3.0)]


module = Module()
path = tf.train.Checkpoint(module, other=tf.Variable(1)).write("w/module")
print(listed(path))
for each in (module.w, module.inner[0]):
    each.assign(each * 0)
tf.train.Checkpoint(module).restore(path)
print(module.w.numpy(), module.inner[0].numpy())

# A session that has run takes what is restored; the same names for an estimator, and by a path other than the first.
with tf.Graph().as_default(), tf1.Session() as session:
    with tf.device("cpu"):
        fed = tf1.placeholder(tf.float32, [8, 4])

    def net(fed):
        made = tf1.layers.dense(keras.layers.Dense(2)(fed), 1, name="end")
        loss = tf.reduce_mean(made * made)
        return loss, tf1.train.AdamOptimizer(0.1).minimize(loss)

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(net, [fed])
    saver = tf1.train.Saver()
    session.run(tf1.global_variables_initializer())
    steps = [session.run(run, {fed: x})[0]]
    saver.save(session, "w/session")
    steps += [session.run(run, {fed: x})[0] for _ in range(3)]
    saver.restore(session, "w/session")
    print(listed("w/session"), [session.run(run, {fed: x})[0] for _ in range(3)] == steps[1:])


def model_fn(features, labels, mode):
    loss = tf1.losses.mean_squared_error(labels, tf1.layers.dense(features, 1, name="end"))
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=tf1.train.AdamOptimizer(0.1).minimize(loss))


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
folder = tempfile.mkdtemp()


def estimator():
    of_ipu = ipu.ipu_run_config.IPURunConfig(iterations_per_loop=2, ipu_options=config)
    return ipu.ipu_estimator.IPUEstimator(model_fn, config=ipu.ipu_run_config.RunConfig(ipu_run_config=of_ipu, model_dir=folder, tf_random_seed=1))


def input_fn():
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(8, drop_remainder=True).repeat()


first = estimator()
first.train(input_fn, steps=2)
print(listed(folder), first.get_variable_value("global_step"), first.get_variable_value("beta1_power"))
second = estimator()
moved = []
for each in (first, second):
    each.train(input_fn, steps=4)
    moved.append(each.get_variable_value("end/kernel/Adam_1"))
print(first.get_variable_names() == listed(folder), np.array_equal(*moved))
