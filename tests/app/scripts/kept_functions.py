# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that tf.autograph.experimental.do_not_convert keeps as they are, with what they call."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


class Kept:
    def method(self, x):
        return x if x > 0 else -x


def shortest(x):
    return tf.autograph.experimental.do_not_convert(len)([1, 2]) * (x if x > 0 else -x)


def calls_kept(x):
    return tf.autograph.experimental.do_not_convert(lambda y: through(y))(x)


@tf.function
def through(x):
    return x if x > 0 else -x


for function in (shortest, Kept().method, calls_kept, tf.autograph.experimental.do_not_convert(Kept().method),
                 tf.autograph.experimental.do_not_convert(tf.function(Kept().method)), shortest):
    try:
        run = function if hasattr(function, "python_function") else tf.function(function)
        print(float(strategy.run(run, [np.float32(-3.0)])))
    except Exception as error:
        print(type(error).__name__, str(error).split(" is ", maxsplit=1)[0])
