# SPDX-License-Identifier: GPL-3.0-or-later
"""What callbacks say as they save models and change rates, as Keras 2.6 says it."""
import numpy as np
from tensorflow import keras

x, y = np.ones((8, 2), "f"), np.ones((8, 1), "f")
model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,), kernel_initializer="zeros")])
model.compile(keras.optimizers.SGD(0.1), "mse")
losses = iter([3.0, 2.0, 2.5, 1.0])


class Given(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs["given"] = next(losses)


model.fit(x, y, epochs=4, verbose=0, callbacks=[
    Given(), keras.callbacks.ModelCheckpoint("c{epoch:02d}-{given:.1f}.h5", "given", save_best_only=True, verbose=1),
    keras.callbacks.ReduceLROnPlateau("given", 0.1, 1, verbose=1), keras.callbacks.CSVLogger("log.csv")])
model.fit(x, y, epochs=2, verbose=0, callbacks=[
    keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5, verbose=1),
    keras.callbacks.ModelCheckpoint("b{batch:02d}.h5", save_freq=1, verbose=1)])
with open("log.csv", newline="", encoding="utf-8") as file:
    print(repr(file.readline()))
try:
    model.fit(x, y, verbose=0, callbacks=[keras.callbacks.ModelCheckpoint("c{other}.h5")])
except KeyError as error:
    print(error)
