# SPDX-License-Identifier: GPL-3.0-or-later
"""What is not there, in each kind of place: one line, which has the full name, what is nearest, and where to ask."""
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tilescope_engine
from tensorflow import keras
from tensorflow.python import ipu
from tilescope_front import failures

NAMES = """tf.matmull, tf.linalg.sqrtm, tf.raw_ops, tf.random.stateless_gamma, tf.math.polygamma, tf.python.foo, tf.compat.v3, tf.load_op_library,
tf.estimator.DNNClassifier, tf.data.experimental.rejection_resample, tf.distribute.MirroredStrategy, tf1.placehodler, tf1.contrib.rnn,
tf1.train.QueueRunner, tf1.layers.conv3d_transpose, keras.layers.Dens, keras.layers.RNNN, keras.layers.experimental.preprocessing.Hashing,
keras.applications.NASNetMobile, keras.losses.ContrastiveLoss, keras.optimizers.Adamx, keras.callbacks.RemoteMonitor,
keras.preprocessing.image.ImageDataGenerators, keras.layers.Dense(3).kernal, keras.optimizers.SGD(0.1).minimise,
keras.metrics.Mean().updatestate, keras.losses.get("nope"), keras.optimizers.get("nope"), keras.initializers.get("nope"),
keras.Sequential().fitt, tf.constant(1.0).foo, tf.Variable(1.0).scatter_foo, tf.GradientTape().wach, tf.GradientTape().jacobians,
tf.data.Dataset.from_tensor_slice, tf.data.Dataset.range(3).foo, tf.data.Options().experimental_foo,
ipu.scopes.ipu_shards, ipu.custom_ops.cpu_user_operation, ipu.serving, ipu.nn_ops.ctc_beam_search_decoder, ipu.pipelining_ops.PipelineSchedule.Group,
ipu.ipu_outfeed_queue.IPUOutfeedQueue().enque, ipu.ipu_strategy.IPUStrategy().runn"""
ARGUMENTS = """tf.reduce_sum(1.0, axiss=0), tf.nn.relu(1.0, alpha=3), tf.Variable(1.0, dtypee=1), tf.function(abs, jit_compiled=True),
tf.data.Dataset.range(3).batch(2, drop_reminder=True), tf1.constant_initializer(valu=3), tf1.Session(targt=""),
keras.layers.Dense(3, activations="relu"), keras.layers.BatchNormalization(renorm_momenta=1), keras.optimizers.Adam(lerning_rate=1),
keras.losses.MeanSquaredError(reductions="sum"), keras.callbacks.EarlyStopping(monitr="a"), keras.Input((3,), batchsize=3),
model().fit(x, y, epoch=2), model().predict(x, batchsize=3), model().compile("sgdd", "mse"), model().compile("sgd", "mse", loss_weight=1),
ipu.utils.create_ipu_config(profil=True), ipu.loops.repeat(2, abs, input=[1]), ipu.ipu_outfeed_queue.IPUOutfeedQueue(mode=1)"""
SETTINGS = """model(activation="relux"), model(kernel_initializer="glorot"), model(kernel_regularizer="l3"), model(kernel_constraint="nope"),
model(loss="msee"), model(metrics=["acuracy"])"""
MODULES = """tensorflow.keras.layer, tensorflow.python.ops.control_flow_opss, tensorflow.contrib.slim, ipu_tensorflow_addons.keras.layer"""
USED = """tensorflow_hub load, popart Builder, poptorch trainingModel, horovod.tensorflow init, tensorflow_addons.optimizers LAMB,
tensorflow.python.framework.graph_util convert_variables_to_constants, tensorflow.python.ipu.custom_ops precompiled_user_op,
tensorflow.python.tools.freeze_graph freeze_graph"""  # which scripts may import, and not use
TYPES = """tf.cast(x, "float33"), tf.concat(x), tf.zeros("a"), tf.constant([1, 2], shape=(3,)),
tf.matmul(x, "a"), model(units="a"), model(units=-1), model().compile("sgd", "mse", steps_per_execution="a")"""
x, y = np.ones((8, 4), np.float32), np.ones((8, 1), np.float32)


def model(units=1, loss="mse", metrics=None, **settings):
    made = keras.Sequential([keras.layers.Dense(units, **settings)])
    made.compile("sgd", loss, metrics=metrics)
    if settings or metrics or loss != "mse" or units != 1:
        made.fit(x, y, verbose=0)
    return made


def parted(text):
    """The expressions between the commas that are in no brackets."""
    parts, depth = [""], 0
    for letter in text.replace("\n", " "):
        depth += (letter in "([") - (letter in ")]")
        parts[-1] += letter
        if letter == "," and depth == 0:
            parts[-1] = parts[-1][:-1]
            parts.append("")
    return [part.strip() for part in parts]


def line_of(expression):
    try:
        exec(expression, {**globals()})  # pylint: disable=exec-used
    except BaseException as error:  # pylint: disable=broad-except
        return failures._line_of(error) or f"no line: {error!r}"
    return "nothing is wrong"


def bad(expressions, *wanted):
    """Those whose line has not all that is wanted."""
    lines = [(each, line_of(each)) for each in expressions]
    return [f"{each}: {line}" for each, line in lines
            if not all(any(part in line for part in alternatives) for alternatives in wanted) or "\n" in line]


ASKS = ("ask for it where Tilescope's issues are kept",)
NEAR = ("the nearest that is there is ", "run: ")
HERE = (" is not there under tilescope run",)
print(bad(parted(NAMES), HERE, NEAR, ASKS))
print(bad(parted(ARGUMENTS), HERE, NEAR, ASKS))
print(bad([f"import {name}" for name in parted(MODULES)], HERE, NEAR, ASKS))
print(bad([f"from {module} import {name}\n{name}()" for module, name in map(str.split, parted(USED))], HERE, NEAR, ASKS))
print(bad(parted(SETTINGS), (" is not supported",), ASKS))
print(bad(parted(TYPES), ("; check what is given to it", "is not a whole number")))
for each in ("tf.linalg.sqrtm", "keras.layers.experimental.preprocessing.Dense", "tf.nn.relu(1.0, alpha=3)",
             "model().fit(x, y, epoch=2)", "model(kernel_regularizer='l3')"):
    print(line_of(each))


class Own(keras.layers.Layer):
    """Of the script's own: a slip in a name that it has from us is told, one in a name of its own is Python's."""

    def __init__(self):
        super().__init__()
        self.value = 1


print(line_of("Own().add_weigth"))
print(line_of("Own().valeu"))


def repeat(n):
    """Of the script's own, though one of ours has this name, too."""


print(line_of("repeat(m=2)"))

# A file that cannot be read is nothing to ask for, whatever it is called.
print(line_of("tilescope_engine.Hdf5File('what is not supported.h5')"))

# What says by itself what is wrong.
for each in ("tf.compat.v1.layers.Dense(2).kernel", "keras.layers.Dense(2, name='apart').output", "tf.compat.v1.flags.FLAGS.nothing"):
    print(line_of(each))
