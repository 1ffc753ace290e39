# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers in brackets that lie outside: TensorFlow's errors, at once and in a program."""
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
x = tf.reshape(tf.range(6.0), [2, 3])
for taken in (lambda x: x[5], lambda x: x[..., 3], lambda x: x[0, -4], lambda x: x[:, None, 7], lambda x: x[0, 0, 0], lambda x: x[None, ..., None, 1],
              lambda x: x[-1, tf.constant(2)]):
    for run in (lambda: taken(x), lambda: strategy.run(tf.function(taken), [x])):
        try:
            print(run().numpy().tolist())
        except (tf.errors.InvalidArgumentError, ValueError) as error:
            print(type(error).__name__, error)
