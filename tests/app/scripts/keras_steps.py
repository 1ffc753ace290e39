# SPDX-License-Identifier: GPL-3.0-or-later
"""Models with steps of their own: against the same model without, and updates of several optimisers against NumPy."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

random = np.random.default_rng(0)
X = random.normal(size=(64, 4)).astype(np.float32)
Y = (X.sum(1, keepdims=True) > 0).astype(np.float32)
WEIGHTS = random.uniform(0.5, 2, 64).astype(np.float32)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()


class Compiled(keras.Model):
    """What compile() says, written out."""

    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, sample_weight, regularization_losses=self.losses)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return {metric.name: metric.result() for metric in self.metrics}

    def test_step(self, data):
        x, y = data
        y_pred = self(x, training=False)
        self.compiled_loss(y, y_pred, regularization_losses=self.losses)
        self.compiled_metrics.update_state(y, y_pred)
        return {metric.name: metric.result() for metric in self.metrics}

    def predict_step(self, data):
        return self(data, training=False)


class Keras(keras.Model):
    """Keras' own steps, called by name."""

    def train_step(self, data):
        return super().train_step(data)

    def test_step(self, data):
        return dict(super().test_step(data))


class Trackers(keras.Model):
    """Without compile()'s loss: metrics of its own, and a tensor."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.loss_tracker, self.area = keras.metrics.Mean(name="loss"), keras.metrics.AUC(name="area")

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = tf.reduce_mean(keras.losses.binary_crossentropy(y, y_pred)) + tf.add_n(self.losses)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        self.loss_tracker.update_state(loss)
        self.area.update_state(y, y_pred)
        return {"loss": self.loss_tracker.result(), "last": loss, "area": self.area.result()}

    @property
    def metrics(self):
        return [self.loss_tracker, self.area]


START = []


def made(kind, loss="binary_crossentropy", metrics=("accuracy", "AUC")):
    x = keras.Input((4,))
    hidden = keras.layers.Dense(5, activation="relu", kernel_regularizer=keras.regularizers.L2(0.01))(x)
    model = kind(x, keras.layers.Dense(1, activation="sigmoid")(hidden))
    START[:] = START or [random.normal(size=w.shape) / 2 for w in model.get_weights()]
    model.set_weights(START)
    model.compile(keras.optimizers.Adam(0.02), loss, metrics=list(metrics))
    return model


def same(a, b):
    return np.allclose(a, b, rtol=1e-4, atol=1e-5)


def alike(model, other, *histories):
    names = [[name.rstrip("_0123456789") for name in history] for history in histories]
    values = [list(history.values()) for history in histories]
    return all(map(same, model.get_weights(), other.get_weights())), names[0] == names[1], same(*values)


def fitted(model, **options):
    return model.fit(X, Y, batch_size=16, epochs=3, shuffle=False, verbose=0, **options).history


plain = made(keras.Model)
history, values, outputs = fitted(plain), plain.evaluate(X, Y, 16, verbose=0), plain.predict(X)
for kind in (Compiled, Keras):
    model = made(kind)
    print(kind.__name__, *alike(model, plain, fitted(model), history), same(model.evaluate(X, Y, 16, verbose=0), values),
          same(model.predict(X), outputs))
weighted, own = made(keras.Model, metrics=()), made(Compiled, metrics=())
print("weighted", *alike(own, weighted, fitted(own, sample_weight=WEIGHTS), fitted(weighted, sample_weight=WEIGHTS)))
trackers = made(Trackers, loss=None, metrics=())
shown = fitted(trackers)
print("trackers", same(shown["loss"], history["loss"]), same(shown["area"], [v for k, v in history.items() if "auc" in k][0]),
      all(map(same, trackers.get_weights(), plain.get_weights())), float(trackers.loss_tracker.result()) == np.float32(shown["loss"][-1]))

# On two replicas, with gradients that are accumulated, and with a rate that a callback changes.
models = []
for kind in (keras.Model, Compiled):
    with strategy.scope():
        models.append(made(kind, metrics=["accuracy"]))
    models[-1].compile(keras.optimizers.SGD(0.1), "binary_crossentropy", metrics=["accuracy"], steps_per_execution=2)
    models[-1].set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=2)
rates = keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch))
print("replicas", *alike(*models, *(fitted(model, callbacks=[rates]) for model in models)))


# A linear generator and its discriminator, trained by two optimisers: in one order, and in the other.
REAL, NOISE = random.normal(size=(32, 2)).astype(np.float32), random.normal(size=(32, 3)).astype(np.float32)


def adam(w, gradient, state, rate):
    state["t"] = t = state.get("t", 0) + 1
    state["m"] = 0.9 * state.get("m", 0) + 0.1 * gradient
    state["v"] = 0.999 * state.get("v", 0) + 0.001 * gradient ** 2
    return w - rate * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * state["m"] / (np.sqrt(state["v"]) + 1e-7)


def by_hand(steps, together, times=1):
    d, g, of_d, of_g = np.full((2, 1), 0.5), np.full((3, 2), 0.25), {}, {}
    for step in range(steps):
        part = slice(step % 4 * 8, step % 4 * 8 + 8)
        x, z = REAL[part].astype(float), NOISE[part].astype(float)
        fake, before = z @ g, d
        for _ in range(times):
            d = adam(d, 2 * x.T @ (x @ d - 1) / 8 + 2 * fake.T @ (fake @ d) / 8, of_d, 0.1)
        seen = before if together else d
        error = fake @ seen - 1
        g = adam(g, 2 * z.T @ (error @ seen.T) / 8, of_g, 0.05)
    return d, g, (error ** 2).mean()


def networks():
    d = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(2,))])
    g = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(3,))])
    d.set_weights([np.full((2, 1), 0.5)])
    g.set_weights([np.full((3, 2), 0.25)])
    return d, g, keras.optimizers.Adam(0.1), keras.optimizers.Adam(0.05)


def apart(d, g, of_d, of_g, x, z, times=1):
    """The generator's gradient is of the discriminator that the step has trained."""
    fake = g(z, training=True)
    for _ in range(times):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((d(x, training=True) - 1.0) ** 2) + tf.reduce_mean(d(fake, training=True) ** 2)
        of_d.apply_gradients(zip(tape.gradient(loss, d.trainable_weights), d.trainable_weights))
    with tf.GradientTape() as tape:
        g_loss = tf.reduce_mean((d(g(z, training=True), training=True) - 1.0) ** 2)
    of_g.apply_gradients(zip(tape.gradient(g_loss, g.trainable_weights), g.trainable_weights))
    return g_loss


