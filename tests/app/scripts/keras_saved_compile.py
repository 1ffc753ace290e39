# SPDX-License-Identifier: GPL-3.0-or-later
"""A model that load_model() gives is compiled as the one that was saved: losses with their settings, by output, with their shares and
metrics."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

random = np.random.RandomState(0)
L = keras.layers


def again(model, name, **settings):
    model.save(name)
    return keras.models.load_model(name, **settings)


model = keras.Sequential([L.Dense(3, input_shape=(2,))])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True),
              metrics=["accuracy", keras.metrics.SparseTopKCategoricalAccuracy(k=2, name="top")])
x, y = random.randn(8, 2).astype("f"), np.arange(8) % 3
loaded = again(model, "one.h5")
print(np.allclose(model.evaluate(x, y, verbose=0), loaded.evaluate(x, y, verbose=0)), loaded.metrics_names)


def distance(labels, outputs):
    return tf.reduce_mean(tf.abs(labels - outputs), -1)


model.compile("adam", distance, metrics=[distance, "mse"])
loaded = again(model, "own.h5", custom_objects={"distance": distance})
wanted = np.ones((8, 3), "f")
print(np.allclose(model.evaluate(x, wanted, verbose=0), loaded.evaluate(x, wanted, verbose=0)), loaded.metrics_names)
print(keras.models.load_model("own.h5", compile=False).optimizer)
model.compile("adam", keras.losses.Huber(delta=0.1))
print(np.allclose(model.evaluate(x, wanted, verbose=0), again(model, "huber.h5").evaluate(x, wanted, verbose=0)))

a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
joined = L.concatenate([L.Dense(5, activation="relu")(a), b])
model = keras.Model([a, b], [L.Dense(1, name="first")(joined), L.Dense(3, name="second")(joined)])
model.compile(keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9), momentum=0.9),
              loss={"first": "mse", "second": keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)},
              loss_weights={"first": 0.5, "second": 1.0}, metrics={"second": ["accuracy"]},
              weighted_metrics={"first": [keras.metrics.MeanAbsoluteError(name="far")]})
given = [random.rand(16, 4).astype("f"), random.rand(16, 3).astype("f")]
wanted = [random.rand(16, 1).astype("f"), np.eye(3, dtype="f")[random.randint(0, 3, 16)]]
model.fit(given, wanted, batch_size=4, verbose=0)
loaded = again(model, "several.h5")
print(np.allclose(model.evaluate(given, wanted, verbose=0), loaded.evaluate(given, wanted, verbose=0)), loaded.metrics_names,
      loaded.optimizer.get_config()["momentum"], int(loaded.optimizer.iterations))
for each in (model, loaded):
    each.fit(given, wanted, batch_size=4, shuffle=False, verbose=0)
print(all(np.allclose(*pair) for pair in zip(model.get_weights(), loaded.get_weights())))
