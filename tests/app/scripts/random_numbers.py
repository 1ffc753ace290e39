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
            tf.random.categorical(tf.math.log([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]), 2000), tf.image.random_brightness(places, 0.5), tf.image.random_contrast(places, 0.5, 2.0),
            tf.random.truncated_normal([10000], 1.0, 2.0), tf.random.shuffle(tf.range(50)))


def check(drawn):
    normal, uniform, whole, dropped, crop, flipped, classes, brighter, sharper, truncated, shuffled = (np.asarray(each) for each in drawn)
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
    # Within two deviations the variance is 0.774 of that without a limit: 1 - 4 phi(2) / (2 Phi(2) - 1).
    near(truncated, 1, 2 * np.sqrt(0.774), 10000)
    near((truncated - 1) ** 2, 4 * 0.774, 4 * 0.9, 10000)
    assert 3.9 < abs(truncated - 1).max() <= 4
    assert sorted(shuffled) == list(range(50)) != list(shuffled)
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
          any(np.array_equal(np.asarray(steps[0][i]), np.asarray(steps[1][i])) for i in (0, 1, 2, 3, 9, 10)))


def apart(*drawn):
    return all(not np.array_equal(a, b) for i, a in enumerate(drawn) for b in drawn[:i])


# Tapes draw as steps do, and layers in them as those of a program; the gradient is that of the same mask.
SAMPLES = np.random.default_rng(1).normal(2, 3, (64, 4)).astype(np.float32)
model = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1, use_bias=False)])
taped = []
for _ in range(2):
    with tf.GradientTape() as tape:
        noise, kept = tf.random.uniform([4]), tf.nn.dropout(tf.ones([64]), 0.5)
        dropped = model.layers[0](SAMPLES, training=True)
        loss = tf.reduce_sum(model.layers[1](dropped))
        model_loss = tf.reduce_sum(model(SAMPLES, training=True))
    gradient = tape.gradient(loss, model.trainable_variables)[0]
    np.testing.assert_allclose(gradient, np.asarray(dropped).sum(0)[:, None], rtol=1e-5)
    taped.append([np.asarray(each) for each in (noise, kept, dropped, model_loss)])
print("tapes", [apart(a, b) for a, b in zip(*taped)])


def in_tapes():
    """What two tapes draw after a seed."""
    tf.random.set_seed(3)
    drawn = []
    for _ in range(2):
        with tf.GradientTape():
            drawn.append(tf.nn.dropout(tf.ones([64]), 0.5).numpy())
    return drawn


print("seeded", np.array_equal(in_tapes(), in_tapes()), apart(*in_tapes()))
print("at once", apart(*(np.asarray(model.layers[0](SAMPLES, training=True)) for _ in range(3))),
      np.array_equal(model.layers[0](SAMPLES), SAMPLES), apart(*(np.asarray(model(SAMPLES, training=True)) for _ in range(3))))
both = strategy.run(tf.function(lambda x: (model(x, training=True), model(x, training=False))), [SAMPLES])
print("inference", apart(*both), np.allclose(both[1], model(SAMPLES), rtol=1e-4, atol=1e-5))

# What layers keep of batches, tapes keep once, however often their values are asked for: mean = (mean + that of the batch) / 2.
normalised = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.BatchNormalization(momentum=0.5)])
mean = np.zeros(4)
for _ in range(3):
    with tf.GradientTape() as tape:
        y = normalised(SAMPLES, training=True)
        np.asarray(y)
        loss = tf.reduce_mean(y)
    tape.gradient(loss, normalised.trainable_variables)
    mean = (mean + SAMPLES.mean(0)) / 2
normalised(SAMPLES, training=True)
print("kept", np.allclose(normalised.layers[0].moving_mean, (mean + SAMPLES.mean(0)) / 2, rtol=1e-5))

# Initialisers and seeds: with a seed an initialiser gives the same each time, an operation its next numbers.
print("initialisers", apart(*(np.asarray(tf.keras.initializers.GlorotUniform()((3, 3))) for _ in range(2))),
      apart(*(np.asarray(tf.keras.initializers.GlorotUniform(seed=1)((3, 3))) for _ in range(2))),
      apart(*(np.asarray(tf.random.uniform([3], seed=1)) for _ in range(2))))
drawn = [tf.keras.Sequential([tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.GlorotUniform(seed), input_shape=(3,))])
         for seed in (1, 1, 2, None, None)]
drawn = [np.asarray(tf.keras.initializers.GlorotUniform(seed=1)((3, 3)))] + [each.get_weights()[0] for each in drawn]
print("of layers", [apart(*drawn[i:i + 2]) for i in range(5)])

with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    drawn = [tf.random.uniform([8]), tf.random.truncated_normal([8]), tf.nn.dropout(tf.ones([64]), 0.5),
             tf.compat.v1.random_shuffle(tf.range(50)), tf.image.random_crop(tf.reshape(tf.range(900.0), [30, 30, 1]), [2, 2, 1])]
    print("session", [apart(*each) for each in zip(*(session.run(drawn) for _ in range(2)))])

# The first values of variables are drawn once.
with tf.Graph().as_default(), ipu.scopes.ipu_scope("/device:IPU:0"):
    def body():
        return tf.compat.v1.get_variable("w", initializer=tf.random.normal([4]) * 2.0)
    compiled = ipu.ipu_compiler.compile(body)
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        print(np.array_equal(session.run(compiled), session.run(compiled)))
