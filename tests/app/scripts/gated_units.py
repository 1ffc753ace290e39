# SPDX-License-Identifier: GPL-3.0-or-later
"""Gated units whose numbers can be worked out by hand: one feature that is 1 in two steps, one unit, all gates at one half,
no function on the candidate. Versions 1 and 2 of Keras' layers differ in what they do where nothing is said."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
steps = np.ones((1, 2, 1), np.float32)


def last(made, *weights):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = tf.keras.Sequential([tf.keras.Input((2, 1), 1), made])
        model.set_weights([np.array(each, np.float32) for each in weights])
        return model.predict(steps, batch_size=1).tolist()


# Candidates are x + 2 h / 2, or x + (2 h + 1) / 2 where the reset comes after the product and its bias of 1.
of_inputs, of_states = [[0, 0, 1]], [[0, 0, 2]]
print(last(tf1.keras.layers.GRU(1, activation="linear"), of_inputs, of_states, [0, 0, 0]))
print(last(tf.keras.layers.GRU(1, activation="linear"), of_inputs, of_states, [[0, 0, 0], [0, 0, 1]]))
print(last(tf.keras.layers.GRU(1, activation="linear", reset_after=False), of_inputs, of_states, [0, 0, 0]))
# With gates of 1 the functions of the gates differ: 0.7 where they are lines, and else 1 / (1 + 1 / e).
for module in tf1, tf:
    made = last(module.keras.layers.LSTM(1, activation="linear"), [[0, 0, 1, 1]], [[0, 0, 0, 0]], [0, 0, 0, 0])
    print(round(made[0][0], 5))
for module in tf1, tf:
    settings = module.keras.layers.GRU(1).get_config()
    print(settings["recurrent_activation"], settings["reset_after"], type(module.keras.layers.GRU(1)).__name__)
