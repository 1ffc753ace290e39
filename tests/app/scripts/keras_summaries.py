# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of functional models in the order of Keras 2.6, with the names that it gives operations, models within and several outputs."""
import json
import re

import tensorflow as tf
from tensorflow import keras

L = keras.layers


def rows(model):
    lines = []
    model.summary(line_length=140, print_fn=lines.append)
    return [" ".join(re.split("  +", line)[:2]) for line in lines if re.match(r"[\w.]+ \(\w+\)", line)][1:]


# The two models of Keras' guide to the functional interface.
title, body, tags = (keras.Input((n,), name=name) for n, name in ((10, "title"), (12, "body"), (12, "tags")))
joined = [L.Embedding(100, 4)(title), L.Embedding(100, 4)(body)]
joined = L.concatenate([L.LSTM(5)(joined[0]), L.LSTM(3)(joined[1]), tags])
model = keras.Model([title, body, tags], [L.Dense(1, name="priority")(joined), L.Dense(4, name="department")(joined)])
print([each.name for each in model.layers])
image = keras.Input((32, 32, 3), name="img")
first = L.MaxPooling2D(3)(L.Conv2D(4, 3)(image))
second = L.Conv2D(4, 3, padding="same")(first)
second = L.add([L.Conv2D(4, 3, padding="same")(second), first])
print([each.name for each in keras.Model(image, L.Dense(10)(L.GlobalAveragePooling2D()(second))).layers])

plain = keras.Sequential([L.Dense(8, input_shape=(4,)), L.Dense(1)])
written = json.loads(plain.to_json())
print(written["class_name"], sorted(written["config"]), [each["class_name"] for each in written["config"]["layers"]],
      type(keras.models.model_from_json(plain.to_json())).__name__, keras.Sequential.from_config(plain.get_config()).count_params())
print(keras.optimizers.SGD(0.5, momentum=0.25, clipnorm=1.0).get_config(), list(keras.optimizers.Adam().get_config()))

given = keras.Input((4,))
encoder = keras.Model(given, [L.Dense(2)(given), L.Dense(3)(given)], name="encoder")
code, other = encoder(given)
a, b = L.Dense(2)(code), L.Dense(2)(code)
made = tf.nn.relu(a - tf.square(b) * 2.0 + 1.0)
made = tf.reduce_mean(made[:, 0] / 3.0) + tf.reduce_sum(tf.matmul(a, other[:, :2], transpose_b=True))
for row in rows(keras.Model(given, a * b + made, name="whole")):
    print(row)

# What a model adds to its loss, or shows, comes after its layers.
keras.backend.clear_session()
given = keras.Input((3,))
hidden = L.Dense(4)(given)
added = keras.Model(given, L.Dense(1)(hidden))
added.add_loss(tf.reduce_mean(tf.square(hidden)))
added.add_metric(tf.reduce_sum(hidden), name="total")
added.add_loss(tf.reduce_sum(added.outputs[0]))
print([each.name for each in added.layers], [type(each).__name__ for each in added.layers if not each.weights][1:])
print(rows(added)[5:], added.count_params())