def together(d, g, of_d, of_g, x, z):
    """Both gradients before both updates."""
    with tf.GradientTape() as tape, tf.GradientTape() as g_tape:
        fake = d(g(z, training=True), training=True)
        loss = tf.reduce_mean((d(x, training=True) - 1.0) ** 2) + tf.reduce_mean(fake ** 2)
        g_loss = tf.reduce_mean((fake - 1.0) ** 2)
    gradients = tape.gradient(loss, d.trainable_weights), g_tape.gradient(g_loss, g.trainable_weights)
    of_d.apply_gradients(zip(gradients[0], d.trainable_weights))
    of_g.apply_gradients(zip(gradients[1], g.trainable_weights))
    return g_loss


class Adversaries(keras.Model):
    def __init__(self, d, g, step):
        super().__init__()
        self.d, self.g, self.step = d, g, step

    def compile(self, of_d, of_g):
        super().compile()
        self.of_d, self.of_g = of_d, of_g

    def train_step(self, data):
        return {"g_loss": self.step(self.d, self.g, self.of_d, self.of_g, *data)}


config.auto_select_ipus = 1
config.configure_ipu_system()
for name, step, wanted in (("apart", apart, by_hand(8, False)), ("together", together, by_hand(8, True)),
                           ("several", lambda *given: apart(*given, times=3), by_hand(8, False, 3))):
    d, g, *optimizers = networks()
    model = Adversaries(d, g, step)
    model.compile(*optimizers)
    losses = model.fit(tf.data.Dataset.from_tensor_slices((REAL, NOISE)).batch(8), epochs=2, verbose=0).history["g_loss"]
    results = [same(d.get_weights()[0], wanted[0]), same(g.get_weights()[0], wanted[1]), same(losses[-1], wanted[2]),
               same(g.predict(NOISE), NOISE @ wanted[1])]
    for at_once in (True, False):
        given = networks()
        mean = keras.metrics.Mean()

        @tf.function
        def on_device(x, z):
            loss = step(*given, x, z)
            mean.update_state(loss)
            return loss
        for number in range(8):
            part = slice(number % 4 * 8, number % 4 * 8 + 8)
            loss = step(*given, REAL[part], NOISE[part]) if at_once else strategy.run(on_device, [REAL[part], NOISE[part]])
        results += [same(given[0].get_weights()[0], wanted[0]), same(given[1].get_weights()[0], wanted[1]), same(float(loss), wanted[2])]
    print(name, all(results), float(mean.count))

