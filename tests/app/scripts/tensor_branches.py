# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's own `if`, `while`, `and`, `or`, `not` on tensors in functions of tf.function under IPUStrategy.run, against the same
functions on NumPy's numbers."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
GIVEN = [np.float32(each) for each in (-7.0, -1.0, 0.0, 1.0, 4.0, 9.0)]
counter, seen = tf.Variable(0.0), []


def assigned(x):
    """Doubles or negates."""
    y, text = x + 1, "a"
    if x > 0:
        y, z = x * 2, x
        text = "a"
    elif x == 0:
        z = x + 100
    else:
        z = y
        y = -x
    return y * 10 + z * len(text)


def only_if(x):
    if not x > 0 and x < 5:
        x = x * 3
    return x if x < 10 or x == 27 else x - 10


def returned(x):
    if x > 5:
        return x * 100
    x = x + 1
    if x < 0:
        return -x
    else:
        x = x * 2
    return x


def stepped(x):
    i, total = 0, x * 0
    while i < 5 and i != 4:
        if total > x:
            total = total - 1
        else:
            total = total + 3
        i = i + 1
    return total


def helper(x, most=4):
    if x > most:
        x = x - x + most
    return x


def calls(x):
    def within(y):
        return shift + (y if y > 0 else -y)
    shift = 1
    return helper(x) + helper(x, most=2) * 10 + within(x) * 100


def mixed(x):
    """Comprehensions, loops, lambdas and `try` in branches, one of which has a name in common with the function."""
    g = 5.0
    if x > 0:
        xs = [g * x for g in (1.0, 2.0)]
        for k in range(3):
            x += k
        s, f = sum(xs), lambda v: v + len(xs)
        x = f(x)
    else:
        try:
            s = x - 1
        except ValueError as error:
            s = x + len(str(error))
        for k in (4, 5):
            x = x * k
    return x + s * g


def unpacked(x):
    if (y := x * 2) > 3:
        z = y
    else:
        z = (w := x + 100) + w
    a = b = c = z
    a += 1.0 if x > 0 and not (x > 50 or x < 2) else -1.0
    (p, q), *r = (a, b), c
    if x > 1:
        (p, q), *r = (q, p), a
    return p + 10 * q + 100 * r[0]


def structured(x):
    state = {"n": x, "v": [x, x * 2]}
    if x > 0:
        state = {"n": state["n"] + 1, "v": [v * 2 for v in state["v"]]}
    elif x > -3:
        state = dict(state, n=state["n"] * 7)
    return state["n"] + 10 * state["v"][1]


def returning(x):
    def inner(y):
        if y > 2:
            return y
        elif y > 0:
            if y > 1:
                return y * 10
            return y * 100
        return -y
    return inner(x) + inner(x - 1) * 1000


class Scale:
    def __init__(self):
        self.by = 2.0

    def of(self, y):
        if y > 0:
            return y * self.by
        return y

    def __call__(self, y):
        return self.of(y) if y < 10 else y


def objects(x):
    scale = Scale()
    return scale.of(x) + scale(x) * 100


def absent(x, training=None):
    """What Python knows to be None is false, as ever."""
    if training or None:
        x = x * 2
    if not training:
        x = x + 1
    return (x if training else x * 10) if (training and x) is None else x * 1000


for function in (assigned, only_if, returned, stepped, calls, mixed, unpacked, structured, returning, objects, absent):
    on_device = tf.function(function)
    print(function.__name__, [float(strategy.run(on_device, [each])) for each in GIVEN] == [float(function(each)) for each in GIVEN], end=" ")
print()


@tf.function
def looped(x):
    best, at = x, -1
    for i in tf.range(6):
        if i % 2 == 0:
            x = x * 2.0
        else:
            x = x - tf.cast(i, tf.float32)
        if tf.reduce_sum(x) > tf.reduce_sum(best):
            best, at = x, i
    return x, best, at


@tf.function
def updated(x):
    if x > 0:
        counter.assign_add(x)
        if x > 3:
            counter.assign(counter * 2.0)
    elif x < -5:
        counter.assign(0.0)
    return counter + 0.0


@tf.function(jit_compile=True)
def trained(iterator, steps):
    total, clipped = 0.0, 0
    for i in tf.range(steps):
        a, b = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(a, training=True) - b))
        gradients = tape.gradient(loss, model.trainable_variables)
        norm = tf.linalg.global_norm(gradients)
        if norm > 1.0:
            gradients = [g / norm for g in gradients]
            clipped += 1
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        total += loss
    return total / tf.cast(steps, tf.float32), clipped


