# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.nn.rnn_cell.LSTMCell with peepholes, projections and bounds, states in one tensor, GRUCell's initializers, against NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(12)
x = draw.randn(3, 4, 2).astype("f")


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def run(make):
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, x.shape)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(lambda given: tf.nn.dynamic_rnn(make(), given, dtype=tf.float32)[0], [fed])
        session.run(tf.global_variables_initializer())
        session.run([each.assign(0.7 * draw.randn(*each.shape)) for each in tf.trainable_variables() if "gru" not in each.name])
        return session.run(made, {fed: x})[0], {each.name.split("/", 2)[2].split(":")[0]: session.run(each) for each in tf.trainable_variables()}


def lstm(weights, units, peep, proj, cell_clip=np.inf, proj_clip=np.inf):
    c, h, outputs = np.zeros((3, units)), np.zeros((3, proj or units)), []
    look = (lambda name: weights[f"w_{name}_diag"]) if peep else (lambda name: 0)
    for t in range(4):
        i, j, f, o = np.split(np.concatenate([x[:, t], h], 1) @ weights["kernel"] + weights["bias"], 4, 1)
        c = np.clip(sigmoid(f + 1 + look("f") * c) * c + sigmoid(i + look("i") * c) * np.tanh(j), -cell_clip, cell_clip)
        h = sigmoid(o + look("o") * c) * np.tanh(c)
        h = np.clip(h @ weights["projection/kernel"], -proj_clip, proj_clip) if proj else h
        outputs.append(h)
    return np.stack(outputs, 1)


cell = tf.nn.rnn_cell.LSTMCell
for settings, bounds in (({"use_peepholes": True}, {}), ({"num_proj": 2}, {}), ({"cell_clip": 0.3}, {"cell_clip": 0.3}),
                         ({"use_peepholes": True, "num_proj": 3, "proj_clip": 0.2}, {"proj_clip": 0.2}), ({"state_is_tuple": False}, {})):
    found, weights = run(lambda: cell(4, **settings))
    wanted = lstm(weights, 4, "use_peepholes" in settings, settings.get("num_proj"), **bounds)
    print(np.allclose(found, wanted, rtol=1e-4, atol=1e-5), sorted(weights))
found, weights = run(lambda: tf.nn.rnn_cell.GRUCell(3, kernel_initializer=tf.constant_initializer(0.25), bias_initializer=tf.constant_initializer(-0.5)))
h = np.zeros((3, 3))
for t in range(4):
    gates = sigmoid(0.25 * (x[:, t].sum(1) + h.sum(1)) - 0.5)[:, None]
    h = gates * h + (1 - gates) * np.tanh(0.25 * (x[:, t].sum(1) + gates[:, 0] * h.sum(1)) - 0.5)[:, None]
print(np.allclose(found[:, -1], h, rtol=1e-4, atol=1e-5), {float(each.ravel()[0]) for each in weights.values()})
