# SPDX-License-Identifier: GPL-3.0-or-later
# Checkpoints of TensorFlow 2: variables, models and optimizers go on where they were saved.
import os
import time

import numpy as np
import tensorflow as tf
from tensorflow import keras

x = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)


def made():
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    return model, keras.optimizers.Adam(0.1), tf.Variable([1.0, 2.0])


def trained(model, optimizer, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return [each.copy() for each in model.get_weights()]


model, optimizer, variable = made()
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, own=[variable])
manager = tf.train.CheckpointManager(checkpoint, "kept", max_to_keep=2)
print(manager.restore_or_initialize())
trained(model, optimizer, 3)
print(manager.save(), checkpoint.save_counter.numpy())
wanted = trained(model, optimizer, 2)
variable.assign([5.0, 6.0])
checkpoint.restore(tf.train.latest_checkpoint("kept")).assert_consumed()
print(variable.numpy().tolist(), optimizer.iterations.numpy(), all(map(np.allclose, trained(model, optimizer, 2), wanted)))

# Into objects that have not trained yet: the optimizer goes on from its moments.
fresh, other, second = made()
status = tf.train.Checkpoint(model=fresh, optimizer=other, own=[second]).restore("kept/ckpt-1")
print(all(np.allclose(a, b, atol=1e-6) for a, b in zip(trained(fresh, other, 2), wanted)), other.iterations.numpy(), second.numpy().tolist())
for _ in range(3):
    manager.save()
print([each.rpartition("/")[2] for each in manager.checkpoints], tf.train.get_checkpoint_state("kept").model_checkpoint_path)
half = tf.train.Checkpoint(own=[tf.Variable([0.0, 0.0])])
try:
    half.restore("kept/ckpt-4").assert_consumed()
except AssertionError as error:
    print(str(error).partition(":")[0])
for wrong in (lambda: tf.train.Checkpoint(own=[tf.Variable(1.0)]).restore("kept/ckpt-4"), lambda: tf.train.Checkpoint(a=3).save("kept/a"),
              lambda: checkpoint.restore("kept/nothing"), lambda: tf.train.Checkpoint(model=keras.Sequential([keras.layers.Dense(2)])).restore(
                  "kept/ckpt-4")):
    try:
        wrong()
    except (AttributeError, ValueError) as error:
        print(error)


# Attributes that are set later, optimizers of compiled models and their numbers, and what restore() says of what does not match.
def compiled(rate):
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    model.compile(keras.optimizers.Adam(rate), "mse")
    return model


def fitted(model, epochs):
    model.fit(x, np.ones((8, 2), np.float32), batch_size=8, epochs=epochs, verbose=0)
    return model.get_weights()


model, later = compiled(0.25), tf.train.Checkpoint()
later.model, later.step, later.note = model, tf.Variable(3), "a text"
fitted(model, 3)
path = later.save("later/a")
wanted = fitted(model, 2)
fresh = compiled(0.5)
second = tf.train.Checkpoint(model=fresh, step=tf.Variable(0))
second.restore(path).assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
print(later.step is later.objects["step"], later.note, second.step.numpy(), fresh.optimizer.iterations.numpy(), float(fresh.optimizer.learning_rate))
third = tf.train.Checkpoint(model=compiled(0.5), step=tf.Variable(0))
third.restore(second.save("later/b")).assert_consumed()  # before it has updated
print(all(map(np.allclose, fitted(fresh, 2), wanted)), all(map(np.allclose, fitted(third.model, 2), wanted)), third.model.optimizer.iterations.numpy())


class Falling(keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return 0.5 / (1.0 + tf.cast(step, tf.float32))


falling = [keras.Sequential([keras.layers.Dense(2, input_shape=(3,))]) for _ in range(2)]
for each in falling:
    each.compile(keras.optimizers.SGD(Falling()), "mse")
fitted(falling[0], 3)
tf.train.Checkpoint(model=falling[1]).restore(tf.train.Checkpoint(model=falling[0]).save("later/c")).assert_consumed()
print(all(map(np.allclose, fitted(falling[0], 2), fitted(falling[1], 2))))
uncompiled = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
tf.train.Checkpoint(model=uncompiled, step=tf.Variable(0)).restore(path)
uncompiled.compile(keras.optimizers.Adam(0.5), "mse")
print(uncompiled.optimizer.iterations.numpy(), all(map(np.allclose, fitted(uncompiled, 2), wanted)))
few = tf.train.Checkpoint(step=tf.Variable(0), other=tf.Variable(1.0))
for check in (few.restore(path).assert_existing_objects_matched, few.restore(path).expect_partial().assert_consumed,
              tf.train.Checkpoint(other=tf.Variable(1.0)).restore(path).assert_nontrivial_match, few.restore(None).assert_consumed):
    try:
        check()
    except AssertionError as error:
        print(str(error)[:120])

# Managers: of a folder that another has left, by steps, and by hours.
step = tf.Variable(0)
again = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), "kept", max_to_keep=2, step_counter=step, checkpoint_interval=3)
print(again.checkpoints, tf.train.get_checkpoint_state("kept").all_model_checkpoint_paths)
found = []
for _ in range(7):
    found.append(again.save(checkpoint_number=10 + int(step)))
    step.assign_add(1)
print(found, again.save(checkpoint_number=20, check_interval=False), sorted(each for each in os.listdir("kept") if each.startswith("ckpt")))
clock, time.time = [1e9], lambda: clock[0]
hourly = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), "hourly", max_to_keep=1, keep_checkpoint_every_n_hours=1)
for minutes in (0, 30, 40, 10, 10):
    clock[0] += 60 * minutes
    hourly.save()
print(hourly.checkpoints, sorted(each for each in os.listdir("hourly") if each.startswith("ckpt")))
for wrong in (lambda: tf.train.CheckpointManager(half, "kept", max_to_keep=0), lambda: tf.train.CheckpointManager(half, "kept", 1, checkpoint_interval=2)):
    try:
        wrong()
    except ValueError as error:
        print(error)
