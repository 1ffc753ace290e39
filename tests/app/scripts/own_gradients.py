# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients outside of traced functions, and those that scripts give themselves."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

# d sum(x^3) / dx = 3 x^2, through what NumPy moves; the square of its length again by x: 36 x^3.
x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(tf.reshape(tf.stack([x, x])[1], [3, 1]) ** 3)
print(tape.gradient(y, x).numpy().tolist(), float(y))
v = tf.Variable([2.0, 3.0])
unused = tf.Variable([1.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = tf.reduce_sum(v ** 3)
    g = inner.gradient(y, v)
    s = tf.reduce_sum(g * g)
print([each if each is None else each.numpy().tolist() for each in outer.gradient(s, [v, unused])])


@tf.custom_gradient
def held(a):
    """a, whose gradient is held between -0.5 and 0.5."""
    return tf.identity(a), lambda dy: tf.clip_by_value(dy, -0.5, 0.5)


with tf.GradientTape() as tape:
    y = tf.reduce_sum(held(v * 2.0) * 3.0 + v)  # 2 x 0.5 + 1
print(tape.gradient(y, v).numpy().tolist(), y.numpy())

# Five updates of a model on the host, beside NumPy's: softmax(tanh(X A + a) B + b), plain descent.
random = np.random.default_rng(1)
samples, classes = random.normal(size=(8, 4)).astype(np.float32), np.array([0, 1] * 4)
model = keras.Sequential([keras.layers.Dense(3, activation="tanh", input_shape=(4,)), keras.layers.Dense(2)])
first = [random.normal(size=w.shape).astype(np.float32) for w in model.get_weights()]
model.set_weights(first)
optimizer = keras.optimizers.SGD(0.2)
loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
accuracy = keras.metrics.SparseCategoricalAccuracy()
A, a, B, b = [w.astype(np.float64) for w in first]
for step in range(5):
    with tf.GradientTape() as tape:
        logits = model(samples, training=True)
        loss = loss_of(classes, logits) + 0.01 * tf.nn.l2_loss(model.trainable_variables[0])
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    accuracy.update_state(classes, logits)
    h = np.tanh(samples @ A + a)
    z = h @ B + b
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    expected = -np.log(p[np.arange(8), classes]).mean() + 0.005 * (A * A).sum()
    np.testing.assert_allclose(float(loss), expected, rtol=1e-5)
    d = (p - np.eye(2)[classes]) / 8
    e = d @ B.T * (1 - h * h)
    A, a, B, b = A - 0.2 * (samples.T @ e + 0.01 * A), a - 0.2 * e.sum(0), B - 0.2 * h.T @ d, b - 0.2 * d.sum(0)
for found, expected in zip(model.get_weights(), (A, a, B, b)):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
print("trained", bool(0 < accuracy.result() < 1))

# In a program: a layer whose gradient is tripled moves the kernel before it three times as far.
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
tripled = tf.custom_gradient(lambda x: (x, lambda dy: dy * 3.0))
moved = []
with ipu.ipu_strategy.IPUStrategy().scope():
    for function in (tf.identity, tripled):
        ends = keras.Input((4,))
        inside = keras.layers.Dense(3, kernel_initializer="ones")(ends)
        model = keras.Model(ends, keras.layers.Dense(1, kernel_initializer="ones")(keras.layers.Lambda(function)(inside)))
        model.compile("sgd", "mse")
        model.fit(np.ones((4, 4), np.float32), np.zeros((4, 1), np.float32), batch_size=4, verbose=0)
        moved.append(model.get_weights()[0] - 1)
print(np.round(moved[1] / moved[0], 4).ravel().tolist()[:2])


# f(x) = x^3 whose gradient is said to be 7: of f(f(w x)) by w it is 7 x 7 x.
@tf.custom_gradient
def cubed(x):
    return x * x * x, lambda dy: dy * 7.0


graph_ = tf.Graph()
with graph_.as_default():
    placeholder = tf.compat.v1.placeholder(tf.float32, [3])

    def step(x):
        w = tf.compat.v1.get_variable("w", [3], initializer=tf.compat.v1.constant_initializer(2.0), use_resource=True)
        loss = tf.reduce_sum(cubed(cubed(w * x)))
        update = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        return loss, tf.gradients(loss, [w])[0], update

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        compiled = ipu.ipu_compiler.compile(step, [placeholder])
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        loss, gradient = session.run(compiled, {placeholder: [1.0, 2.0, 3.0]})
        print(loss, gradient.tolist(), [[round(float(n), 4) for n in w] for w in session.run(tf.compat.v1.trainable_variables())])
