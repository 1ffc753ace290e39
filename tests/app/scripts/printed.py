# SPDX-License-Identifier: GPL-3.0-or-later
# What tf.print, tf.Print and print_tensor print, at once, in sessions, in each step of a program, and in a model.
import contextlib
import io
import sys

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu
from tensorflow.python.ipu.ops import internal_ops


@contextlib.contextmanager
def shown():
    with contextlib.redirect_stderr(io.StringIO()) as text:
        yield
    print(*[line for line in text.getvalue().splitlines() if not line.startswith(("Poplar", "TensorFlow device", "Compiled"))], sep="\n")


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
tf.print("a", tf.constant([1.0, 2.5]), {"k": tf.constant(3)}, [tf.range(10), "s"], tf.reshape(tf.range(4), [2, 2]), None,
         tf.constant(True), output_stream=sys.stdout)
with ipu.ipu_strategy.IPUStrategy().scope(), shown():
    @tf.function
    def doubled(x):
        tf.print("in", x)
        internal_ops.print_tensor(x * 2.0, name="twice")
        return x + 1.0
    tf.distribute.get_strategy().run(doubled, [tf.constant([1.0, 2.0])])
    model = tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: (tf.print("lambda", x), x)[1]), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", steps_per_execution=2)
    model.fit(np.arange(4, dtype=np.float32).reshape(4, 1), np.ones((4, 1), np.float32), batch_size=2, verbose=0, shuffle=False)
with shown(), tf.GradientTape() as tape:
    square = tf.Variable(3.0) ** 2
    tf.print("tape", square)

tf1.disable_v2_behavior()
with ipu.scopes.ipu_scope("/device:IPU:0"):
    a = tf1.placeholder(tf.float32, [2], name="a")

    def net(v):
        printed = internal_ops.print_tensor(v * 3.0, "triple")
        with tf.control_dependencies([internal_ops.print_tensor(v, "v")]):
            return internal_ops.remap(v) + 1.0, printed
    compiled = ipu.ipu_compiler.compile(net, [a])
    alone, b = internal_ops.print_tensor(a), ipu.control_flow_ops.barrier([a * 2.0, a])[0]

    def body(i):
        with tf.control_dependencies([internal_ops.print_tensor(i, "i")]):
            return i + 1
    loop = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(3, body, [tf.constant(0)]))
of_host = tf1.placeholder(tf.float32, [None, 2])
first = tf.print("host", of_host, summarize=1)
second = tf1.Print(of_host * 2.0, [of_host, tf.shape(of_host)[0]], "message: ")
with tf.control_dependencies([first]):
    third = of_host + 1.0
with tf1.Session() as session:
    with shown():
        print(session.run(compiled, {a: [1, 2]}), session.run([alone, b], {a: [1, 3]}), session.run(loop))
    with shown():
        print(session.run(third, {of_host: np.ones((3, 2))})[0], session.run(first, {of_host: np.ones((1, 2))}))
    with shown():
        print(session.run(second, {of_host: np.ones((2, 2))})[0])

# The first times only, to a file, to a function; in the branch of the host that is taken.
told = []
with tf1.Graph().as_default(), tf1.Session() as session:
    of_host = tf1.placeholder(tf.float32, [2])
    few = tf1.Print(of_host, [of_host], "few: ", first_n=2)
    to_file, to_function = tf.print("one", of_host, output_stream="file://printed.txt"), tf.print("two", of_host, output_stream=told.append)

    def branch(name, factor):
        with tf.control_dependencies([tf.print("branch", name, output_stream=told.append)]):
            return of_host * factor

    chosen = tf.cond(tf.reduce_sum(of_host) > 2.5, lambda: branch("more", 2.0), lambda: branch("less", 3.0))
    with shown():
        for number in range(4):
            session.run([few, to_file, to_function, chosen], {of_host: [number, 1]})
    try:
        tf.print("three", output_stream="out.txt")
    except ValueError as error:
        print(error)
with open("printed.txt", encoding="utf-8") as file:
    print(file.read().splitlines(), told)
