# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.nn.rnn_cell and dynamic_rnn, optimisers and losses of tf.train and tf.losses, beside their formulas in NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
random = np.random.default_rng(2)
x = random.normal(size=(3, 5, 4)).astype(np.float32)
lengths = [5, 2, 4]
sigmoid = lambda v: 1 / (1 + np.exp(-v))


def lstm_step(x, state, kernel, bias, forget=1.0):
    c, h = state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ kernel + bias, 4, 1)
    c = c * sigmoid(f + forget) + sigmoid(i) * np.tanh(j)
    return np.tanh(c) * sigmoid(o), (c, np.tanh(c) * sigmoid(o))


def gru_step(x, h, kernel, bias, candidate, shift):
    r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ kernel + bias), 2, 1)
    h = u * h + (1 - u) * np.tanh(np.concatenate([x, r * h], 1) @ candidate + shift)
    return h, h


def run_on_ipu(function):
    """`function` of x as one program: what it gives, and the names and values of the variables that it trains."""
    with tf.Graph().as_default():
        with tf.device("cpu"):
            fed = tf.placeholder(tf.float32, x.shape)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            compiled = ipu.ipu_compiler.compile(function, [fed])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            trained = tf.trainable_variables()
            return session.run(compiled, {fed: x}), [each.name for each in trained], session.run(trained)


def network(fed):
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(6), tf.nn.rnn_cell.GRUCell(2)])
    outputs, state = tf.nn.dynamic_rnn(cell, fed, sequence_length=lengths, dtype=tf.float32)
    return outputs, state[0].c, state[1]


(outputs, c, last), names, weights = run_on_ipu(network)
print(names)
lstm, gru = (np.zeros((3, 6)), np.zeros((3, 6))), np.zeros((3, 2))
for t in range(5):
    h, next_lstm = lstm_step(x[:, t], lstm, *weights[:2])
    y, next_gru = gru_step(h, gru, *weights[2:])
    runs = np.array(lengths)[:, None] > t
    lstm = tuple(np.where(runs, new, old) for new, old in zip(next_lstm, lstm))
    gru = np.where(runs, next_gru, gru)
    np.testing.assert_allclose(outputs[:, t], np.where(runs, y, 0), rtol=1e-4, atol=1e-6)
np.testing.assert_allclose(c, lstm[0], rtol=1e-4, atol=1e-6)
np.testing.assert_allclose(last, gru, rtol=1e-4, atol=1e-6)

# A sequence in two parts, the second of which begins with the state after the first.
def parts(fed):
    steps, found = tf.transpose(fed, [1, 0, 2]), []
    for made in (ipu.rnn_ops.PopnnLSTM, ipu.rnn_ops.PopnnGRU):
        layer = made(3)
        first, state = layer(steps[:2])
        second, last = layer(steps[2:], initial_state=state)
        found += [*layer(steps), tf.concat([first, second], 0), last]
    return [each for value in found for each in (value if isinstance(value, tuple) else [value])]


found = run_on_ipu(parts)[0]
for whole, together in ((found[:3], found[3:6]), (found[6:8], found[8:])):
    assert np.abs(whole[0]).min() > 0 and len(whole) == len(together)
    for a, b in zip(whole, together):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


def ftrl(w, g, state, rate=0.5, l1=0.1, l2=0.2, shrinkage=0.05, power=0.5):
    n, z = state
    z = z + g + 2 * shrinkage * w - ((n + g * g) ** power - n ** power) / rate * w
    n = n + g * g
    return np.where(np.abs(z) <= l1, 0, (np.sign(z) * l1 - z) / (n ** power / rate + 2 * l2)), (n, z)


def ftrl_of_power(w, g, state):
    return ftrl(w, g, state, 0.5, 0.1, 0, 0, 0.7)


def adadelta(w, g, state, rate=2.0, rho=0.9, epsilon=1e-2):
    s, a = state
    s = rho * s + (1 - rho) * g * g
    d = np.sqrt(a + epsilon) / np.sqrt(s + epsilon) * g
    return w - rate * d, (s, rho * a + (1 - rho) * d * d)


target = np.array([0.02, -1.0, 2.0, 0.5])
for optimizer, rule, state in (
        (tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.1, l2_regularization_strength=0.2,
                                l2_shrinkage_regularization_strength=0.05), ftrl, (0.1, 0.0)),
        (tf.train.FtrlOptimizer(0.5, learning_rate_power=-0.7, l1_regularization_strength=0.1), ftrl_of_power, (0.1, 0.0)),
        (tf.train.FtrlOptimizer(0.5, -0.7, l1_regularization_strength=0.1), ftrl_of_power, (0.1, 0.0)),
        (tf.train.AdadeltaOptimizer(2.0, rho=0.9, epsilon=1e-2), adadelta, (0.0, 0.0))):
    with tf.Graph().as_default(), ipu.scopes.ipu_scope("/device:IPU:0"):
        w = tf.get_variable("w", initializer=tf.zeros([4]))
        loss = tf.losses.mean_squared_error(target.astype(np.float32), w)
        train = optimizer.minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            expected, state = np.zeros(4), tuple(np.full(4, s) for s in state)
            for _ in range(6):
                session.run(train)
                expected, state = rule(expected, (expected - target) / 2, state)
            found = session.run(w)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
            print(type(optimizer).__name__, int((found == 0).sum()), "of 4 are 0")

# 1 - the product of rows of length 1; weights of 0 count for nothing.
a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in random.normal(size=(2, 3, 4)).astype(np.float32))
with tf.Graph().as_default():
    distance = tf.losses.cosine_distance(a, b, axis=1, weights=np.float32([[1], [0], [2]]))
    w = tf.get_variable("w", initializer=tf.constant([4.0, 8.0]))
    average = tf.train.ExponentialMovingAverage(0.75)
    keep = average.apply([w])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        expected = ((1 - (a * b).sum(1)) * [1, 0, 2]).sum() / 2
        np.testing.assert_allclose(session.run(distance), expected, rtol=1e-5)
        session.run(w.assign([0.0, 4.0]))
        session.run(keep)
        print(session.run(average.average(w)).tolist(), average.average_name(w))
