# SPDX-License-Identifier: GPL-3.0-or-later
"""Under --num-instances 2: two workers, each with an IPU of its own, train one model."""
import json
import os

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": ["one:1", "two:1"]}, "task": {"type": "worker", "index": 0}})
cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
strategy = ipu.ipu_multi_worker_strategy.IPUMultiWorkerStrategy(cluster)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
X, T = np.array([[1.0, 2.0], [3.0, -1.0]], np.float32), np.array([[1.0], [2.0]], np.float32)
FIRST = np.array([[0.5], [-0.25]], np.float32)
own = slice(cluster.task_id, cluster.task_id + 1)
with strategy.scope():
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(2,))])
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.1))
    model.set_weights([FIRST])
    model.fit(X[own], T[own], batch_size=1, shuffle=False, verbose=0)
each = [2 * X[i:i + 1].T @ (X[i:i + 1] @ FIRST - T[i:i + 1]) for i in range(2)]
if cluster.task_id == 0:
    print(np.allclose(model.get_weights()[0], FIRST - 0.1 * sum(each) / 2, atol=1e-6), strategy.num_replicas_in_sync)
