# SPDX-License-Identifier: GPL-3.0-or-later
# The numbers of optimisers as variables, how often they have updated, and tapes that give their gradients once.
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu


def stepped(optimizer, variable):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(variable * variable)
    optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
    return tape, loss


adam, variable = keras.optimizers.Adam(0.1), tf.Variable([3.0])
value, first, second, close = 3.0, 0.0, 0.0, []
for k in range(1, 7):
    if k == 4:
        adam.learning_rate.assign(0.05)
    if k == 6:
        adam.beta_1 = 0.5
    rate, beta = 0.1 if k < 4 else 0.05, 0.9 if k < 6 else 0.5
    gradient = 2 * value
    first, second = beta * first + (1 - beta) * gradient, 0.999 * second + 0.001 * gradient**2
    value -= rate * np.sqrt(1 - 0.999**k) / (1 - beta**k) * first / (np.sqrt(second) + 1e-7)
    tape, loss = stepped(adam, variable)
    close.append(bool(np.isclose(variable.numpy()[0], value, atol=1e-6)))
print(close, adam.iterations.numpy(), adam.lr.numpy(), adam.epsilon)
try:
    tape.gradient(loss, variable)
except RuntimeError as error:
    print(error)
with tf.GradientTape(persistent=True) as tape:
    loss = variable * variable
print(len({float(tape.gradient(loss, variable)) for _ in range(2)}))

print(repr(keras.optimizers.SGD(0.5).learning_rate), keras.optimizers.SGD().iterations)
sgd = keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5))
print(type(sgd.learning_rate).__name__)

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
x, y = np.ones((32, 3), np.float32), np.ones((32, 1), np.float32)


class Rates(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate.assign(0.1)
        print(float(keras.backend.get_value(self.model.optimizer.lr)) == np.float32(0.1))


with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
    model.compile(keras.optimizers.Adam(0.1), "mse", steps_per_execution=4)
    model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=2)
    model.fit(x, y, batch_size=4, verbose=0)
    print(model.optimizer.iterations.numpy())  # 8 batches, two replicas, two of each accumulated
    model.optimizer.learning_rate.assign(0.0)
    before = model.get_weights()
    model.fit(x, y, batch_size=4, verbose=0)
    print([bool(np.array_equal(*pair)) for pair in zip(before, model.get_weights())], model.optimizer.iterations.numpy())
    model.fit(x, y, batch_size=4, verbose=0, callbacks=[Rates()])
    print(any(np.array_equal(*pair) for pair in zip(before, model.get_weights())))


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(1)

    def call(self, inputs):
        return self.dense(inputs)

    def train_step(self, data):
        with tf.GradientTape() as own:
            loss = tf.reduce_mean(self(data[0]) - data[1])
        self.optimizer.apply_gradients(zip(own.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss, "rate": self.optimizer.learning_rate}


model = Own()
model.compile(keras.optimizers.SGD(0.25))
print(model.fit(x, y, batch_size=8, verbose=0).history["rate"], model.optimizer.iterations.numpy())
for refused in (lambda: sgd.iterations.assign(3), lambda: adam.epsilons):
    try:
        refused()
    except AttributeError as error:
        print(error)
