# SPDX-License-Identifier: GPL-3.0-or-later
# Placeholders with open extents in a graph beside TensorFlow 2, where == compares tensors, against NumPy; what Python gives a session.
import numpy as np
import tensorflow.compat.v1 as tf

X, IMAGE = np.arange(8, dtype=np.float32).reshape(2, 4), np.ones((1, 4, 5, 3), np.float32)
with tf.Graph().as_default(), tf.Session() as session:
    x, image, empty = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, None, None, 3]), tf.placeholder(tf.float32, [None, 0])
    batch = tf.shape(x)[0]
    made = {"reshape": (tf.reshape(x, [batch, 2, 2]), X.reshape(2, 2, 2)), "stacked": (tf.reshape(x, tf.stack([batch, -1, 2])), X.reshape(2, 2, 2)),
            "size": (tf.size(x), 8), "unstack": (tf.unstack(x, num=2)[1], X[1]), "rows": (tf.reverse(x, [0]), X[::-1]),
            "columns": (tf.reverse(x, [1, 0]), X[::-1, ::-1]), "rest": (x[1:], X[1:]), "beyond": (x[5:], X[5:])}
    volumes, V = tf.placeholder(tf.float32, [None, 3, 4, 2, 1]), np.arange(48, dtype=np.float32).reshape(2, 3, 4, 2, 1)
    made.update({"einsum": (tf.einsum("bi,ij->bj", x, tf.ones([4, 2])), X @ np.ones((4, 2), np.float32)),
                 "sums": (tf.einsum("bi,bj->ij", x, x), X.T @ X)})
    print({name: each.shape.as_list() for name, (each, _) in made.items()})
    print([name for name, (each, wanted) in made.items() if not np.array_equal(session.run(each, {x: X}), wanted)])
    pooled = tf.nn.max_pool3d(volumes, [3, 2, 2], [1, 2, 1], "VALID")
    print(pooled.shape, session.run(pooled, {volumes: V}).reshape(2, -1).tolist())
    same = tf.nn.conv2d(image, tf.ones([3, 3, 3, 2]), 1, "SAME")
    found = session.run(same, {image: IMAGE})
    print(same.shape, found.shape, found[0, 0, 0].tolist(), found[0, 1, 1].tolist())
    for like in (tf.zeros, tf.ones):
        print(session.run(like([tf.shape(empty)[0], 3]), {empty: np.ones((2, 0))}).tolist())
    branches = tf.cond(tf.reduce_sum(x) > 100.0, lambda: x, lambda: x * 2.0)
    print(session.run(branches, {x: X}).sum(), session.run(branches, {x: X + 100}).sum())
    feeds = {x: X}
    for wrong in (lambda: tf.unstack(x), lambda: tf.nn.max_pool(image, 2, 2, "SAME"), lambda: tf.einsum("brcx->xrcb", image),
                  lambda: tf.einsum("brcx,bscx->brs", image, image), lambda: session.run(tf.unstack(x, num=1), feeds),
                  lambda: session.run(tf.numpy_function(lambda a: a.astype(np.float64), [x], tf.float32), feeds),
                  lambda: session.run(tf.py_func(lambda a: (a,), [x], [tf.float32, tf.float32]), feeds)):
        try:
            wrong()
        except (ValueError, tf.errors.InvalidArgumentError) as error:
            print(error)
        except Exception as error:  # pylint: disable=broad-except
            print(type(error).__name__, error)
    print(session.run(tf.py_function(lambda a: float(a[0, 1]), [x], tf.float32), feeds))
