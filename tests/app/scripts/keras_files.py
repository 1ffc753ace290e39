# SPDX-License-Identifier: GPL-3.0-or-later
"""What Keras' models save is there again in another: HDF5 as Keras writes it."""
import numpy as np
from tensorflow import keras

x = np.linspace(-1, 1, 40 * 6, dtype=np.float32).reshape(40, 6)
y = (np.arange(40) % 3).astype(np.int32)


class Two(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Dense(4, activation="relu")
        self.second = keras.layers.Dense(3, activation="softmax")

    def call(self, inputs):
        return self.second(self.first(inputs))


def network():
    return keras.Sequential([keras.layers.Dense(4, input_shape=(6,)), keras.layers.BatchNormalization(),
                             keras.layers.Dense(3, activation="softmax")])


def same(a, b):
    return len(a) == len(b) and all(np.array_equal(v, w) for v, w in zip(a, b))


first = network()
first.compile(keras.optimizers.Adam(0.02), "sparse_categorical_crossentropy", metrics=["accuracy"])
first.fit(x, y, batch_size=8, epochs=2, verbose=0)
first.save_weights("weights.h5")
second = network()
print(same(first.get_weights(), second.get_weights()))
second.load_weights("weights.h5")
print(same(first.get_weights(), second.get_weights()))

first.save("model.h5")
third = keras.models.load_model("model.h5")
print(same(first.get_weights(), third.get_weights()), third.loss, third.metric_names_,
      float(third.optimizer.learning_rate))
print(np.array_equal(first.predict(x, batch_size=8), third.predict(x, batch_size=8)))
first.save_weights("checkpoint")
third.set_weights([w * 0 for w in third.get_weights()])
third.load_weights("checkpoint")
print(same(first.get_weights(), third.get_weights()))
for model in (first, third):  # which goes on with what the optimizer kept
    model.fit(x, y, batch_size=8, epochs=1, shuffle=False, verbose=0)
print(same(first.get_weights(), third.get_weights()), int(third.optimizer.iterations.numpy()) == 3 * (len(x) // 8))

python = Two()
python.build((None, 6))
python.save_weights("python.h5")
other = Two()
other.build((None, 6))
other.load_weights("python.h5")
print(same(python.get_weights(), other.get_weights()))
try:
    other.load_weights("weights.h5")
except ValueError as error:
    print(error)
