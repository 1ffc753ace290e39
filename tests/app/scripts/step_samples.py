# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of which it is known, not known, or not the same throughout how many samples a step takes: argv[1]."""
import sys
import numpy as np

kind = sys.argv[1]
if kind == "session":
    import tensorflow.compat.v1 as tf
    from tensorflow.python import ipu
    tf.disable_v2_behavior()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    rows = tf.placeholder(tf.float32, [16, 4])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        doubled = ipu.ipu_compiler.compile(lambda x: x * 2.0, [rows])
    with tf.Session() as session:
        print(session.run(doubled, {rows: np.ones((16, 4))})[0].sum())
else:
    from tensorflow import keras
    from tensorflow.python import ipu
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    x, y = np.ones((64, 4), np.float32), np.zeros((64, 1), np.float32)
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
        model.compile(loss="mse", optimizer="sgd", steps_per_execution=2)
        model.evaluate(x, y, batch_size=8, verbose=0)
        model.fit(x, y, batch_size=16, verbose=0)
        if kind == "mixed":
            model.fit(x, y, batch_size=32, verbose=0)
        model.evaluate(x, y, batch_size=32, verbose=0)
    print("trained")
