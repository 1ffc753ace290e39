# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of tf.train's optimisers as TensorFlow lists them, and the powers that Adam keeps. By hand."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()


def named(found):
    return [each.op.name for each in found]


with ipu.scopes.ipu_scope("/device:IPU:0"):
    a = tf.get_variable("a", initializer=tf.constant([1.0]))
    b = tf.get_variable("layer/b", initializer=tf.constant([2.0]))
    loss = tf.reduce_sum(3 * a * a + b * b)
    adam, again = tf.train.AdamOptimizer(0.1, beta1=0.8), tf.train.AdamOptimizer(0.1, beta2=0.99)
    step = adam.minimize(loss)
    later = tf.get_variable("later", initializer=tf.constant(0.0))
    print(named(tf.global_variables()))
    other = again.minimize(loss, var_list=[a])
    moved = tf.train.MomentumOptimizer(0.1, 0.9, name="Heavy")
    gathered = moved.minimize(loss, var_list=[b])
    centred = tf.train.RMSPropOptimizer(0.1, momentum=0.9, centered=True)
    squared = centred.minimize(loss, var_list=[b])
print(named(tf.global_variables())[8:], named(tf.trainable_variables()))
for each in (adam, again, moved, centred):
    print(named(each.variables()), each.get_slot_names())
with tf.variable_scope("train"), ipu.scopes.ipu_scope("/device:IPU:0"):
    inner = tf.train.MomentumOptimizer(0.1, 0.9)
    inner.minimize(loss, var_list=[b])
print(named(inner.variables()))
print(adam.get_slot(a, "v").name, again.get_slot(a, "m").name, again.get_slot(b, "m"))
saver = tf.train.Saver(tf.global_variables())
powers = {each.op.name: each for each in tf.global_variables() if "power" in each.name}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(powers))
    for _ in range(3):
        session.run(step)
    session.run(other)
    found = session.run(powers)
    print({name: float(np.round(each, 6)) for name, each in found.items()}, found["beta1_power"].dtype)
    path, wanted = saver.save(session, "kept/model"), session.run(powers)
    print(sorted(name for name, _ in tf.train.list_variables("kept") if "power" in name))
    session.run(step)
    session.run(tf.variables_initializer(adam.variables()))
    print(session.run([powers["beta1_power"], adam.get_slot(a, "m")]))
    before = session.run(a)
    session.run(step)
    print("a first step", np.allclose(before - session.run(a), 0.1, atol=1e-4))
    powers["beta2_power"].load(0.999 ** 6)
    print(float(np.round(session.run(powers["beta1_power"]), 5)))
    try:
        powers["beta1_power"].load(0.7)
    except tf.errors.InvalidArgumentError as error:
        print(error)
    saver.restore(session, path)
    print(session.run(powers) == wanted)
with tf.Session() as session:
    saver.restore(session, path)
    print(session.run(powers) == wanted)
