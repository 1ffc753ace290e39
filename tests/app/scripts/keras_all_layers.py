# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers in layers, attention, and every other layer that workloads have: made, described again and called."""
import numpy as np
import tilescope_engine as engine
from tensorflow import keras
from tensorflow.python import ipu

layers = keras.layers
random = np.random.default_rng(3)
sigmoid = lambda x: 1 / (1 + np.exp(-x))


def predicted(model, *arrays, **known):
    again = keras.models.model_from_json(model.to_json(), **known)
    again.set_weights(model.get_weights())
    values = model.predict(list(arrays) if len(arrays) > 1 else arrays[0], batch_size=len(arrays[0]))
    assert np.array_equal(values, again.predict(list(arrays) if len(arrays) > 1 else arrays[0], batch_size=len(arrays[0])))
    return values


# A simple recurrence from both ends, against NumPy.
x = random.normal(size=(2, 4, 3)).astype(np.float32)
ends = keras.Input((4, 3))
model = keras.Model(ends, layers.Bidirectional(layers.SimpleRNN(5, return_sequences=True), merge_mode="sum")(ends))


def recurrence(x, w, u, b):
    h, states = np.zeros((len(x), u.shape[0])), []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ w + h @ u + b)
        states.append(h)
    return np.stack(states, 1)


w = model.get_weights()
both = recurrence(x, *w[:3]) + recurrence(x[:, ::-1], *w[3:])[:, ::-1]
print("bidirectional", np.allclose(predicted(model, x), both, atol=1e-5))

model = keras.Model(ends, layers.TimeDistributed(layers.Dense(2, activation="sigmoid"))(ends))
w = model.get_weights()
print("time distributed", np.allclose(predicted(model, x), sigmoid(x @ w[0] + w[1]), atol=1e-5))

# Two heads, against NumPy.
query, value = keras.Input((4, 3)), keras.Input((6, 3))
model = keras.Model([query, value], layers.MultiHeadAttention(num_heads=2, key_dim=5)(query, value))
v = random.normal(size=(2, 6, 3)).astype(np.float32)
wq, bq, wk, bk, wv, bv, wo, bo = model.get_weights()
q, k, u = (np.einsum("btc,chd->bthd", a, m) + b for a, m, b in ((x, wq, bq), (v, wk, bk), (v, wv, bv)))
scores = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(5)
scores = np.exp(scores - scores.max(-1, keepdims=True))
mixed = np.einsum("bhqk,bkhd->bqhd", scores / scores.sum(-1, keepdims=True), u)
print("attention", np.allclose(predicted(model, x, v), np.einsum("bqhd,hdc->bqc", mixed, wo) + bo, atol=1e-5))

# A class that traces layers of all kinds.
class Encoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.attention, self.both = layers.MultiHeadAttention(2, 4), layers.Bidirectional(layers.LSTM(3))

    def call(self, x):
        return self.both(x + self.attention(x, x))


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    print("traced", Encoder().predict(x, batch_size=2).shape)

image, volume, sequence = (4, 6, 4), (4, 4, 4, 4), (6, 4)
ONE = {"Resizing": (image, (8, 3)), "CenterCrop": (image, (2, 2)), "Normalization": (sequence, (-1, 1.0, 4.0)),
       "Conv1DTranspose": (sequence, (2, 3)), "Conv3DTranspose": (volume, (2, 2)), "DepthwiseConv1D": (sequence, (3,)),
       "SeparableConv1D": (sequence, (2, 3)), "GlobalAveragePooling3D": (volume, ()), "GlobalMaxPooling3D": (volume, ()),
       "ZeroPadding3D": (volume, ()), "UpSampling3D": (volume, ()), "Cropping3D": (volume, ()), "SpatialDropout3D": (volume, (0.5,)),
       "AlphaDropout": (sequence, (0.5,)), "ActivityRegularization": (sequence, (0.1,)), "ThresholdedReLU": (sequence, ()),
       "Identity": (sequence, ()), "UnitNormalization": (sequence, ()), "RMSNormalization": (sequence, ()),
       "GroupNormalization": (image, (2,)), "EinsumDense": (sequence, ("abc,cd->abd", (None, 5)))}
for kind, (shape, settings) in ONE.items():
    end = keras.Input(shape)
    model = keras.Model(end, layers.Activation("tanh")(getattr(layers, kind)(*settings)(end)))
    predicted(model, random.normal(size=(2, *shape)).astype(np.float32))
for kind in ("Attention", "AdditiveAttention"):
    predicted(keras.Model([query, value], getattr(layers, kind)()([query, value])), x, v)
from ipu_tensorflow_addons.keras import layers as addons
for kind in ("GroupNormalization", "InstanceNormalization"):
    end = keras.Input(image)
    predicted(keras.Model(end, getattr(addons, kind)()(end)), random.normal(size=(2, *image)).astype(np.float32),
              custom_objects={kind: getattr(addons, kind)})
there = set(dir(layers)) | set(dir(addons))
later = {"ReversibleEmbedding"}  # of newer versions of Keras than scripts for IPUs have: they read layer.embeddings
print("not there", sorted(set(engine.layer_names()) - there - later))

# Metrics by their formulas.
truth, given = np.array([[0.0, 1.0], [1.0, 1.0]], np.float32), np.array([[0.3, 0.8], [0.6, 0.4]], np.float32)
unit = lambda a: a / np.linalg.norm(a, axis=-1, keepdims=True)
wanted = {"MeanSquaredLogarithmicError": ((np.log1p(given) - np.log1p(truth)) ** 2).mean(),
          "Poisson": (given - truth * np.log(given)).mean(), "Hinge": np.maximum(1 - (2 * truth - 1) * given, 0).mean(),
          "CosineSimilarity": (unit(truth) * unit(given)).sum(-1).mean(), "LogCoshError": np.log(np.cosh(given - truth)).mean(),
          "CategoricalHinge": np.maximum(0, ((1 - truth) * given).max(-1) - (truth * given).sum(-1) + 1).mean()}
for kind, value in wanted.items():
    metric = getattr(keras.metrics, kind)()
    metric.update_state(truth, given)
    assert np.isclose(float(metric.result()), value, atol=1e-5), kind
print("metrics", len(wanted))
