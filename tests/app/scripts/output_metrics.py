# SPDX-License-Identifier: GPL-3.0-or-later
# Metrics of single outputs, and outputs in dictionaries, against NumPy.
import numpy as np
from tensorflow import keras

layers = keras.layers
x = np.random.default_rng(0).normal(size=(16, 4)).astype(np.float32)
numbers, classes = x[:, :1] * 2, (x[:, 0] > 0).astype(np.int32)
a = keras.Input((4,), name="a")
heads = [layers.Dense(1, name="value")(a), layers.Dense(2, activation="softmax", name="kind")(a)]
losses = {"value": "mse", "kind": "sparse_categorical_crossentropy"}
labels = {"value": numbers, "kind": classes}


def shown(model, metrics, given=labels, of=losses):
    model.compile("sgd", of, metrics=metrics)
    return model.evaluate(x, given, batch_size=16, verbose=0, return_dict=True)


model = keras.Model(a, heads)
value, kind = model.predict(x, batch_size=16)
wanted = {"mae": abs(value - numbers).mean(), "accuracy": (kind.argmax(-1) == classes).mean(), "mse": ((value - numbers) ** 2).mean()}
for metrics in ({"kind": "accuracy"}, {"kind": ["accuracy"], "value": ["mae", keras.metrics.MeanSquaredError(name="mse")]}, [["mae"], ["accuracy"]]):
    logs = shown(model, metrics)
    print(sorted(logs), all(np.isclose(number, wanted[name.partition("_")[2]], rtol=1e-5) for name, number in logs.items()
                            if name.partition("_")[2] in wanted))
logs = shown(model, ["mae"])
print(sorted(logs))
single = keras.Sequential([layers.Dense(1, input_shape=(4,))])
single.compile("sgd", "mse", metrics="mae")
print(list(single.evaluate(x, numbers, batch_size=16, verbose=0, return_dict=True)))
named = keras.Model(a, {"v": heads[0], "k": heads[1]})
logs = shown(named, {"k": "accuracy"}, {"v": numbers, "k": classes}, {"v": "mse", "k": "sparse_categorical_crossentropy"})
found = named.predict(x, batch_size=16)
print(sorted(logs), sorted(found), np.allclose(found["v"], value, atol=1e-6), np.allclose(found["k"], kind, atol=1e-6),
      np.allclose(named(x)["k"], kind, atol=1e-6), np.isclose(logs["kind_accuracy"], wanted["accuracy"]), named.output_names, model.output_names)
history = named.fit(x, {"v": numbers, "k": classes}, batch_size=8, epochs=2, verbose=0).history
print(sorted(history), history["loss"][1] < history["loss"][0])


one = shown(model, None, {"value": numbers}, {"value": "mse"})  # a loss of one of two outputs, and one whose labels are left out
print(sorted(one), np.isclose(one["value_loss"], one["loss"]), sorted(shown(model, None, {"value": numbers}).items())[0])


class Heads(keras.Model):
    """Whose call gives a dictionary."""

    def __init__(self):
        super().__init__()
        self.v, self.k = layers.Dense(1), layers.Dense(2, activation="softmax")

    def call(self, inputs):
        return {"v": self.v(inputs), "k": self.k(inputs)}


class Pair(Heads):
    def call(self, inputs):
        return self.v(inputs), [self.k(inputs)]


given, of = {"v": numbers, "k": classes}, {"v": "mse", "k": "sparse_categorical_crossentropy"}
heads = Heads()
print(heads.output_names, end=" ")
logs = shown(heads, {"k": "accuracy"}, given, of)
found = heads.predict(x, batch_size=16)
print(sorted(logs), sorted(found), sorted(heads(x)), np.allclose(heads(x)["v"], found["v"], atol=1e-6), heads.output_names,
      np.isclose(logs["v_loss"], ((found["v"] - numbers) ** 2).mean(), rtol=1e-5),
      np.isclose(logs["k_accuracy"], (found["k"].argmax(-1) == classes).mean()))
logs = shown(heads, {"v": "mae"}, {"v": numbers}, {"v": "mse"})
print(sorted(logs), np.isclose(logs["loss"], ((found["v"] - numbers) ** 2).mean(), rtol=1e-5))
logs = shown(heads, None, {"k": classes}, of)  # one without labels has no loss
print(np.isclose(logs["loss"], -np.log(found["k"][np.arange(16), classes]).mean(), rtol=1e-4))
logs = shown(named, None, {"k": classes}, of)
print(np.isclose(logs["loss"], -np.log(named.predict(x, batch_size=16)["k"][np.arange(16), classes]).mean(), rtol=1e-4))
pair = Pair()
first, (second,) = pair.predict(x, batch_size=16)
print(type(pair(x)).__name__, type(pair(x)[1]).__name__, first.shape, second.shape, pair.output_names)
for wrong, metrics, labels_, losses_ in ((named, {"typo": "mae"}, given, of), (heads, {"typo": "mae"}, given, of), (heads, None, given, {"w": "mse"}),
                                         (heads, None, {**given, "w": classes}, of), (single, {"typo": "mae"}, numbers, "mse"),
                                         (single, None, numbers, {"typo": "mse"}), (model, None, labels, ["mse"] * 3),
                                         (model, [["mae"], [], ["mae"]], labels, losses)):
    try:
        shown(wrong, metrics, labels_, losses_)
    except ValueError as error:
        print(error)


class Own(keras.Model):
    """Whose layers only its own step calls."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer = layers.Dense(3), layers.Dense(4)

    def train_step(self, data):
        import tensorflow as tf
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.outer(self.inner(data)) - data))
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        return {"loss": loss}


own = Own()
own.compile(keras.optimizers.SGD(0.1))
history = own.fit(x, batch_size=16, epochs=5, verbose=0).history["loss"]
print(history[-1] < history[0], [each.name for each in own.trainable_weights])
