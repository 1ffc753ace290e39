# SPDX-License-Identifier: GPL-3.0-or-later
"""compile(weighted_metrics=…): metrics by the weights of samples, against NumPy."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(0)
x, y, w = draw.rand(40, 4).astype("float32"), draw.randint(0, 3, 40), draw.rand(40).astype("float32")


def near(found, *expected):
    return np.allclose(found, expected, rtol=1e-5)


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.last = keras.layers.Dense(3, activation="softmax")

    def call(self, inputs):
        return self.last(inputs)

    def test_step(self, data):
        inputs, labels, weights = data
        made = self(inputs, training=False)
        self.compiled_loss(labels, made, weights)
        self.compiled_metrics.update_state(labels, made, weights)
        return {metric.name: metric.result() for metric in self.metrics}


def figures(model):
    made = model.predict(x, batch_size=8)
    right, entropy = made.argmax(1) == y, -np.log(made[np.arange(40), y])
    return right, entropy, (right * w).sum() / w.sum(), (entropy * w).sum() / w.sum()


with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.layers.Dense(3, activation="softmax", input_shape=(4,))])
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"], steps_per_execution=5,
                  weighted_metrics=["accuracy", keras.metrics.SparseCategoricalCrossentropy(name="entropy")])
    found = model.evaluate(x, y, sample_weight=w, batch_size=8, verbose=0)
    right, entropy, weighted, weighted_entropy = figures(model)
    print("weighted", near(found, (entropy * w).mean(), right.mean(), weighted, weighted_entropy), model.metrics_names)
    print("differs", not np.isclose(right.mean(), weighted))
    found = model.evaluate(x, y, batch_size=8, verbose=0)
    print("without", near(found, entropy.mean(), right.mean(), right.mean(), entropy.mean()))

    own = Own()
    own.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"], weighted_metrics=["accuracy"],
                steps_per_execution=5)
    found = own.evaluate(x, y, sample_weight=w, batch_size=8, verbose=0)
    right, entropy, weighted, _ = figures(own)
    print("own step", near(found, (entropy * w).mean(), right.mean(), weighted))

    counted = keras.Sequential([keras.layers.Dense(1, activation="sigmoid", input_shape=(4,))])
    made = counted.predict(x, batch_size=8)[:, 0]
    limit = float(np.median(made))
    counted.compile("sgd", "binary_crossentropy", weighted_metrics=[keras.metrics.Precision(thresholds=limit)],
                    steps_per_execution=5)
    labels, above = (y > 0).astype("float32"), made > limit
    found = counted.evaluate(x, labels, sample_weight=w, batch_size=8, verbose=0)[1]
    print("counted", near(found, (w * above * labels).sum() / (w * above).sum()))
    try:
        model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy", "accuracy"])
    except ValueError as error:
        print(error)
