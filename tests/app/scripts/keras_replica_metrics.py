# SPDX-License-Identifier: GPL-3.0-or-later
"""What Keras shows of two replicas: reduced as set_replication_options() says, and to callbacks that are asynchronous after
each step, once for each replica."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
X = np.random.RandomState(0).rand(32, 3).astype(np.float32)
Y = X.sum(1, keepdims=True)


class Seen(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.begun, self.steps = [], []

    def on_train_batch_begin(self, batch, logs=None):
        self.begun.append(batch)

    def on_train_batch_end(self, batch, logs=None):
        self.steps.append((batch, logs["loss"]))


def made():
    model = keras.Sequential([keras.Input((3,), 4), keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile("sgd", "mse", metrics=["mae"], steps_per_execution=2)
    return model


def trained():
    """Each step's mean loss since the beginning, of each replica: gradients are summed over them."""
    weights, totals, means = np.zeros(4), np.zeros(2), []
    inputs = np.concatenate([X, np.ones((32, 1))], 1).reshape(4, 2, 4, 4)
    for step, (x, y) in enumerate(zip(inputs, Y.reshape(4, 2, 4))):
        errors = x @ weights - y
        totals += (errors ** 2).mean(1)
        means.append(totals / (step + 1))
        weights = weights - 0.01 * 2 * np.einsum("rbf,rb->f", x, errors) / 4
    return np.array(means)


with ipu.ipu_strategy.IPUStrategy().scope():
    square, size = (np.mean(each.reshape(4, 2, 4), (0, 2)) for each in (Y ** 2, abs(Y)))  # what zeros give, of each replica
    for method, of in (("none", lambda v: v[-1]), ("mean", np.mean), ("Sum", np.sum),
                       (keras.ipu.ReplicatedMetricReductionMethod.LIST, lambda v: v)):
        model = made()
        model.set_replication_options(replicated_metric_reduction_method=method)
        loss, error = model.evaluate(X, Y, batch_size=4, verbose=0)
        print(getattr(method, "name", method), np.allclose(loss, of(square), rtol=1e-5), np.allclose(error, of(size), rtol=1e-5), np.shape(loss))
    history = model.fit(X, Y, batch_size=4, shuffle=False, verbose=0).history
    print("history", np.allclose(history["loss"][0], trained()[-1], rtol=1e-5))
    try:
        model.set_replication_options("median")
    except ValueError as error:
        print(error)
    for asynchronous in (False, True):
        model, seen = made(), Seen()
        model.set_asynchronous_callbacks(asynchronous)
        history = model.fit(X, Y, batch_size=4, shuffle=False, verbose=0, callbacks=[seen]).history
        wanted = trained().ravel() if asynchronous else trained()[1::2, 1]
        print(asynchronous, seen.begun, [step for step, _ in seen.steps], np.allclose([loss for _, loss in seen.steps], wanted, rtol=1e-5),
              np.allclose(history["loss"], trained()[-1, 1], rtol=1e-5))
