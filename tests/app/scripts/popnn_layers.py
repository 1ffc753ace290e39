# SPDX-License-Identifier: GPL-3.0-or-later
"""The recurrent layers of tensorflow.python.ipu.rnn_ops begin as IPU TensorFlow's, and compute what their formulas say."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
S, B, N, H = 5, 2, 3, 4
draw = np.random.RandomState(1).randn
x, c, h = draw(S, B, N).astype(np.float32), draw(B, H).astype(np.float32), draw(B, H).astype(np.float32)
some = tf.random_uniform_initializer(-0.5, 0.5, seed=3)


def net(x, c, h):
    given = {"weights_initializer": some, "bias_initializer": tf.constant_initializer(0.1)}
    lstm, gru = ipu.rnn_ops.PopnnLSTM(H, name="lstm", **given), ipu.rnn_ops.PopnnGRU(H, name="gru", **given)
    outputs, state = lstm(x, initial_state=tf.nn.rnn_cell.LSTMStateTuple(c, h), training=False)
    again, (last_h, last_c) = lstm(x, initial_state=(h, c))
    of_gru, last = gru(x, initial_state=h)
    after, _ = ipu.rnn_ops.PopnnGRU(H, name="after", reset_after=True, **given)(x, initial_state=h)
    plain = ipu.rnn_ops.PopnnLSTM(H, name="plain", seed=2, return_state=False)(x)
    return [outputs, state.c, state.h, again, last_c, last_h, of_gru, last, after, plain]


with tf.device("cpu"):
    fed = [tf.placeholder(tf.float32, each.shape) for each in (x, c, h)]
with ipu.scopes.ipu_scope("/device:IPU:0"):
    compiled = ipu.ipu_compiler.compile(net, fed)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found = session.run(compiled, dict(zip(fed, (x, c, h))))
    of = {each.name[:-2]: session.run(each) for each in tf.global_variables()}


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def lstm(x, c, h, name):
    made = []
    for step in x:
        i, f, g, o = np.split(step @ of[f"{name}/kernel"] + h @ of[f"{name}/recurrent_kernel"] + of[f"{name}/bias"], 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        made.append(h)
    return np.array(made), c, h


def gru(x, h, name):
    """The reset gate acts on the state before its product, with three biases; after it there are six."""
    made, u, bias = [], of[f"{name}/recurrent_kernel"], of[f"{name}/bias"].reshape(-1, 3 * H)
    for step in x:
        z, r, n = np.split(step @ of[f"{name}/kernel"] + bias[0], 3, 1)
        z, r = sigmoid(z + (h @ u + bias[-1] * (len(bias) - 1))[:, :H]), sigmoid(r + (h @ u + bias[-1] * (len(bias) - 1))[:, H:2 * H])
        n = np.tanh(n + ((r * h) @ u[:, 2 * H:] if len(bias) == 1 else r * (h @ u + bias[1])[:, 2 * H:]))
        h = z * h + (1 - z) * n
        made.append(h)
    return np.array(made)


def same(a, b):
    return np.allclose(a, b, rtol=1e-4, atol=1e-6)


outputs, last_c, last_h = lstm(x, c, h, "lstm")
print("lstm", [same(a, b) for a, b in zip(found, [outputs, last_c, last_h] * 2)])
print("gru", same(found[6], gru(x, h, "gru")), same(found[7], found[6][-1]), same(found[8], gru(x, h, "after")))
print("biases", *(sorted(set(of[f"{name}/bias"].ravel().tolist())) for name in ("lstm", "gru", "plain")), of["after/bias"].shape)
weights = np.concatenate([of["plain/kernel"], of["plain/recurrent_kernel"]])
limit = np.sqrt(6 / (N + H + 4 * H))  # Glorot's, of [features + units, gates * units]
print("plain", found[9].shape, 0.9 * limit < np.abs(weights).max() <= limit, same(found[9], lstm(x, 0 * c, 0 * h, "plain")[0]))
print("within", np.abs(of["lstm/recurrent_kernel"]).max() <= 0.5, np.unique(np.concatenate([of["lstm/kernel"], of["lstm/recurrent_kernel"]])).size)
