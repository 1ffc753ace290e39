# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimisers of IPU TensorFlow's add-ons, against NumPy; what they cannot do is refused."""
import numpy as np
import tensorflow as tf
from ipu_tensorflow_addons.keras.optimizers import AdamIpuOptimizer, LAMBIpuOptimizer, SGDIpuOptimizer
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)
y = np.random.default_rng(1).normal(size=(16, 2)).astype(np.float32)
first = np.random.default_rng(2).normal(size=(3, 2)).astype(np.float32)


def norm(a):
    return np.sqrt((a ** 2).sum())


def adam(epsilon, decay=0.0, lamb=False):
    def step(w, g, state, t):
        m, v = state.setdefault("m", 0), state.setdefault("v", 0)
        state["m"], state["v"] = m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g ** 2
        d = (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + epsilon) + decay * w
        return w - 0.1 * (norm(w) / norm(d) if lamb else 1) * d
    return step


def momentum(w, g, state, t):
    state["m"] = 0.9 * state.get("m", 0) - 0.1 * g
    return w + state["m"]


def by_hand(step):
    w, state = first.astype(np.float64), {}
    for t in range(1, 5):
        w = step(w, x.T @ (2 * (x @ w - y) / y.size), state, t)
    return w


for optimizer, step in ((AdamIpuOptimizer(0.1, epsilon=0.5), adam(0.5)),
                        (AdamIpuOptimizer(0.1, m_dtype=tf.float32, optimizer_compute_precisions=[tf.float32]), adam(1e-7)),
                        (LAMBIpuOptimizer(0.1, weight_decay_rate=0.2), adam(1e-6, 0.2, True)),
                        (SGDIpuOptimizer(0.1, momentum=0.9), momentum)):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(3,))])
        model.set_weights([first])
        model.compile(optimizer, "mse")
        model.fit(x, y, batch_size=16, epochs=4, verbose=0)
    print(type(optimizer).__name__, np.allclose(model.get_weights()[0], by_hand(step), atol=1e-5))
for make in (lambda: AdamIpuOptimizer(m_dtype=tf.float16), lambda: AdamIpuOptimizer(debiasing=False),
             lambda: LAMBIpuOptimizer(exclude_from_weight_decay=["bias"])):
    try:
        model.compile(make(), "mse")
        model.fit(x, y, batch_size=16, verbose=0)
    except AttributeError as error:
        print(error)
