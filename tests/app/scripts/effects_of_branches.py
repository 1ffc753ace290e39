# SPDX-License-Identifier: GPL-3.0-or-later
"""What branches of an `if` on a tensor change by functions that they call: both are computed."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


def on_device(function, given):
    return strategy.run(tf.function(function), [tf.constant(given)])


class Notes:
    def __init__(self):
        self.log, self.by, self.count, self.last = [], {"all": []}, 0, None

    def logged(self, x):
        if x > 0:
            self.log.append(x)
            y = x * 2.0
        else:
            y = x
        return y

    def noted(self, x):
        self.by["all"].append(1)
        return x

    def counting(self, x):
        self.count += 1
        return x

    def keeping(self, x):
        self.last = x * 2.0
        return x

    def of_own(self, x):
        return self.noted(x) if x > 0 else x


class Layer(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.steps, self.scale, self.is_made = [], 3.0, False

    def call(self, x):
        self.is_made = True
        return x * self.scale


class Noting(Layer):
    def call(self, x):
        self.steps.append(len(self.steps))
        return x


notes, layer, noting = [Notes()], Layer(), Noting()


def elsewhere(x):
    if x > 0:
        x = notes[0].noted(x) * 2.0
    return x


def counts(x):
    if x > 0:
        x = notes[0].counting(x)
    return x


def keeps(x):
    if x > 0:
        x = notes[0].keeping(x)
    return x


def by_layer(x):
    if x > 0:
        x = noting(x)
    return x


def in_layer(x):
    """A layer that is made where it is first called."""
    if x > 0:
        x = layer(x[None])[0]
    return x


for wrong in (notes[0].logged, notes[0].of_own, elsewhere, counts, keeps, by_layer):
    try:
        print(wrong.__name__, on_device(wrong, np.float32(1.0)))
    except Exception as error:
        print(wrong.__name__, type(error).__name__, str(error).split(";", maxsplit=1)[0])
print(float(on_device(in_layer, np.float32(2.0))), float(on_device(in_layer, np.float32(-2.0))))
