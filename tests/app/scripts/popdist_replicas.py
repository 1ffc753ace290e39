# SPDX-License-Identifier: GPL-3.0-or-later
"""What poprun's scripts ask, under --num-replicas 2, and one update by the mean of the replicas against NumPy."""
import numpy as np
import popdist
import popdist.tensorflow
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.ipu.distributed.popdist_strategy import PopDistStrategy

print(popdist.isPopdistEnvSet(), popdist.getNumInstances(), popdist.getInstanceIndex(), popdist.getNumTotalReplicas())
config = ipu.config.IPUConfig()
popdist.tensorflow.set_ipu_config(config, ipus_per_replica=1, configure_device=True)
X, T = np.array([[1.0, 2.0], [3.0, -1.0]], np.float32), np.array([[1.0], [2.0]], np.float32)
FIRST = np.array([[0.5], [-0.25]], np.float32)
strategy = PopDistStrategy()
with strategy.scope():
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(2,))])
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.1), steps_per_execution=1)
    model.set_weights([FIRST])
    model.fit(X, T, batch_size=1, shuffle=False, verbose=0)
each = [2 * X[i:i + 1].T @ (X[i:i + 1] @ FIRST - T[i:i + 1]) for i in range(2)]
print(np.allclose(model.get_weights()[0], FIRST - 0.1 * sum(each) / 2, atol=1e-6), strategy.num_replicas_in_sync)