# A penalty on the gradient by the inputs, in a step, against differences of NumPy's: y = sum of v tanh(x k).
KERNEL, LAST = random.normal(size=(2, 3)), random.normal(size=(3, 1))


def penalty(kernel, last, x):
    slopes = ((1 - np.tanh(x @ kernel) ** 2) * last[:, 0]) @ kernel.T
    return ((np.sqrt((slopes ** 2).sum(1)) - 1) ** 2).mean()


class Penalised(keras.Sequential):
    def train_step(self, x):
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = self(x, training=True)
            slopes = inner.gradient(y, x)
            loss = tf.reduce_mean((tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1)) - 1.0) ** 2)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"penalty": loss}


model = Penalised([keras.layers.Dense(3, "tanh", use_bias=False, input_shape=(2,)), keras.layers.Dense(1, use_bias=False)])
model.compile(keras.optimizers.SGD(1.0))
model.set_weights([KERNEL, LAST])
shown = model.fit(REAL[:8], batch_size=8, verbose=0).history["penalty"]
wanted = []
for i, values in enumerate((KERNEL, LAST)):
    slopes = np.zeros_like(values)
    for at in np.ndindex(values.shape):
        apart = [np.array([KERNEL, LAST][i]) for _ in range(2)]
        apart[0][at] += 1e-5
        apart[1][at] -= 1e-5
        up, down = (penalty(*(each if i == k else other for k, other in enumerate((KERNEL, LAST))), REAL[:8].astype(float)) for each in apart)
        slopes[at] = (up - down) / 2e-5
    wanted.append(values - slopes)
print("penalty", same(shown, [penalty(KERNEL, LAST, REAL[:8])]), *(np.allclose(a, b, atol=1e-4) for a, b in zip(model.get_weights(), wanted)))


# One model learns what another says; both are parts of a third that has no call(). y = 2 x, the weight 1 and the learner's 0, so that
# the update is 2 x mean(x x) x 0.1, and the error the mean of x x.
class Learning(keras.Model):
    def __init__(self, teacher, learner):
        super().__init__()
        self.teacher, self.learner = teacher, learner

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            made = self.learner(x, training=True)
            loss = tf.reduce_mean((self.teacher(x, training=False) - made) ** 2)
        weights = [w for w in self.trainable_weights if w.name.startswith("learner")]
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        self.compiled_metrics.update_state(y, made)
        return {**{metric.name: metric.result() for metric in self.metrics}, "apart": loss}


teacher, learner = (keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(1,), name=name)]) for name in ("teacher", "learner"))
teacher.set_weights([np.ones((1, 1))])
learner.set_weights([np.zeros((1, 1))])
model = Learning(teacher, learner)
model.compile(keras.optimizers.SGD(0.1), metrics=["mse"])
x = REAL[:8, :1]
shown = model.fit(x, 2 * x, batch_size=8, verbose=0).history
print("learning", list(shown), same(shown["apart"], [(x ** 2).mean()]), same(shown["mse"], [4 * (x ** 2).mean()]), len(model.trainable_weights),
      same(learner.get_weights()[0], 0.2 * (x ** 2).mean()), teacher.get_weights()[0].item())
print("drawn", keras.backend.random_normal((2, 3)).shape, 2 <= float(tf.reduce_min(keras.backend.random_uniform((50,), 2.0, 3.0))))
