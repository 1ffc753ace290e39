# SPDX-License-Identifier: GPL-3.0-or-later
# Constraints that are functions and classes of the script's own, of layers, of weights and of variables, against NumPy.
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
x = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)
y = np.random.default_rng(1).normal(size=(16, 2)).astype(np.float32) * 4
first = np.random.default_rng(2).normal(size=(3, 2)).astype(np.float32)


class Clip(keras.constraints.Constraint):
    def __init__(self, most):
        self.most = most

    def __call__(self, w):
        return keras.backend.clip(w, -self.most, self.most)

    def get_config(self):
        return {"most": self.most}


def by_hand(rule, steps=3):
    w = first.astype(np.float64)
    for _ in range(steps):
        w = rule(w - 0.1 * x.T @ (2 * (x @ w - y) / y.size))
    return w


def start(shape, dtype=None):
    return tf.constant(first)


class Own(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight("w", [3, 2], initializer=start, constraint=lambda w: w * 0.5)

    def call(self, inputs):
        return tf.matmul(inputs, self.w)


def fitted(layer, steps=1):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.Input((3,)), layer])
        model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=steps)
        history = model.fit(np.tile(x, [3, 1]) if steps > 1 else x, np.tile(y, [3, 1]) if steps > 1 else y, batch_size=16,
                            epochs=1 if steps > 1 else 3, verbose=0, shuffle=False)
    return model.get_weights()[0], history.history["loss"]


def dense(constraint):
    return keras.layers.Dense(2, use_bias=False, kernel_initializer=start, kernel_constraint=constraint)


clipped = by_hand(lambda w: np.clip(w, -0.3, 0.3))
print(np.allclose(fitted(dense(Clip(0.3)))[0], clipped, atol=1e-5), np.allclose(fitted(dense(Clip(0.3)), 3)[0], clipped, atol=1e-5),
      np.allclose(fitted(dense(lambda w: w * 0.5))[0], by_hand(lambda w: w * 0.5), atol=1e-5),
      np.allclose(fitted(Own())[0], by_hand(lambda w: w * 0.5), atol=1e-5))
after = by_hand(lambda w: np.clip(w, -0.3, 0.3), 1)
print(np.allclose(fitted(dense(Clip(0.3)))[1][:2], [((x @ w - y) ** 2).mean() for w in (first, after)], rtol=1e-5))
copied = keras.models.clone_model(keras.Sequential([keras.Input((3,)), dense(Clip(0.3))]))
copied.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
copied.fit(x, y, batch_size=8, verbose=0)
print(abs(copied.get_weights()[0]).max() <= 0.3, copied.evaluate(x, y, batch_size=16, verbose=0)[0] > 0)

# With a bias and a second layer whose constraint is Keras' own, and an update of the host.
both = keras.Sequential([keras.layers.Dense(4, kernel_constraint=Clip(0.1), bias_constraint=lambda b: b * 0.0, input_shape=(3,)),
                         keras.layers.Dense(2, kernel_constraint="non_neg")])
both.compile("rmsprop", "mse")
both.fit(x, y, batch_size=8, epochs=2, verbose=0)
weights = both.get_weights()
print(abs(weights[0]).max() <= 0.10001, not weights[1].any(), weights[2].min() >= 0, weights[3].any())
variable = tf.Variable(first, constraint=Clip(0.3))
optimizer = keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ variable - y) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
print(np.allclose(variable, clipped, atol=1e-5))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(both(x) ** 2)
optimizer.apply_gradients(zip(tape.gradient(loss, both.trainable_variables), both.trainable_variables))
print(abs(both.get_weights()[0]).max() <= 0.10001, not both.get_weights()[1].any())

with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.Input((3,)), dense(Clip(0.3))])
    model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=2)
    model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=2)
    try:
        model.fit(x, y, batch_size=8, verbose=0)
    except AttributeError as error:
        print(error)
