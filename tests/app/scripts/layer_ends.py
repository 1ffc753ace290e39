# SPDX-License-Identifier: GPL-3.0-or-later
# What layers say of their calls, losses of models outside of steps, metrics of counts, against NumPy; mixed data sets.
import numpy as np
import tensorflow as tf
from tensorflow import keras

layers = keras.layers
x = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
first, second = layers.Dense(3, name="first", kernel_regularizer="l2", bias_regularizer=keras.regularizers.l1(0.1)), layers.Dense(2)
begin = keras.Input((4,))
model = keras.Model(begin, second(first(begin)))
inner = keras.Model(model.input, model.get_layer("first").output)
weights = model.get_weights()
print(np.allclose(inner.predict(x, batch_size=8), x @ weights[0] + weights[1], atol=1e-6), first.input is begin, first.input_shape,
      second.output_shape, second.get_input_at(0).shape, first.get_output_shape_at(0))
second(keras.Input((3,)))
for wrong in (lambda: second.output, lambda: layers.Dense(3).input, lambda: model.get_layer("first").outputt):
    try:
        wrong()
    except AttributeError as error:
        print(error)

grown = keras.Sequential()
for layer in (keras.Input((4,)), layers.Dense(3, "relu", name="grown"), layers.Dropout(0.25), layers.Dense(1)):
    grown.add(layer)
print([each.output.shape for each in grown.layers], grown.layers[0].units, grown.layers[0].activation is keras.activations.relu,
      grown.layers[1].rate, type(grown.layers[0].kernel_initializer).__name__, grown.input_names, model.output_names, grown.stateful,
      len(first.losses))

# Features: what each layer of a Sequential makes, however it was built, and of layers that were called on values as well.
grown = keras.Sequential([keras.Input((4,)), layers.Dense(3, activation="relu"), layers.Dropout(0.5), layers.Dense(2)])
kernel, bias, *end = grown.get_weights()
hidden = np.maximum(x @ kernel + bias, 0)
found = keras.Model(grown.input, [each.output for each in grown.layers]).predict(x, batch_size=8)
late = keras.Sequential([layers.Dense(3), layers.Dense(2)])
late(x)
alone = layers.Dense(2)
alone.build((None, 4))
begin = keras.Input((4,))
end_of_alone = alone(begin)
alone(x)
print(all(map(lambda a, b: np.allclose(a, b, atol=1e-5), found, [hidden, hidden, hidden @ end[0] + end[1]])),
      np.allclose(keras.Model(late.inputs, late.layers[0].output).predict(x, batch_size=8), x @ late.get_weights()[0], atol=1e-5),
      alone.output is end_of_alone, alone.input is begin, grown.layers[0].input is grown.input)
grown.pop()
popped = grown.predict(x, batch_size=8)
grown.add(layers.Dense(5))
print(np.allclose(popped, hidden, atol=1e-5), grown.output_shape, grown.predict(x, batch_size=8).shape, grown.layers[-1].output is grown.output,
      np.array_equal(grown.get_weights()[0], kernel))

# Terms of regularisers and of add_loss() in a loop of the script's own.
wanted = 0.01 * (weights[0] ** 2).sum() + 0.1 * abs(weights[1]).sum()
print(len(model.losses), np.isclose(sum(model.losses), wanted, rtol=1e-5))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(x, training=True)) * 0.0 + sum(model.losses)
gradients = tape.gradient(loss, model.trainable_variables)
print(np.allclose(gradients[0], 0.02 * weights[0], atol=1e-6))


class Adding(layers.Layer):
    def call(self, inputs):
        self.add_loss(tf.reduce_sum(inputs) * 0.5)
        return inputs


adding = keras.Sequential([keras.Input((4,)), Adding(), layers.Dense(1)])
with tf.GradientTape() as tape:
    made = tf.reduce_mean(adding(x, training=True)) * 0.0 + sum(adding.losses)
print(np.isclose(made, x.sum() * 0.5, rtol=1e-4))


# The same after calls on values, and of layers within layers of the script's own.
class Weighing(layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight("w", [4], initializer="ones", regularizer="l2")
        self.adding = Adding()

    def call(self, inputs):
        return self.adding(inputs * self.w)


weighing = keras.Sequential([keras.Input((4,)), Weighing(), layers.Dense(1, kernel_regularizer="l2")])
terms = [0.01 * (weighing.get_weights()[1] ** 2).sum(), 0.04, x.sum() * 0.5]
for training in (False, True):
    weighing(x, training=training)
    print(np.allclose(weighing.losses, terms, rtol=1e-4), end=" ")
weighing(x[:4])
print(np.allclose(weighing.losses, terms[:2] + [x[:4].sum() * 0.5], rtol=1e-4), end=" ")
weighing.compile("sgd", "mse")
alone = Weighing()
for _ in range(2):
    alone(x)
print(np.isclose(weighing.evaluate(x, weighing.predict(x, batch_size=8), batch_size=8, verbose=0), sum(terms), rtol=1e-4), len(alone.losses),
      np.allclose(alone.losses, terms[1:], rtol=1e-4))

# Metrics.
labels, outputs = np.array([[1.0], [0.0], [1.0], [0.0]], np.float32), np.array([[0.9], [0.6], [0.65], [0.1]], np.float32)
for metric, number in ((keras.metrics.RootMeanSquaredError(), np.sqrt(((labels - outputs) ** 2).mean())),
                       (keras.metrics.BinaryAccuracy(threshold=0.7), 0.75), (keras.metrics.Accuracy(), 0.0)):
    metric.update_state(labels[:2], outputs[:2])
    metric.update_state(labels[2:], outputs[2:])
    print(np.isclose(metric.result(), number), end=" ")
metric = keras.metrics.MeanIoU(num_classes=2)
metric.update_state([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[0.3, 0.3, 0.3, 0.1])
print(np.isclose(metric.result(), (0.3 / 0.9 + 0.1 / 0.7) / 2))
model.compile("sgd", "mse", metrics=[keras.metrics.RootMeanSquaredError(name="rmse"), "RootMeanSquaredError"])
y = np.ones((8, 2), np.float32)
logs = model.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)
root = np.sqrt(((model.predict(x, batch_size=8) - y) ** 2).mean())
print(sorted(logs), np.isclose(logs["rmse"], root, rtol=1e-5), np.isclose(logs["root_mean_squared_error"], root, rtol=1e-5))

# Mixed data sets.
tens = tf.data.Dataset.range(10, 13).repeat()
mixed = tf.data.experimental.sample_from_datasets([tf.data.Dataset.range(3).repeat(), tens], [0.25, 0.75], seed=1).take(1000)
share = np.mean([each >= 10 for each in mixed.as_numpy_iterator()])
chosen = tf.data.Dataset.choose_from_datasets([tf.data.Dataset.range(2), tens], tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 0, 1])))
print(0.7 < share < 0.8, [int(each) for each in chosen.as_numpy_iterator()],
      [int(each) for each in tf.data.Dataset.range(4).scan(np.int64(0), lambda s, v: (s + v, s + v)).as_numpy_iterator()],
      len(set(tf.data.Dataset.random(seed=1).take(5).as_numpy_iterator())))
