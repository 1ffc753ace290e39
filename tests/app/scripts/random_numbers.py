# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn on the host and, anew in each step, on the device: within five deviations of what is expected."""
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
ONES = np.ones(10000, np.float32)
PLACES = np.arange(20, dtype=np.float32).reshape(4, 5, 1)


def near(found, mean, deviation, count):
    assert abs(np.mean(found) - mean) < 5 * deviation / np.sqrt(count), (np.mean(found), mean)


def draws(ones, places):
    return (tf.random.normal([10000], 2.0, 3.0), tf.random.uniform([10000], -1.0, 3.0),
            tf.random.uniform([10000], 2, 5, dtype=tf.int32), tf.nn.dropout(ones, 0.25),
            tf.image.random_crop(places, [2, 3, 1]), tf.image.random_flip_left_right(places),
            tf.random.categorical(tf.math.log([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]), 2000), tf.image.random_brightness(places, 0.5), tf.image.random_contrast(places, 0.5, 2.0))


def check(drawn):
    normal, uniform, whole, dropped, crop, flipped, classes, brighter, sharper = (np.asarray(each) for each in drawn)
    near(normal, 2, 3, 10000)
    near((normal - 2) ** 2, 9, 9 * np.sqrt(2), 10000)
    near(uniform, 1, 4 / np.sqrt(12), 10000)
    near(uniform < 0, 0.25, 0.433, 10000)
    assert -1 <= uniform.min() < -0.99 and 2.99 < uniform.max() < 3, (uniform.min(), uniform.max())
    assert set(whole) == {2, 3, 4} and whole.dtype == np.int32
    near(whole, 3, np.sqrt(2 / 3), 10000)
    near(dropped == 0, 0.25, 0.433, 10000)
    np.testing.assert_allclose(dropped[dropped > 0], 4 / 3, rtol=1e-6)
    assert classes.shape == (2, 2000)
    for row, shares in zip(classes, ([0.5, 0.3, 0.2], [0.1, 0.1, 0.8])):
        for number, share in enumerate(shares):
            near(row == number, share, np.sqrt(share * (1 - share)), 2000)
    first = int(crop[0, 0, 0])
    np.testing.assert_array_equal(crop, PLACES[first // 5:first // 5 + 2, first % 5:first % 5 + 3])
    assert np.array_equal(flipped, PLACES) or np.array_equal(flipped, PLACES[:, ::-1])
    np.testing.assert_allclose(brighter - PLACES, (brighter - PLACES).flat[0], atol=1e-5)
    assert abs(brighter.flat[0]) <= 0.5
    factor = (sharper - PLACES.mean()).flat[0] / (PLACES - PLACES.mean()).flat[0]
    assert 0.5 <= factor <= 2
    np.testing.assert_allclose(sharper, (PLACES - PLACES.mean()) * factor + PLACES.mean(), rtol=1e-4, atol=1e-4)
    return first, flipped[0, 0, 0] == 0


program = tf.function(draws)
for draw in (lambda: draws(tf.constant(ONES), tf.constant(PLACES)), lambda: strategy.run(program, [ONES, PLACES])):
    steps = [draw() for _ in range(30)]
    found = [check(each) for each in steps]
    # All 9 corners are likely to be seen, and both ways; no step draws what another does.
    print(len({corner for corner, _ in found}) > 4, len({way for _, way in found}),
          any(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(steps[0][:4], steps[1][:4])))

# The first values of variables are drawn once.
with tf.Graph().as_default(), ipu.scopes.ipu_scope("/device:IPU:0"):
    def body():
        return tf.compat.v1.get_variable("w", initializer=tf.random.normal([4]) * 2.0)
    compiled = ipu.ipu_compiler.compile(body)
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        print(np.array_equal(session.run(compiled), session.run(compiled)))