# Of layers within wrappers, models and layers of the script's own: in fit() and in a loop of the script's own.
layers, steps = keras.layers, np.ones((4, 2, 3), np.float32)
settings = {"kernel_initializer": lambda shape, dtype=None: tf.fill(shape, 7.0), "kernel_constraint": lambda w: w * 0.0 + 5.0,
            "kernel_regularizer": "l2"}


class Block(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__()
        self.inner = layers.Dense(2, **kwargs)

    def call(self, inputs):
        return self.inner(inputs)


def attending():
    begin = keras.Input((2, 3))
    return keras.Model(begin, layers.MultiHeadAttention(2, 3, **settings)(begin, begin))


def wrapping(*parts, shape=(2, 3)):
    return lambda: keras.Sequential([keras.Input(shape), *(part() for part in parts)])


def inner():
    return keras.Sequential([keras.Input((3,)), layers.Dense(2, **settings)])


def passing():
    return layers.Lambda(lambda values: values)


for make in (wrapping(lambda: layers.TimeDistributed(layers.Dense(2, **settings))), wrapping(lambda: layers.Bidirectional(layers.LSTM(2, **settings))),
             wrapping(lambda: layers.RNN(layers.LSTMCell(2, **settings))), attending, wrapping(inner, shape=(3,)),
             wrapping(inner, passing, shape=(3,)), wrapping(lambda: Block(**settings), shape=(3,)),
             wrapping(lambda: layers.TimeDistributed(inner()))):
    model = make()
    kernels = [each for each in model.weights if each.key.endswith("/kernel")]
    told = all((each.numpy() == 7).all() for each in kernels), np.isclose(sum(model.losses), sum(each.size * 0.49 for each in kernels))
    given = steps if len(model.input_shape) == 3 else steps[:, 0]
    model.compile("sgd", "mse")
    model.fit(given, np.zeros_like(model.predict(given, batch_size=4)), batch_size=4, verbose=0)
    fitted_ = all((each.numpy() == 5).all() for each in kernels)
    model = make()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(given))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    print(*told, fitted_, all((each.numpy() == 5).all() for each in model.weights if each.key.endswith("/kernel")), end="; ")
print(len(kernels))


# In configurations, files and copies.
def halved(w):
    return w * 0.5


saved = keras.Sequential([keras.Input((2, 3)), layers.TimeDistributed(layers.Dense(2, kernel_constraint=Clip(0.1))),
                          layers.LSTM(2, recurrent_constraint=halved)])
saved.save("saved.h5")
loaded = keras.models.load_model("saved.h5", custom_objects={"Clip": Clip, "halved": halved})
for model in (loaded, keras.models.clone_model(saved), keras.models.model_from_json(saved.to_json(), {"Clip": Clip, "halved": halved})):
    before = model.get_weights()[3]
    model.compile(keras.optimizers.SGD(0.0), "mse")
    model.fit(steps, np.zeros((4, 2), np.float32), batch_size=4, verbose=0)
    print(abs(model.get_weights()[0]).max() <= 0.10001, np.allclose(model.get_weights()[3], before / 2), end=" ")
print(layers.Dense(2, kernel_constraint=Clip(0.1)).get_config()["kernel_constraint"])
try:
    keras.models.load_model("saved.h5")
except Exception as error:
    print(str(error).partition(": ")[2])
model = keras.Sequential([keras.Input((3,)), layers.Dense(2, kernel_constraint="non_neg")])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(np.ones((1, 3), np.float32))) * 100.0
optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
print(abs(model.get_weights()[0]).max(), model.get_weights()[1].tolist())
try:
    layers.TimeDistributed(layers.Dense(2, activation=lambda values: values * values))
except AttributeError as error:
    print(error)

tf1.disable_v2_behavior()
w = tf1.get_variable("w", initializer=first, constraint=lambda w: tf.clip_by_value(w, -0.3, 0.3), use_resource=True)
step = tf1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean((x @ w - y) ** 2))
with tf1.Session() as session:
    session.run(tf1.global_variables_initializer())
    for _ in range(3):
        session.run(step)
    print(np.allclose(session.run(w), clipped, atol=1e-5))