rows = np.linspace(-1, 1, 40 * 3, dtype=np.float32).reshape(40, 3)
sums = rows @ np.array([[1], [-2], [3]], np.float32)
with strategy.scope():
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(3,), kernel_initializer="zeros")])
    optimizer = keras.optimizers.SGD(0.5)
    data = tf.data.Dataset.from_tensor_slices((rows, sums)).batch(4, drop_remainder=True).repeat()
    found = [float(each) for each in strategy.run(trained, args=(iter(data), 10))]
weights, losses, clipped = np.zeros((3, 1)), [], 0
for step in range(10):
    a, b = rows[step * 4:][:4], sums[step * 4:][:4]
    losses.append(((a @ weights - b) ** 2).mean())
    gradient = 2 * a.T @ (a @ weights - b) / 4
    norm = np.sqrt((gradient ** 2).sum())
    gradient, clipped = (gradient / norm, clipped + 1) if norm > 1 else (gradient, clipped)
    weights = weights - 0.5 * gradient
print("clipped", np.allclose(found, [np.mean(losses), clipped], rtol=1e-4), np.allclose(model.get_weights()[0], weights, rtol=1e-4), clipped)


def by_hand(x):
    best, at = x, -1
    for i in range(6):
        x = x * 2 if i % 2 == 0 else x - i
        best, at = (x, i) if x.sum() > best.sum() else (best, at)
    return x.tolist(), best.tolist(), at


x = np.array([1.0, 2.0], np.float32)
found, value = strategy.run(looped, [x]), 0.0
print(tuple(each.numpy().tolist() for each in found) == by_hand(x), end=" ")
for each in (1.0, 4.0, -1.0, -7.0, 2.0):
    value = (value + each) * (2 if each > 3 else 1) if each > 0 else 0.0 if each < -5 else value
    print(float(strategy.run(updated, [np.float32(each)])) == value, end=" ")
print()


@tf.function
def counted(x):
    i = tf.constant(0)
    while i < 300:
        x, i = x + 1.0, i + 1
    return x


print(float(strategy.run(counted, [np.float32(1.0)])))


class Holder:
    def __init__(self, scale):
        self.scale, self.__own = scale, 1.0

    @tf.function
    def step(self, x):
        """Branches in the body of a loop, within `try`, and after one that Python decides."""
        for i in tf.range(4):
            try:
                if i > 1 and self.scale > 2:
                    x = x * self.scale
                elif not i == 0:
                    x = x - 1.0
                else:
                    x = x + 5.0
            finally:
                y = x
        else:
            x = x + 1.0
        return x, y

    @tf.function
    def own(self, x):
        return x + self.__own if self.__own else x


def stepped_by_hand(x, scale):
    for i in range(4):
        x = x * scale if i > 1 and scale > 2 else x - 1 if i else x + 5
    return [x + 1, x]


print([[float(each) for each in strategy.run(Holder(scale).step, [np.float32(1.0)])] == stepped_by_hand(1.0, scale) for scale in (3.0, 1.0)],
      float(strategy.run(Holder(2.0).own, [np.float32(1.0)])))


def in_one(x):
    if x > 0:
        only = x
    return only + 1.0


def shapes(x):
    if x > 0:
        y = tf.stack([x, x])
    else:
        y = x
    return y


def kinds(x):
    name = None
    if x > 0:
        name = "up"
    return x if name else -x


def listed(x):
    if x > 0:
        seen.append(x)
    return x


def stored(x):
    if x > 0:
        counter.note = x
    return x


def raised(x):
    if x > 0:
        raise ValueError("above 0")
    return x


def unending(x):
    while x < 100.0:
        x = x * 2.0
    return x


def vector(x):
    if tf.stack([x, x]) > 0:
        x = x + 1.0
    return x


def nothing(x):
    if x > 0:
        return x


def by_another(x):
    def up():
        nonlocal times
        times = times + 1
        return x
    times = 0
    if x > 0:
        x = up() * 2.0
    return x * float(times)


def none_before(x):
    y = None
    for _ in tf.range(3):
        if x > 2:
            y = x
        x = x + 1.0
    return y


kept = tf.autograph.experimental.do_not_convert(lambda x: x if x > 0 else -x)
for wrong in (in_one, shapes, kinds, listed, stored, raised, unending, vector, nothing, by_another, none_before, kept):
    try:
        print(wrong.__name__, strategy.run(tf.function(wrong), [np.float32(1.0)]))
    except Exception as error:
        print(wrong.__name__, type(error).__name__, str(error).split(";", maxsplit=1)[0])
print(tf.function(unending)(tf.constant(3.0)).numpy())  # at once
