# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loss compares where labels have an extent more or less than outputs, as Keras 2.6 has it: labels of one number each
are columns, and a last extent of 1 that the other side has not is left out. Beside NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

random = np.random.default_rng(4)
X = random.normal(size=(16, 5, 3)).astype(np.float32)
W, V = random.normal(size=(3, 4)).astype(np.float32), random.normal(size=(4, 1)).astype(np.float32)
RATE = 0.1


def trained(labels, loss, stages=None, metrics=None, x=X):
    """(loss of the one step, the last kernel after it, accuracy) of two layers without biases."""
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 2 if stages else 1
    config.configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.layers.Dense(4, use_bias=False), keras.layers.Dense(1, use_bias=False)])
        model.build((None,) + x.shape[1:])
        model.set_weights([W, V])
        if stages:
            model.set_pipeline_stage_assignment(stages)
            model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, gradient_accumulation_reduction_method="mean")
        model.compile(keras.optimizers.SGD(RATE), loss, metrics=metrics, steps_per_execution=4 if stages else tf.constant(1))
        batch = len(x) // 4 if stages else len(x)
        history = model.fit(x, labels, batch_size=batch, shuffle=False, verbose=0).history
        return history["loss"][0], model.get_weights()[1], history.get("accuracy", [None])[0]


def kernel_after(of_outputs):
    """The last kernel after a step, of the gradient by the outputs [batch, 5]."""
    return V - RATE * np.einsum("btk,bt->k", X @ W, of_outputs)[:, None]


H = (X @ W @ V)[..., 0]
T = random.normal(size=(16, 5)).astype(np.float32)
for stages in (None, [0, 1]):
    loss, kernel, _ = trained(T, "mse", stages)
    np.testing.assert_allclose(loss, ((H - T) ** 2).mean(), rtol=1e-5)
    np.testing.assert_allclose(kernel, kernel_after(2 * (H - T) / T.size), rtol=1e-4, atol=1e-6)

# A class for each sample, and as many scores as there are steps: their shares, cut off as Keras cuts them off.
classes = random.integers(0, 5, size=16)
shares = np.exp(H) / np.exp(H).sum(1, keepdims=True)
for stages in (None, [0, 1]):
    loss, kernel, accuracy = trained(classes.astype(np.int32), keras.losses.SparseCategoricalCrossentropy(from_logits=True), stages,
                                     ["accuracy"])
    np.testing.assert_allclose(loss, -np.log(shares[np.arange(16), classes]).mean(), rtol=1e-5)
    np.testing.assert_allclose(kernel, kernel_after((shares - np.eye(5)[classes]) / 16), rtol=1e-4, atol=1e-6)
    # The output's last extent is 1, so that it is binary: each of the five, above 0.5, is compared with the class.
    np.testing.assert_allclose(accuracy, ((H > 0.5) == classes[:, None]).mean(), rtol=1e-5)

# The script's own loss gets a column, not 16 numbers that would be taken away from each of 16 outputs.
flat = X[:, 0]
loss, kernel, _ = trained(T[:, 0], lambda y, p: tf.reduce_mean(tf.square(y - p), axis=-1), x=flat)
own = (flat @ W @ V)[:, 0] - T[:, 0]
np.testing.assert_allclose(loss, (own ** 2).mean(), rtol=1e-5)
np.testing.assert_allclose(kernel, V - RATE * ((flat @ W).T @ (2 * own / 16))[:, None], rtol=1e-4, atol=1e-6)
print("compared")
