# SPDX-License-Identifier: GPL-3.0-or-later
"""Training whose rate is far too high: of w x = 1 x the second loss is (2e30)^2, which float32 does not have. The argument
says who makes the step: Keras, or the script itself, which gives a metric or a tensor."""
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu


class Own(keras.Model):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.seen = keras.metrics.Mean(name="seen")

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y)**2)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        self.seen.update_state(loss)
        return {"loss": self.seen.result()} if sys.argv[1] == "metric" else {"made_loss": loss}


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    inputs = keras.Input((1,))
    outputs = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")(inputs)
    model = (keras.Model if sys.argv[1] == "keras" else Own)(inputs, outputs)
    model.compile(keras.optimizers.SGD(0.1 if sys.argv[2:] == ["holds"] else 1e30), "mse", steps_per_execution=2)
    given = np.ones((4, 1), np.float32), np.zeros((4, 1), np.float32)
    history = model.fit(*given, batch_size=1, epochs=2, verbose=0).history
    model.fit(*given, batch_size=1, verbose=0)
print([[bool(np.isfinite(each)) for each in values] for values in history.values()])
if sys.argv[2:] == ["fails"]:
    sys.exit(7)
