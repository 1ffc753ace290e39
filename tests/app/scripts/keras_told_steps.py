# SPDX-License-Identifier: GPL-3.0-or-later
"""Callbacks that are told each step of a model with a train_step of its own, values of several replicas in Keras' callbacks, and
predict() of several outputs under a metric of the script's own. By hand."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
X = np.arange(32, dtype=np.float32).reshape(32, 1)


class Share(keras.metrics.Metric):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seen = self.add_weight(name="seen", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.seen.assign_add(tf.reduce_sum(y_pred))

    def result(self):
        return self.seen


class Model(keras.Model):
    """Whose loss is what it is given."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.mean, self.own = keras.metrics.Mean(name="mean"), Share(name="own")

    def train_step(self, data):
        loss = tf.reduce_mean(data)
        self.mean.update_state(loss)
        self.own.update_state(None, data)
        return {"last": loss, "mean": self.mean.result(), "own": self.own.result()}


class Seen(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.logs = []

    def on_train_batch_end(self, batch, logs=None):
        self.logs.append([batch, logs["last"], logs["mean"], logs["own"]])


with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((1,))
    model, seen = Model(inputs, keras.layers.Dense(1)(inputs)), Seen()
    model.compile("sgd", steps_per_execution=2)
    model.set_asynchronous_callbacks(True)
    history = model.fit(X, batch_size=4, epochs=2, shuffle=False, verbose=0, callbacks=[seen]).history
    batches = X.reshape(4, 2, 4)
    wanted = [[step, batches[step, replica].mean(), batches[:step + 1, replica].mean(), batches[:step + 1, replica].sum()]
              for step in range(4) for replica in range(2)]
    print(np.array_equal(seen.logs, wanted * 2), np.array_equal(history["mean"], [wanted[-1][2]] * 2), float(model.mean.result()), float(model.own.result()))

    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.0), "mse", steps_per_execution=4)
    model.set_replication_options(replicated_metric_reduction_method="LIST")
    callbacks = [keras.callbacks.TerminateOnNaN(), keras.callbacks.CSVLogger("list.csv")]
    history = model.fit(X, X, batch_size=4, epochs=2, shuffle=False, verbose=0, callbacks=callbacks).history
    print(len(history["loss"]), np.allclose(history["loss"], [(batches ** 2).mean((0, 2))] * 2), open("list.csv", encoding="utf-8").read().split("\n")[1])
    for callback in (keras.callbacks.EarlyStopping("loss"), keras.callbacks.ReduceLROnPlateau("loss"),
                     keras.callbacks.ModelCheckpoint("best.h5", "loss", save_best_only=True)):
        try:
            model.fit(X, X, batch_size=4, verbose=0, callbacks=[callback])
        except ValueError as error:
            print(error)

config.auto_select_ipus = 1
config.configure_ipu_system()
for on_ipu in (True, False):
    with ipu.ipu_strategy.IPUStrategy().scope() if on_ipu else keras.utils.custom_object_scope({}):
        inputs = keras.Input((1,))
        model = keras.Model(inputs, [keras.layers.Dense(1, use_bias=False, kernel_initializer=keras.initializers.Constant(k), name=f"out{k}")(inputs)
                                     for k in (2, 3)])
        share = Share(name="share")
        model.compile("sgd", "mse", metrics=[share], steps_per_execution=2 if on_ipu else 1)
    share.seen.assign(7.0)
    print([np.array_equal(found, X * k) for found, k in zip(model.predict(X, batch_size=16), (2, 3))], float(share.result()))
    try:
        model.evaluate(X, [X, X], batch_size=16, verbose=0)
    except AttributeError as error:
        print(error)
