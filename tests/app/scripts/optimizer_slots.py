# SPDX-License-Identifier: GPL-3.0-or-later
"""What optimisers of tf.train keep, as sessions read and set it; several optimisers beside each other; a rate that falls. Against NumPy."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(1)
x, y, first = draw.randn(12, 4).astype("f"), draw.randn(12, 2).astype("f"), draw.randn(4, 2).astype("f")


def gradient_of(w):
    return 2 * x.T @ (x @ w - y) / y.size


def adam(steps, gradient, w, epsilon):
    """w, m and v after some steps."""
    m = v = 0
    for t in range(1, steps + 1):
        g = gradient(w)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + epsilon)
    return w, m, v


def trained(make, compiled):
    """What is kept before and after three steps, the weights, and what the rate may be made of."""
    with tf.Graph().as_default(), tf1.Session() as session:
        optimizer, rate = make(tf1.placeholder(tf.float32, []))

        def step():
            with tf1.variable_scope("", use_resource=True):
                w = tf1.get_variable("w", initializer=tf.constant(first))
            loss = tf.reduce_mean(tf.square(tf.matmul(tf.constant(x), w) - y))
            assert optimizer.get_slot(w, "m") is None  # before the first update
            return loss, optimizer.minimize(loss)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(step) if compiled else step()
        w = tf1.trainable_variables()[0]
        session.run(tf1.global_variables_initializer())
        names = optimizer.get_slot_names()
        print([each.name for each in optimizer.variables()], names, optimizer.get_slot(w, "nope"))
        before = [float(np.ravel(session.run(each))[0]) for each in optimizer.variables()]
        for t in range(3):
            session.run(run, None if rate is None else {rate: 0.1 / (t + 1)})
        kept = {name: session.run(optimizer.get_slot(w, name)) for name in names}
        found = session.run(w)
        session.run(tf1.variables_initializer(optimizer.variables()))
        return before, kept, found, [float(np.ravel(session.run(each))[0]) for each in optimizer.variables()]


for compiled in (True, False):
    before, kept, w, again = trained(lambda rate: (tf1.train.AdamOptimizer(0.1), None), compiled)
    wanted, m, v = adam(3, gradient_of, first.copy(), 1e-8)
    print(before, again, [np.allclose(a, b, rtol=1e-4, atol=1e-6) for a, b in ((kept["m"], m), (kept["v"], v), (w, wanted))])
for nesterov in (False, True):  # the rate scales what gathers, and not what is gathered
    before, kept, w, _ = trained(lambda rate: (tf1.train.MomentumOptimizer(rate, 0.9, use_nesterov=nesterov), rate), True)
    wanted, gathered = first.copy(), 0
    for t in range(3):
        g = gradient_of(wanted)
        gathered = 0.9 * gathered + g
        wanted = wanted - 0.1 / (t + 1) * (g + 0.9 * gathered if nesterov else gathered)
    print(before, np.allclose(kept["momentum"], gathered, rtol=1e-4, atol=1e-6), np.allclose(w, wanted, rtol=1e-4, atol=1e-6))
before, kept, w, _ = trained(lambda rate: (ipu.optimizers.CrossReplicaOptimizer(tf1.train.RMSPropOptimizer(0.1, centered=True)), None), True)
mean, square, wanted = 0, np.ones_like(first), first.copy()
for _ in range(3):
    g = gradient_of(wanted)
    square, mean = 0.9 * square + 0.1 * g * g, 0.9 * mean + 0.1 * g
    wanted = wanted - 0.1 * g / np.sqrt(square - mean**2 + 1e-10)
print(before, [np.allclose(a, b, rtol=1e-4, atol=1e-6) for a, b in ((kept["rms"], square), (kept["mg"], mean), (w, wanted))])
before, kept, w, _ = trained(lambda rate: (tf1.train.AdagradOptimizer(0.1), None), True)
print(before, {name: each.shape for name, each in kept.items()})
with tf.Graph().as_default(), ipu.scopes.ipu_scope("/device:IPU:0"):
    w = tf1.get_variable("w", initializer=tf.constant(first))
    kinds = [tf1.train.MomentumOptimizer(0.1, 0.0), tf1.train.AdamOptimizer()]
    for each in kinds:
        each.minimize(tf.reduce_sum(w))
    for wrong in (lambda: kinds[0].get_slot(w, "momentum"),
                  lambda: ipu.ipu_compiler.compile(lambda: tf.reduce_sum(kinds[1].get_slot(w, "m")))):
        try:
            wrong()
        except AttributeError as error:
            print(str(error).split(";")[0])
with tf.Graph().as_default(), tf1.Session() as session, ipu.scopes.ipu_scope("/device:IPU:0"):
    both = [tf1.get_variable(name, initializer=tf.constant([1.0])) for name in "ab"]
    steps = [tf1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(3 * w * w), var_list=[w]) for w in both]
    session.run(tf1.global_variables_initializer())
    for _ in range(3):
        for each in steps:
            session.run(each)
    wanted = adam(3, lambda w: 6 * w, 1.0, 1e-8)[0]
    print("apart", np.allclose(session.run(both), wanted, atol=1e-6))
strategy = ipu.ipu_strategy.IPUStrategy()


def model(name):
    return keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(1,), kernel_initializer="ones", name=name)])


def step_of(models, own, optimizer):
    @tf.function(experimental_compile=True)
    def step(ones):
        with tf.GradientTape() as tape:
            loss = sum(tf.reduce_sum(3 * each(ones) ** 2) for each in models)
        optimizer.apply_gradients(zip(tape.gradient(loss, own.trainable_variables), own.trainable_variables))
        return loss
    return lambda: strategy.run(step, [tf.ones([1, 1])])


with strategy.scope():
    made = [model("first"), model("second")]
    optimizers = [keras.optimizers.Adam(0.1), keras.optimizers.Adam(0.1)]
    steps = [step_of(made, *each) for each in zip(made, optimizers)]
    for _ in range(3):
        for each in steps:
            each()
    wanted = adam(3, lambda w: 6 * w, 1.0, 1e-7)[0]
    print("functions", [np.allclose(each.get_weights(), wanted, atol=1e-6) for each in made], [int(each.iterations) for each in optimizers],
          [[each.name for each in optimizer.variables()] for optimizer in optimizers])
    one, other, optimizer = model("one"), model("other"), keras.optimizers.Adam(0.1)
    for each in (step_of([one], one, optimizer), step_of([one, other], one, optimizer)):
        each()
    one.compile(optimizer, lambda y_true, y_pred: 3 * tf.reduce_sum(y_pred ** 2))
    one.fit(np.ones([1, 1], "f"), np.ones([1, 1], "f"), batch_size=1, verbose=0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(3 * one(tf.ones([1, 1])) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, one.trainable_variables), one.trainable_variables))
    print("one state", np.allclose(one.get_weights(), adam(4, lambda w: 6 * w, 1.0, 1e-7)[0], atol=1e-6), int(optimizer.iterations))
    for each in made:
        each.compile(keras.optimizers.Adam(0.1), "mse")
        each.set_weights([np.ones([1, 1])])
    steps = [step_of(made, each, each.optimizer) for each in made]
    for _ in range(3):
        for each in steps:
            each()
    print("compiled", [np.allclose(each.get_weights(), wanted, atol=1e-6) for each in made])
