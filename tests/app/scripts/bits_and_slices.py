# SPDX-License-Identifier: GPL-3.0-or-later
"""Bits and matrices of whole numbers on the host and on the device, slices of sequences, histograms, and recurrent layers of sequences of
several lengths. Against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu
from tensorflow.python.ipu import slicing_ops, statistics_ops

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
random = np.random.RandomState(0)


def both(function, *given):
    """What it gives on the host and on the device, as one list of arrays."""
    def on_device():
        with strategy.scope():
            return strategy.run(tf.function(function), list(given))
    return [[np.asarray(each) for each in tf.nest.flatten(made)] for made in (function(*given), on_device())]


a, b = random.randint(-2**31, 2**31 - 1, (2, 3), np.int32), random.randint(-2**31, 2**31 - 1, (3,), np.int32)
places = np.int32([[0, 1, 31], [40, -3, 5]])
wanted = [a & b, a | b, a ^ b, ~a, a << np.clip(places, 0, 31), a >> np.clip(places, 0, 31), a & b, a | 5, ~(a ^ b)]
for made in both(lambda a, b: (tf.bitwise.bitwise_and(a, b), tf.bitwise.bitwise_or(a, b), tf.bitwise.bitwise_xor(a, b), tf.bitwise.invert(a),
                               tf.bitwise.left_shift(a, places), tf.bitwise.right_shift(a, places), a & b, a | 5, ~(a ^ b)),
                 tf.constant(a), tf.constant(b)):
    print([np.array_equal(x, y) and x.dtype == np.int32 for x, y in zip(made, wanted)].count(True))
print(tf.bitwise.invert(np.uint8([0, 200])).numpy(), tf.bitwise.right_shift(np.uint64([2**63]), np.uint64([60])).numpy(),
      tf.bitwise.bitwise_xor(np.int64([2**40]), np.int64([1])).numpy(), (tf.constant([True, False]) ^ True).numpy(), (True & tf.constant(True)).numpy())
try:
    tf.bitwise.bitwise_and(1.0, 2.0)
except TypeError as error:
    print(str(error).split(":")[0])

m, n = random.randint(-50, 50, (2, 3, 4), np.int32), random.randint(-50, 50, (2, 4, 5), np.int32)
for made in both(lambda m, n: (tf.matmul(m, n), tf.matmul(n, m, transpose_a=True, transpose_b=True), tf.tensordot(m[0], n[0], 1), m[0] @ n[1],
                               tf.einsum("bij,bjk->bik", m, n)), tf.constant(m), tf.constant(n)):
    print([np.array_equal(x, y) for x, y in zip(made, [m @ n, n.swapaxes(1, 2) @ m.swapaxes(1, 2), m[0] @ n[0], m[0] @ n[1], m @ n])])

rows = np.repeat(np.arange(6, dtype=np.float32)[:, None], 2, 1)
for made in both(lambda rows: (
        slicing_ops.sequence_slice(tf.zeros([6, 2]), rows, [2, 2], [2, 1], [0, 4], False), slicing_ops.sequence_slice_unpack(rows, [2, 2], [2, 1], 4),
        slicing_ops.sequence_slice_pack(rows * 10, rows, [1, 2], [3, 0], False), slicing_ops.sequence_slice(rows + 7, rows, [2, 2], [0, 4], [1, 2], True)),
        tf.constant(rows)):
    print([each[:, 0].tolist() for each in made])
with tf.GradientTape() as tape:
    x = tf.constant(rows)
    tape.watch(x)
    loss = tf.reduce_sum(slicing_ops.sequence_slice_unpack(x, [2, 2], [2, 1], 4) * tf.constant([[1.0], [2], [3], [4]]))
print(tape.gradient(loss, x).numpy()[:, 0])
try:
    slicing_ops.sequence_slice_unpack(rows, [2, 2], [2], 4)
except ValueError as error:
    print(error)

values = np.float32([-3, -0.5, 0, 0.5, 0.5, 1, 2.5, 9])
for made in both(lambda v: (statistics_ops.histogram(v, [0.0, 1.0, 2.0]), statistics_ops.histogram(v, [0.0, 1.0, 2.0], absolute_of_input=True),
                            statistics_ops.fixed_width_bins(v, 5), statistics_ops.histogram_update([1.0, 1, 1, 1], v, [0.0, 1.0, 2.0]),
                            statistics_ops.histogram_normalize(statistics_ops.histogram(v, [0.0, 1.0, 2.0]))), tf.constant(values)):
    print([each.tolist() for each in made])

x = random.randn(4, 2, 3).astype(np.float32)  # [steps, batch, features]
lengths = np.int32([4, 2])


def sigmoid(value):
    return 1 / (1 + np.exp(-value))


with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        def lstm(x, lengths):
            return ipu.rnn_ops.PopnnDynamicLSTM(5)(x, lengths)

        def gru(x, lengths):
            return ipu.ops.rnn_ops.PopnnDynamicGRU(5)(x, lengths, tf.ones([2, 5]))
        made = [ipu.ipu_compiler.compile(each, [tf.constant(x), tf.constant(lengths)]) for each in (lstm, gru)]
    session.run(tf.compat.v1.global_variables_initializer())
    (out, c, h), (out_gru, state_gru) = session.run(made)
    k, u, bias, k2, u2, bias2 = session.run(tf.compat.v1.trainable_variables())
expected, expected_gru = np.zeros((4, 2, 5)), np.zeros((4, 2, 5))
cells, hidden, units = np.zeros((2, 5)), np.zeros((2, 5)), np.ones((2, 5))
for t in range(4):
    for s in range(2):
        if t >= lengths[s]:
            continue
        i, f, g, o = np.split(x[t, s] @ k + hidden[s] @ u + bias, 4)
        cells[s] = sigmoid(f) * cells[s] + sigmoid(i) * np.tanh(g)
        expected[t, s] = hidden[s] = sigmoid(o) * np.tanh(cells[s])
        z, r, n = np.split(x[t, s] @ k2 + bias2, 3)
        z, r = sigmoid(z + units[s] @ u2[:, :5]), sigmoid(r + units[s] @ u2[:, 5:10])
        expected_gru[t, s] = units[s] = z * units[s] + (1 - z) * np.tanh(n + (r * units[s]) @ u2[:, 10:])
print([np.allclose(*each, atol=1e-5) for each in ((out, expected), (c, cells), (h, hidden), (out_gru, expected_gru), (state_gru, units))],
      bias2.tolist())
