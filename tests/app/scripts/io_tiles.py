# SPDX-License-Identifier: GPL-3.0-or-later
"""Training whose exchange with the host has tiles of its own, beside training without."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(64, 6)).astype(np.float32)
Y = (X[:, :1] * X[:, 1:2] + 2).astype(np.float32)
FIRST = RANDOM.normal(size=(6, 1)).astype(np.float32)


def configure(tiles, placed=True, group=1):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = group
    config.io_tiles.num_io_tiles = tiles
    config.io_tiles.place_ops_on_io_tiles = placed
    config.norms.experimental.distributed_batch_norm_replica_group_size = group
    config.configure_ipu_system()


class Own(keras.Model):
    """The same model in Python."""

    def __init__(self, dense):
        super().__init__()
        self.dense = dense

    def call(self, x):
        return self.dense(x) * 1.0


def trained(tiles, own=False, depth=2):
    configure(tiles, tiles > 0)
    with ipu.ipu_strategy.IPUStrategy().scope():
        dense = keras.layers.Dense(1, use_bias=False, input_shape=(6,))
        model = Own(dense) if own else keras.Sequential([dense])
        model.build((None, 6))
        model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.1), steps_per_execution=8)
        model.set_infeed_queue_options(prefetch_depth=depth)
        dense.set_weights([FIRST])
        model.fit(X, Y, batch_size=8, shuffle=False, epochs=3, verbose=0)
        return dense.get_weights()[0]


without = trained(0)
print("with I/O tiles:", np.array_equal(trained(32), without))
print("in Python:", np.array_equal(trained(31, True), without))
for attempt in (lambda: configure(193), lambda: configure(0), lambda: configure(2, True, 2), lambda: trained(2, False, 256)):
    try:
        attempt()
    except ValueError as error:
        print(error)
