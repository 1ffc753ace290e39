# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' objects out of configurations as Keras 2 and 3 write them, and layers with all of Keras' arguments."""
import json

import numpy as np
from tensorflow import keras

layers = keras.layers
x = np.linspace(-3, 3, 2 * 4 * 3).reshape(2, 4, 3).astype(np.float32)


def loss_of(*made):
    """What a model's layers add to a loss of 0."""
    model = keras.Sequential([keras.Input(x.shape[1:]), *made])
    model.compile("sgd", "mse")
    return model.evaluate(x, model.predict(x, batch_size=2), batch_size=2, verbose=0), model.get_weights()


# Regularisers, against NumPy.
for layer, number in ((layers.LSTM(2, kernel_regularizer="l2"), 0), (layers.GRU(2, recurrent_regularizer=keras.regularizers.l2(0.01)), 1),
                      (layers.SimpleRNN(2, kernel_regularizer="l2"), 0),
                      (layers.LayerNormalization(gamma_regularizer="l2"), 0), (layers.DepthwiseConv1D(2, depthwise_regularizer="l2"), 0),
                      (layers.SeparableConv1D(5, 2, pointwise_regularizer="l2"), 1)):
    loss, weights = loss_of(layer)
    print(np.isclose(loss, 0.01 * (weights[number] ** 2).sum(), rtol=1e-5), end=" ")
loss, weights = loss_of(layers.Flatten(), layers.Dense(2, activity_regularizer="l2"))
print(np.isclose(loss, 0.01 * ((x.reshape(2, 12) @ weights[0]) ** 2).sum() / 2, rtol=1e-5))

# Settings by name that the engine has for a class, and one that it has for another.
layers.SeparableConv2D(2, 3, kernel_initializer="he_normal")
layers.LSTM(2, implementation=2)
layers.BatchNormalization(fused=True).from_config(layers.BatchNormalization(fused=True).get_config())
try:
    layers.LSTM(2, depthwise_regularizer="l2")
except AttributeError as error:
    print(error)

matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
looked_up = keras.Sequential([layers.Embedding(3, 2, weights=[matrix], input_length=2, trainable=False)])
print(looked_up.predict(np.array([[2, 0]]), batch_size=1).tolist())


def version_3(kind, config, name):
    policy = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}, "registered_name": None}
    return {"module": "keras.layers", "class_name": kind, "config": {"name": name, "trainable": True, "dtype": policy, **config},
            "registered_name": None, "build_config": {"input_shape": [None, 3]}}


def tensor(name):
    return {"class_name": "__keras_tensor__", "config": {"shape": [None, 3], "dtype": "float32", "keras_history": [name, 0, 0]}}


# Keras 3: its hard sigmoid is another.
values = x.reshape(8, 3)
begin = {"module": "keras.layers", "class_name": "InputLayer",
         "config": {"batch_shape": [None, 3], "dtype": "float32", "sparse": False, "ragged": False, "name": "x"}, "registered_name": None}
act = version_3("Activation", {"activation": "hard_sigmoid"}, "act")
sequential = {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "trainable": True, "layers": [begin, act]}}
model = keras.models.model_from_json(json.dumps(sequential))
third = np.clip(values / 6 + 0.5, 0, 1)
print(np.allclose(model.predict(values, batch_size=8), third, atol=1e-6),
      np.allclose(keras.models.clone_model(model).predict(values, batch_size=8), third, atol=1e-6),
      np.allclose(keras.Sequential([layers.Activation("hard_sigmoid")]).predict(values, batch_size=8), np.clip(values / 5 + 0.5, 0, 1), atol=1e-6))
functional = {"class_name": "Functional", "config": {"name": "f", "layers": [
    {**begin, "name": "x", "inbound_nodes": []},
    {**version_3("Dense", {"units": 3, "lora_rank": None, "quantization_config": None}, "d"), "name": "d",
     "inbound_nodes": [{"args": [tensor("x")], "kwargs": {}}, {"args": [tensor("a")], "kwargs": {}}]},
    {**version_3("Add", {}, "a"), "name": "a", "inbound_nodes": [{"args": [[tensor("x"), tensor("d")]], "kwargs": {}}]}],
    "input_layers": [["x", 0, 0]], "output_layers": [["d", 1, 0]]}}
model = keras.models.model_from_json(json.dumps(functional))
w, b = model.get_weights()
print(np.allclose(model.predict(values, batch_size=8), (values + values @ w + b) @ w + b, atol=1e-4))


class Twice(layers.Layer):
    def __init__(self, times=2, **kwargs):
        super().__init__(**kwargs)
        self.times = times

    def call(self, inputs):
        return inputs * self.times

    def get_config(self):
        return {**super().get_config(), "times": self.times}


saved = {"class_name": "Sequential", "config": [
    {"class_name": "Dense", "config": {"units": 1, "use_bias": False, "kernel_initializer": "ones", "batch_input_shape": [None, 3]}},
    {"class_name": "Mine>Twice", "config": {"times": 5}}]}
try:
    keras.models.model_from_json(json.dumps(saved))
except AttributeError as error:
    print(error)
with keras.utils.custom_object_scope({"Twice": Twice}):
    model = keras.models.model_from_config(saved)
print(model.predict(values, batch_size=8)[:2].ravel().round(3).tolist(), keras.utils.get_custom_objects())
copy = keras.models.clone_model(model)
copy.layers[0].set_weights([np.zeros((3, 1))])
print(type(copy.layers[1]).__name__, copy.layers[1].times, copy.predict(values, batch_size=8).any(), model.predict(values, batch_size=8).any())

adam = keras.optimizers.deserialize({"class_name": "Custom>Adam", "config": {
    "name": "Adam", "weight_decay": None, "use_ema": False, "ema_momentum": 0.99, "jit_compile": True, "beta_1": 0.5,
    "learning_rate": {"class_name": "ExponentialDecay", "config": {"initial_learning_rate": 0.1, "decay_steps": 2, "decay_rate": 0.5}}}})
print(type(adam).__name__, float(adam.beta_1), type(adam.learning_rate).__name__,
      keras.optimizers.deserialize(keras.optimizers.serialize(keras.optimizers.SGD(0.25))).get_config()["learning_rate"])
dense = layers.deserialize(layers.serialize(layers.Dense(3, kernel_regularizer=keras.regularizers.L2(0.5), name="last")))
print(dense.name, dense.settings["units"], dense.get_config()["kernel_regularizer"]["config"]["l2"],
      keras.losses.deserialize("mse")([[1.0, 3.0]], [[0.0, 0.0]]).numpy().tolist(),
      keras.initializers.deserialize({"class_name": "Constant", "config": {"value": 4}})((2,)).numpy().tolist())

# A layer of a cell is the layer of that name.
for cell, layer in ((layers.LSTMCell(3, "sigmoid"), layers.LSTM(3, "sigmoid")), (layers.GRUCell(3), layers.GRU(3)),
                    (layers.SimpleRNNCell(3), layers.SimpleRNN(3))):
    ends = keras.Input((4, 3))
    one = keras.Model(ends, layers.RNN(cell, return_state=True)(ends))
    again = keras.models.model_from_json(one.to_json())
    other = keras.Model(ends, layer(ends))
    again.set_weights(other.get_weights())
    print(len(one.outputs), np.array_equal(again.predict(x, batch_size=2)[0], other.predict(x, batch_size=2)), end=" ")
print()
