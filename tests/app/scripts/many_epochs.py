# SPDX-License-Identifier: GPL-3.0-or-later
"""As many epochs as the first argument says, of two engine runs each. The second: whether they are told to a callback, which may end them,
or followed by validations of one engine run."""
import math
import sys

import numpy as np
from tensorflow import keras
from tensorflow.python import ipu


class Counts(keras.callbacks.Callback):
    told = 0

    def on_epoch_end(self, epoch, logs=None):
        self.told += math.isnan(logs["loss"]) or logs["loss"] >= 0
        self.model.stop_training = sys.argv[2] == "ends" and epoch == 2


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
epochs, counts = int(sys.argv[1]), Counts()
with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((1,))
    model = keras.Model(inputs, keras.layers.Dense(1)(inputs))
    model.compile(keras.optimizers.SGD(0.01), "mse")
    x = np.zeros((8, 1), np.float32)
    history = model.fit(x, x, batch_size=4, epochs=epochs, verbose=0, callbacks=[counts] if sys.argv[2] in ("told", "ends") else [],
                        validation_data=(x[:4], x[:4]) if sys.argv[2] == "validated" else None, validation_freq=2)
print(len(history.epoch), counts.told, int(model.optimizer.iterations))
