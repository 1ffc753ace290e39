# SPDX-License-Identifier: GPL-3.0-or-later
"""Models and weights under names without an ending, which TensorFlow has folders and several files for."""
import io
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras

X = np.random.RandomState(0).rand(16, 3).astype(np.float32)
Y = X.sum(1, keepdims=True)


def made():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


def same(first, second):
    return all(map(np.array_equal, first.get_weights(), second.get_weights()))


def fit(model, **settings):
    model.fit(X, Y, batch_size=4, shuffle=False, verbose=0, **settings)


def told(function):
    try:
        function()
    except (AttributeError, ValueError) as error:
        print(str(error).split("; ask")[0])


model = made()
fit(model)
model.save("saved/1")
loaded = keras.models.load_model("saved/1")
print("model", os.listdir("saved/1"), same(loaded, model))
for each in (model, loaded):  # Adam goes on where it was
    fit(each)
other = made()
print("goes on", same(loaded, model), other.load_weights("saved/1").assert_consumed() is not None, same(other, loaded))
model.save("saved/1")  # which it has made itself
other.load_weights("saved/1")
print("again", same(other, model))

fit(model, epochs=2, callbacks=[keras.callbacks.ModelCheckpoint("training/cp-{epoch:04d}.ckpt", save_weights_only=True),
                                keras.callbacks.ModelCheckpoint("whole_{epoch}")])
latest = tf.train.latest_checkpoint("training")
other.load_weights(latest).expect_partial()
print("checkpoint", latest, sorted(os.listdir("training")), tf.compat.v1.train.checkpoint_exists(latest), same(other, model),
      same(keras.models.load_model("whole_2"), model), same(keras.models.load_model("whole_1"), model))

# What is in the way stays.
os.makedirs("full")
for path in ("full/text", "file"):
    with open(path, "w") as file:
        file.write("text")
told(lambda: model.save("full"))
told(lambda: model.save("file"))
os.makedirs("empty")
model.save("empty")
sys.stdin = io.StringIO("what\nn\ny\n")
model.fit(X, Y, batch_size=4, verbose=0)
model.save("empty", overwrite=False)
print("\nkept", same(keras.models.load_model("empty"), other))
model.save("empty", overwrite=False)
try:
    model.save("empty", overwrite=False)
except FileExistsError as error:
    print("\nnobody", error)
print("written", same(keras.models.load_model("empty"), model), os.listdir("full"), open("file").read(), sys.stdin.read() == "")


class Twice(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(1)

    def call(self, inputs):
        return self.inner(inputs) * 2


python, again = Twice(), Twice()
for each in (python, again):
    each.compile("sgd", "mse")
    fit(each)
python.save("python")
told(lambda: keras.models.load_model("python"))
again.load_weights("python")
waits = Twice()  # until it has variables
waits.load_weights("python").expect_partial()
print("Python", os.listdir("python"), same(python, again) and np.array_equal(waits(X), python(X)) and same(waits, python))

model.save("named", save_format="h5")
model.save_weights("weights", save_format="h5")
other.load_weights("weights")
print("by format", os.path.isfile("named"), same(keras.models.load_model("named"), model), same(other, model))
told(lambda: model.save("x", save_format="zip"))
told(lambda: model.save_weights("x.h5", save_format="tf"))
