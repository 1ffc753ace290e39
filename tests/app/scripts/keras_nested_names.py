# SPDX-License-Identifier: GPL-3.0-or-later
"""The names and element types of layers within layers, as Keras 2.6 has them."""
import numpy as np
import tensorflow as tf
from tensorflow import keras


class Block(keras.layers.Layer):
    def __init__(self, units, **kw):
        super().__init__(**kw)
        self.dense = keras.layers.Dense(units)
        self.norm = keras.layers.LayerNormalization(name="norm")

    def build(self, shape):
        self.scale = self.add_weight("scale", shape=[1])

    def call(self, x):
        return self.norm(self.dense(x)) * self.scale


class Outer(keras.layers.Layer):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.block = Block(3)
        self.other = Block(3, name="other")

    def call(self, x):
        return self.other(self.block(x))


class My(keras.Model):
    def __init__(self):
        super().__init__()
        self.block = Block(2)
        self.out = keras.layers.Dense(1, name="out")
        self.seq = keras.Sequential([keras.layers.Dense(2)])

    def call(self, x):
        return self.out(self.seq(self.block(x)))


i = keras.Input((4,))
m = keras.Model(i, keras.layers.Dense(2)(Outer()(Block(3)(i))))
print([w.name for w in m.weights], [v.name for v in m.layers[1].trainable_variables] == [w.name for w in m.weights[:5]])
my = My()
my(tf.zeros([2, 4]))
print([w.name for w in my.weights])
s = keras.Sequential([Block(2), keras.layers.Dense(3)])
s(tf.zeros([2, 4]))
print([w.name for w in s.weights])
m.save_weights("nested.h5")
kept = m.get_weights()
m.set_weights([each + 7 for each in kept])
m.load_weights("nested.h5")
print([bool(np.array_equal(*each)) for each in zip(m.get_weights(), kept)].count(True), len(kept), len(m.layers[2].get_weights()))
mixed = keras.layers.Dense(2, dtype="mixed_float16")
print(m.dtype, my.dtype, m.layers[1].dtype, m.layers[1].dense.dtype, m.layers[0].dtype, keras.layers.Dense(2, dtype="float16").dtype,
      mixed.dtype, mixed.compute_dtype, mixed.get_config()["dtype"])
half = Block(2, dtype="float16")
half.build((1, 2))
print(half.scale.dtype.name)


class Scaled(keras.layers.Layer):
    """Computes in float16 where its policy is mixed, of a weight that is updated in float32."""

    def build(self, shape):
        self.w = self.add_weight("w", shape=[3], initializer=keras.initializers.Constant(0.1))

    def call(self, x):
        self.seen = (x.dtype.name, self.w.dtype.name)
        self.w.assign_add([2.0**-12] * 3)
        return x * self.w


for policy in ("mixed_float16", "float32", "float16"):
    scaled, x = Scaled(dtype=policy), np.float32([1.0001, 2.0, 3.3])
    y = scaled(tf.constant(x))
    small, kept = (np.float16 if "16" in policy else np.float32), (np.float16 if policy == "float16" else np.float32)
    w = kept(kept(0.1) + kept(2.0**-12))
    print(scaled.seen, scaled.w.dtype.name, y.dtype.name, np.array_equal(scaled.w.numpy(), np.full(3, w)), np.array_equal(y.numpy(), x.astype(small) * small(w)))
with tf.Graph().as_default():
    tf.compat.v1.disable_v2_behavior()
    layer = keras.layers.Dense(2)
    before = layer.dtype
    layer(tf.zeros([1, 2], tf.float16))
    print(before, layer.dtype)
