# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that have layers in common have their weights in common, whichever was made, trained or loaded first. Weights by hand:
with kernels of ones and the mean square error by 0, each step of SGD(0.01) takes 0.02 y dy/dw from w."""
import numpy as np
from tensorflow import keras

X, ZEROS = np.ones((16, 2), np.float32), np.zeros((16, 1), np.float32)


def net(units, name):
    return keras.Sequential([keras.layers.Dense(units, input_shape=(2,), kernel_initializer="ones", name=name)])


def trained(model):
    model.compile("sgd", "mse")
    model.fit(X, ZEROS, batch_size=16, verbose=0)
    return model


class Around(keras.Model):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def call(self, x):
        return self.inner(x)


# y = 6; the kernel becomes 3 - 0.02 x 6, the bias -0.02 x 6.
for number, around in enumerate((lambda inner: keras.Sequential([keras.Input((2,)), inner]), Around)):
    inner = net(1, f"inner_{number}")
    inner.set_weights([np.full((2, 1), 3.0), np.zeros(1)])
    outer = around(inner)
    trained(outer)
    print([round(float(each.ravel()[0]), 4) for each in inner.get_weights()],
          np.array_equal(inner.predict(X), outer.predict(X)))
    inner.set_weights([np.full((2, 1), 1.0), np.zeros(1)])
    print(float(outer.predict(X)[0, 0]))

# Two models of the same layers, of which one is trained.
x = keras.Input((2,))
hidden = keras.layers.Dense(3, name="hidden")(x)
encoder, whole = keras.Model(x, hidden), keras.Model(x, keras.layers.Dense(1, name="last")(hidden))
before = encoder.predict(X)
trained(whole)
kernel, bias = whole.get_layer("last").get_weights()
print(np.allclose(encoder.predict(X), before), np.allclose(encoder.predict(X) @ kernel + bias, whole.predict(X), atol=1e-6))

# What is trained is what was to be when compile() was called: a discriminator that a generator is trained against.
# y = 2: 1 - 0.04 and -0.04; then y = 0.96 x 4 - 0.04 = 3.8: 1 - 0.02 x 3.8 x 0.96.
judge, maker = net(1, "judge"), net(2, "maker")
judge.compile("sgd", "mse")
judge.trainable = False
both = keras.Sequential([maker, judge])
both.compile("sgd", "mse")
print(len(both.trainable_variables), judge.layers[0].trainable)
judge.train_on_batch(X, ZEROS)
both.train_on_batch(X, ZEROS)
print([round(float(model.get_weights()[0].ravel()[0]), 5) for model in (judge, maker)])
# What is saved has the weights of models within.
saved, loaded = Around(net(1, "within")), Around(net(1, "within"))
values = saved.predict(X)
loaded.predict(X)
loaded.set_weights([w + 1 for w in loaded.get_weights()])
saved.save_weights("saved.h5")
changed = not np.array_equal(loaded.predict(X), values)
loaded.load_weights("saved.h5")
print(changed, np.array_equal(loaded.predict(X), values))
keras.Sequential([net(2, "same"), net(1, "same")]).predict(X)
Pair = type("Pair", (keras.Model,), {"call": lambda self, x: self.b(self.a(x))})
pair = Pair()
pair.a, pair.b = net(2, "same"), net(1, "same")
print(np.array_equal(pair.predict(X), pair.b.predict(pair.a.predict(X))))
