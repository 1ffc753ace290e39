# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs and outputs of models by their names and in their order, and rates that fall where nothing becomes better."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

FIVE, ONE = np.full((4, 2), 5, np.float32), np.full((4, 2), 1, np.float32)


def difference(listed):
    """a - b, of inputs that are listed in this order."""
    made = {name: keras.Input((2,), name=name) for name in "ab"}
    return keras.Model([made[name] for name in listed], keras.layers.Subtract()([made["a"], made["b"]]))


for listed in ("ab", "ba"):
    model, named = difference(listed), {"a": FIVE, "b": ONE}
    data = tf.data.Dataset.from_tensor_slices(dict(named)).batch(2)
    found = [model.predict([named[name] for name in listed]), model.predict(named), model.predict({"b": ONE, "a": FIVE}),
             model.predict(data), model(named), model([named[name] for name in listed])]
    with tf.GradientTape():
        found.append(model(named, training=True))
    print(listed, [np.unique(each).tolist() for each in found])

inputs = keras.Input((2,))
outputs = [keras.layers.Dense(1, name=name, kernel_initializer="zeros")(inputs) for name in ("z", "q")]
two = keras.Model(inputs, outputs)
two.compile(keras.optimizers.SGD(0.0), "mse")
labels = {"q": ONE[:, :1] * 3, "z": ONE[:, :1]}
for arguments in ((FIVE, labels), (FIVE, [labels["z"], labels["q"]]),
                  (tf.data.Dataset.from_tensor_slices((FIVE, labels)).batch(4),)):
    history = two.fit(*arguments, batch_size=4, verbose=0).history
    print(history["z_loss"], history["q_loss"])

# Nothing becomes better at a rate of 0: after two epochs it is lowered, rests for one, and so on, to its least.
still = keras.Sequential([keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(2,))])
still.compile(keras.optimizers.SGD(1e-9), "mse")
plateau = keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.1, patience=2, cooldown=1, min_lr=3e-11)
rates = []
still.fit(FIVE, ONE[:, :1], batch_size=4, epochs=9, verbose=0, callbacks=[
    plateau, keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: rates.append(float(still.optimizer.learning_rate)))])
print([f"{rate:.0e}" for rate in rates])
