# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that the device does not have, at hand on the host: float64 and whole numbers of 64 bits, against NumPy."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

random = np.random.default_rng(0)
a, b = random.normal(size=(3, 4)), random.normal(size=(4, 5))
x, y = random.uniform(0.5, 2.0, size=(2, 6)), random.uniform(0.5, 2.0, size=(2, 6))


def same(made, wanted, atol=1e-14):
    """Whether numbers are those of NumPy, and of its type."""
    made = made.numpy() if hasattr(made, "numpy") else made
    return bool(made.dtype == np.asarray(wanted).dtype and np.allclose(made, wanted, rtol=1e-13, atol=atol))


print("products", same(tf.matmul(a, b), a @ b), same(tf.matmul(a, a, transpose_b=True), a @ a.T), same(tf.constant(a) @ b, a @ b),
      same(tf.linalg.matvec(a, b[:, 0]), a @ b[:, 0]), same(tf.tensordot(a, b, 1), a @ b), same(tf.einsum("ij,jk->ik", a, b), a @ b),
      same(tf.reduce_sum(tf.constant(a) * a), (a * a).sum()))
unary = {"exp": np.exp, "log": np.log, "sqrt": np.sqrt, "square": np.square, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "floor": np.floor,
         "sigmoid": lambda v: 1 / (1 + np.exp(-v)), "reciprocal": lambda v: 1 / v, "rsqrt": lambda v: 1 / np.sqrt(v), "abs": np.abs,
         "softplus": lambda v: np.log(1 + np.exp(v)), "log1p": np.log1p, "expm1": np.expm1}
print("of one", [name for name, function in unary.items() if not same(getattr(tf.math, name)(tf.constant(x)), function(x))])
binary = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum, "minimum": np.minimum,
          "pow": np.power, "atan2": np.arctan2, "floordiv": np.floor_divide, "floormod": np.mod, "squared_difference": lambda v, w: (v - w) ** 2}
print("of two", [name for name, function in binary.items() if not same(getattr(tf.math, name)(tf.constant(x), y), function(x, y))])
print("reduced", same(tf.reduce_mean(x, 1), x.mean(1)), same(tf.reduce_max(x), x.max()), same(tf.reduce_prod(x, 0, keepdims=True), x.prod(0, keepdims=True)),
      same(tf.math.reduce_std(x), x.std()), same(tf.cumsum(x, 1), x.cumsum(1)), same(tf.nn.softmax(x), np.exp(x) / np.exp(x).sum(1, keepdims=True)),
      same(tf.math.reduce_logsumexp(x), np.log(np.exp(x).sum())), same(tf.norm(x), np.sqrt((x * x).sum())))
near = np.array([1.0, 1.0 + 1e-12])
print("compared", (tf.constant(near) == 1.0).numpy().tolist(), (tf.constant(near) > 1.0).numpy().tolist(), int(tf.argmax(near)))
print("moved", same(tf.gather(x, [1, 0]), x[[1, 0]]), same(tf.where(x > 1.0, x, y), np.where(x > 1.0, x, y)), same(tf.pad(x, [[1, 0], [0, 2]]), np.pad(x, [[1, 0], [0, 2]])),
      same(tf.constant(x)[1, 2:5], x[1, 2:5]), same(tf.concat([x, y], 0), np.concatenate([x, y])), same(tf.split(x, 2, 1)[1], x[:, 3:]),
      same(tf.gather_nd(x, [[0, 1], [1, 5]]), x[[0, 1], [1, 5]]), same(tf.math.top_k(x, 3).values, -np.sort(-x)[:, :3]))
big = np.int64(2) ** 40
print("scattered", same(tf.scatter_nd([[1], [0], [1]], a, [2, 4]), np.stack([a[1], a[0] + a[2]])), same(tf.math.segment_sum(a, [0, 0, 1]), np.stack([a[0] + a[1], a[2]])),
      same(tf.math.unsorted_segment_max(a, [1, -1, 1], 2)[1], np.maximum(a[0], a[2])), same(tf.tensor_scatter_nd_update(x, [[0, 1]], [7.5]), np.where(np.arange(12).reshape(2, 6) == 1, 7.5, x)))
print("whole", (tf.constant(big) + 1).numpy(), (tf.constant([big, 3]) * 3).numpy(), tf.reduce_sum([big, big]).numpy(), (tf.constant(big) // 7).numpy(),
      (tf.constant(np.int64(2) ** 31 - 1) + 1).numpy(), (tf.constant(np.uint32(3_000_000_000)) + np.uint32(1)).numpy(), (tf.constant(big) > big - 1).numpy(), tf.range(big, big + 2).numpy(),
      tf.math.segment_sum(tf.constant([int(big), int(big)]), [0, 0]).numpy())
print("wrapped", (tf.constant(2**31 - 1) + 1).numpy(), (tf.constant(1103515245) * 12345).numpy(), tf.reduce_sum([2**30] * 4).numpy(),
      tf.cumsum([2**24, 1, 1]).numpy(), tf.matmul([[2**24 + 1]], [[1]]).numpy())
with tf.Graph().as_default(), tf1.Session() as session:
    given = tf1.placeholder(tf.float64, [3, 4])
    print("session", same(session.run(tf.matmul(given, b), {given: a}), a @ b), session.run(tf.constant(big) * 5))
with tf.GradientTape() as tape:
    v = tf.constant(a)
    tape.watch(v)
    total = tf.reduce_sum(tf.exp(v) @ b)
print("tape", same(total, (np.exp(a) @ b).sum(), 1e-12), np.allclose(tape.gradient(total, v), np.exp(a) * b.sum(1), rtol=1e-5))
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
try:
    ipu.ipu_strategy.IPUStrategy().run(tf.function(lambda v: v + 1), [big])
except Exception as error:  # pylint: disable=broad-except
    print("beyond", type(error).__name__, str(error).split(" is not there", maxsplit=1)[0])
