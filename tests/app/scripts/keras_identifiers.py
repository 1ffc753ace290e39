# SPDX-License-Identifier: GPL-3.0-or-later
# get, serialize and deserialize of all kinds of Keras' objects: by name, by configuration, objects, classes and functions.
import numpy as np
from tensorflow import keras

kinds = {"initializers": ("he_normal", "HeNormal", keras.initializers.HeNormal), "regularizers": ("l2", "L2", keras.regularizers.L2),
         "constraints": ("max_norm", "MaxNorm", keras.constraints.MaxNorm), "optimizers": ("adam", "Adam", keras.optimizers.Adam),
         "losses": (None, "Huber", keras.losses.Huber), "metrics": (None, "AUC", keras.metrics.AUC)}
for module, (short, name, kind) in kinds.items():
    of = getattr(keras, module)
    made = kind()
    written = of.serialize(made)
    found = [of.get(written), of.deserialize(written), of.get({"class_name": name, "config": made.get_config()}), of.get(name), of.get(made)]
    found += [of.get(short), of.deserialize(short)] if short else []
    print(module, written["class_name"], [type(each) is kind for each in found], found[0].get_config() == made.get_config(),
          found[4] is made)
print(keras.initializers.get(keras.initializers.Zeros).__class__.__name__, keras.initializers.get(None), keras.regularizers.get(None),
      keras.constraints.get(None), keras.losses.get(None), keras.activations.get(None) is keras.activations.linear)
for module, name in (("losses", "mse"), ("losses", "categorical_crossentropy"), ("metrics", "binary_accuracy"), ("activations", "relu")):
    of = getattr(keras, module)
    print(of.serialize(of.get(name)), of.deserialize(name) is of.get(name), of.get(of.get(name)) is of.get(name), end=" ")
print()
optimizer = keras.optimizers.get({"class_name": "SGD", "config": {"learning_rate": {
    "class_name": "ExponentialDecay", "config": {"initial_learning_rate": 0.5, "decay_steps": 10, "decay_rate": 0.9}}, "momentum": 0.5}})
print(type(optimizer.learning_rate).__name__, float(optimizer.momentum), type(keras.optimizers.get("RMSprop")).__name__)
layer = keras.layers.deserialize(keras.layers.serialize(keras.layers.Dense(3, "relu", kernel_initializer={"class_name": "Constant", "config": {
    "value": 2}})))
print(layer(np.ones((1, 2), np.float32)).numpy().tolist())


@keras.utils.register_keras_serializable("mine")
class Twice(keras.initializers.Initializer):
    def __call__(self, shape, dtype=None):
        return np.full(shape, 2, np.float32)

    def get_config(self):
        return {}


def swish_of(x):
    return x * keras.activations.sigmoid(x)


print(type(keras.initializers.get("mine>Twice")).__name__, type(keras.initializers.get({"class_name": "mine>Twice", "config": {}})).__name__)
with keras.utils.custom_object_scope({"swish_of": swish_of}):
    print(keras.activations.get("swish_of") is swish_of, keras.activations.deserialize({"class_name": "swish_of", "config": {}}) is swish_of)

# Functions of losses and activations with what Keras lets them take, against NumPy.
labels, logits = np.eye(3, dtype=np.float32)[[0, 2]], np.array([[1, 2, 3], [0.5, -1, 2]], np.float32)
log = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
smoothed = labels * 0.9 + 0.1 / 3
print(np.allclose(keras.losses.categorical_crossentropy(labels, logits, from_logits=True, label_smoothing=0.1), -(smoothed * log).sum(-1), atol=1e-5),
      np.allclose(keras.losses.huber(np.zeros((2, 3)), logits, delta=0.5), np.where(abs(logits) < 0.5, logits ** 2 / 2, 0.5 * (abs(logits) - 0.25)).mean(-1)),
      np.allclose(keras.activations.relu(logits, alpha=0.1, max_value=2, threshold=0.6),
                  np.where(logits >= 2, 2, np.where(logits >= 0.6, logits, 0.1 * (logits - 0.6))), atol=1e-6),
      np.allclose(keras.activations.elu(logits, 2.0), np.where(logits > 0, logits, 2 * (np.exp(logits) - 1)), atol=1e-6),
      np.allclose(keras.activations.softmax(logits, axis=0), np.exp(logits) / np.exp(logits).sum(0), atol=1e-6),
      keras.metrics.get("accuracy")(np.array([1, 2]), np.array([1, 3])).numpy().tolist())
for wrong in (lambda: keras.optimizers.get("adamm"), lambda: keras.losses.get("mze"), lambda: keras.initializers.get(3), lambda: keras.losses.deserialize({}),
              lambda: keras.losses.categorical_crossentropy(labels, logits, delta=1), lambda: keras.regularizers.deserialize({
                  "class_name": "L3", "config": {}}), lambda: keras.optimizers.get(3.5)):
    try:
        wrong()
    except (AttributeError, TypeError, ValueError) as error:
        print(error)

# Constraints that are called give what an update gives by a rate of 0.
for constraint in (keras.constraints.MaxNorm(0.5, axis=[0, 1, 2]), keras.constraints.MinMaxNorm(0.5, 0.6, rate=0.5, axis=[0, 1, 2]),
                   keras.constraints.NonNeg(), keras.constraints.UnitNorm(axis=[0, 1, 2]), keras.constraints.RadialConstraint()):
    model = keras.Sequential([keras.layers.Conv2D(2, 4, kernel_constraint=constraint, input_shape=(4, 4, 3)), keras.layers.Flatten()])
    kernel = model.get_weights()[0]
    model.compile(keras.optimizers.SGD(0.0), "mse")
    model.train_on_batch(np.ones((2, 4, 4, 3), np.float32), np.ones((2, 2), np.float32))
    print(np.allclose(model.get_weights()[0], constraint(kernel), atol=1e-6), end=" ")
print()
