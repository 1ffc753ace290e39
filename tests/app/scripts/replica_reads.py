# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step reads again after it has updated it, on replicas: against NumPy, or one IPU that has what all replicas have."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

random = np.random.RandomState(0)
X, Z = random.rand(2, 16, 3).astype(np.float32)


def configure(ipus):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def close(found, wanted):
    return all(np.allclose(*pair, rtol=1e-4, atol=1e-6) for pair in zip(found, wanted, strict=True))


# Two variables, of which the second learns by the first as that is after its update; both gradients are sums over replicas.
configure(2)
strategy, queue = ipu.ipu_strategy.IPUStrategy(), ipu.ipu_outfeed_queue.IPUOutfeedQueue()
with strategy.scope():
    w, v = tf.Variable(0.5), tf.Variable(2.0)
    first, second = keras.optimizers.SGD(0.1, momentum=0.5), keras.optimizers.SGD(0.2)

    @tf.function
    def step(data):
        x, z = next(data)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x - 1) ** 2) + tf.reduce_mean((w * v * z) ** 2)
        first.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
        with tf.GradientTape() as tape:
            other = tf.reduce_mean((w * v * z - 1) ** 2)
        second.apply_gradients(zip(tape.gradient(other, [v]), [v]))
        queue.enqueue((other, w))

    data = iter(tf.data.Dataset.from_tensor_slices((X, Z)))
    for _ in range(3):
        strategy.run(step, [data])
a, b, m, seen = 0.5, 2.0, 0.0, []
for x, z in zip(X[:6].reshape(3, 2, 3), Z[:6].reshape(3, 2, 3)):
    m = 0.5 * m - 0.1 * (2 * (a * x - 1) * x + 2 * a * b * b * z * z).mean(1).sum()
    a += m
    seen.append((((a * b * z - 1) ** 2).mean(1), [a, a]))
    b -= 0.2 * (2 * (a * b * z - 1) * a * z).mean(1).sum()
print("by hand", close([w, v], [a, b]), close(queue.dequeue(), [np.array(each) for each in zip(*seen)]))


# The same in Keras, as a GAN: the discriminator learns twice before the generator does.
class Gan(keras.Model):
    def __init__(self, scale, constraint):
        super().__init__()
        self.scale = scale
        self.generator = keras.Sequential([keras.layers.Dense(4, "tanh"), keras.layers.Dense(3)])
        self.discriminator = keras.Sequential([keras.layers.Dense(5, "tanh", kernel_constraint=constraint), keras.layers.Dense(1)])
        self.of_d, self.of_g = keras.optimizers.Adam(0.05), keras.optimizers.RMSprop(0.02)

    def call(self, inputs):
        return self.discriminator(self.generator(inputs))

    def loss_of(self, values, label):
        return self.scale * keras.losses.BinaryCrossentropy(from_logits=True)(tf.fill(tf.shape(values), label), values)

    def train_step(self, batch):
        x, z = batch
        for _ in range(2):
            with tf.GradientTape() as tape:
                d = self.loss_of(self.discriminator(x), 1.0) + self.loss_of(self(z), 0.0)
            variables = self.discriminator.trainable_variables
            self.of_d.apply_gradients(zip(tape.gradient(d, variables), variables))
        with tf.GradientTape() as tape:
            g = self.loss_of(self(z), 1.0)
        variables = self.generator.trainable_variables
        self.of_g.apply_gradients(zip(tape.gradient(g, variables), variables))
        return {"d": d, "g": g}


def clipped(weights):
    return keras.backend.clip(weights, -0.4, 0.4)


def trained(ipus, scale, accumulated=1):
    configure(ipus)
    with ipu.ipu_strategy.IPUStrategy(enable_keras_extensions=True).scope():
        model = Gan(scale, clipped if accumulated == 1 else None)
        model(X)
        drawn = np.random.RandomState(1)
        model.set_weights([drawn.uniform(-0.7, 0.7, each.shape).astype(np.float32) for each in model.get_weights()])
        model.compile(steps_per_execution=2)
        if accumulated > 1:
            model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=accumulated)
        model.fit(X, Z, batch_size=8 // ipus, epochs=3, shuffle=False, verbose=0)
    return model.get_weights(), [len(model.of_d.get_weights()), int(model.of_d.iterations), int(model.of_g.iterations)]


whole, of_whole = trained(1, 2.0)
parts, of_parts = trained(2, 1.0)
print("Keras", close(parts, whole), of_parts == of_whole, of_parts, abs(whole[4]).max() <= 0.400001)
try:
    trained(2, 1.0, 2)
except AttributeError as error:
    print(error)


# TensorFlow 1, where replicas take the mean of their gradients.
def read_again(ipus):
    configure(ipus)
    with tf.Graph().as_default(), tf1.Session() as session:
        queue = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(X).batch(4 // ipus, drop_remainder=True))

        def body(total, x):
            weight = tf1.get_variable("weight", initializer=np.float32([1, 2, 3]))
            made = ipu.optimizers.CrossReplicaOptimizer(tf1.train.MomentumOptimizer(0.1, 0.9))
            with tf.control_dependencies([made.minimize(tf.reduce_mean((tf.reduce_sum(x * weight, 1) - 1) ** 2))]):
                return total + tf.reduce_sum(weight.read_value())

        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(4, body, [0.0], queue))
        session.run([tf1.global_variables_initializer(), queue.initializer])
        return [session.run(made)[0], session.run("weight:0")]


print("version 1", close(read_again(2), read_again(1)))
