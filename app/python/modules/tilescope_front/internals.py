# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules of `tensorflow.python` and the like that public scripts import names from, and what cannot be there."""
import contextlib
import os
import shutil

from . import dtypes, errors, names, scopes, structure
from .data import pipelines as data
from .keras import layers as keras_layers, parts as keras_parts, saving as keras_saving
from .operations import array as array_operations, control_flow, custom_gradients, elementary as operations, initializers, nn as nn_operations
from .tf1 import losses as losses_1, session, train as train_1
from .tracing import functions, graph_variables as variables, variable_scopes, while_loops
from .tensors import open_sessions, graph

PYTHON = "tensorflow.python"


class GFile:
    """tf.gfile's files: those of the host."""

    def __new__(cls, name, mode="r"):
        return open(name, mode, encoding=None if "b" in mode else "utf-8")


def _listed(pattern):
    import glob
    return sorted(glob.glob(pattern))


FILES = {"GFile": GFile, "FastGFile": GFile, "Open": GFile, "exists": os.path.exists, "Exists": os.path.exists,
         "isdir": os.path.isdir, "IsDirectory": os.path.isdir, "listdir": os.listdir, "ListDirectory": os.listdir,
         "glob": _listed, "Glob": _listed, "makedirs": lambda path: os.makedirs(path, exist_ok=True),
         "MakeDirs": lambda path: os.makedirs(path, exist_ok=True), "mkdir": os.mkdir, "MkDir": os.mkdir,
         "remove": os.remove, "Remove": os.remove, "rmtree": shutil.rmtree, "DeleteRecursively": shutil.rmtree}


@contextlib.contextmanager
def _nothing(*args, **kwargs):
    yield


def _tensorflow_python():
    of_graph = {"control_dependencies": scopes.control_dependencies, "device": scopes.device,
                "name_scope": scopes.name_scope, "Tensor": graph.Tensor, "Graph": graph.Graph,
                "Operation": graph.Operation, "get_default_graph": graph.current, "GraphKeys": train_1.GraphKeys,
                "get_default_session": open_sessions.default, "colocate_with": _nothing, "init_scope": _nothing,
                "get_collection": variables.get_collection,
                "add_to_collection": lambda name, value: graph.current().add_to_collection(name, value),
                "convert_to_tensor": operations.convert_to_tensor, "disable_eager_execution": graph.disable_eager,
                "executing_eagerly": graph.executing_eagerly}
    arrays = {**array_operations.TOP_MORE, **array_operations.TOP_1, **operations.TOP, "stop_gradient": control_flow.NAMES["stop_gradient"],
              "placeholder": graph.placeholder, "sparse_placeholder": graph.placeholder}
    of_variables = {"get_variable": variables.get_variable, "variable_scope": variable_scopes.variable_scope,
                    "get_variable_scope": variable_scopes.get_variable_scope, "VariableScope": variable_scopes.VariableScope,
                    "AUTO_REUSE": variable_scopes.AUTO_REUSE}
    lists = {"Variable": variables.variable, "VariableV1": variables.variable,
             "global_variables": variables.global_variables, "trainable_variables": variables.trainable_variables,
             "global_variables_initializer": variables.global_variables_initializer,
             "local_variables_initializer": variables.local_variables_initializer,
             "variables_initializer": variables.variables_initializer}
    first = {f"{name}_initializer": make for name, make in initializers.INITIALIZERS.items()}
    steps = {name: variables.get_or_create_global_step for name in ("get_or_create_global_step", "create_global_step",
                                                                    "get_global_step")}
    from .tracing import gradients, tape
    kinds = {"DType": dtypes.DType, "as_dtype": dtypes.as_dtype, **dtypes.ALL}
    for below, table in {
            "framework.ops": of_graph, "framework.dtypes": kinds, "dtypes": kinds, "framework.errors": errors.NAMES,
            "framework.errors_impl": errors.NAMES, "framework.constant_op": {"constant": operations.constant},
            "framework.tensor_shape": {"TensorShape": dtypes.TensorShape},
            "framework.tensor_spec": {"TensorSpec": dtypes.TensorSpec}, "ops.linalg_ops": {"norm": array_operations.TOP_MORE["norm"]},
            "ops.array_ops": arrays, "ops.math_ops": {
                **array_operations.MATH_MORE, **array_operations.TOP_MORE, **operations.MATH, **operations.TOP}, "ops.nn": nn_operations.NN_1,
            "ops.nn_ops": nn_operations.NN_1, "ops.variable_scope": of_variables, "ops.variables": lists,
            "ops.init_ops": first, "ops.gradients": {"gradients": gradients.of_list},
            "ops.custom_gradient": {"custom_gradient": custom_gradients.custom_gradient},
            "ops.gradients_impl": {"gradients": gradients.of_list}, "ops.losses.losses": losses_1.LOSSES,
            "ops.control_flow_ops": {"group": graph.group, "no_op": graph.group, "cond": control_flow.cond,
                                     "while_loop": while_loops.while_loop_1},
            "training.optimizer": {"Optimizer": train_1.Optimizer}, "training.training_util": steps,
            "training.gradient_descent": {"GradientDescentOptimizer": train_1.GradientDescentOptimizer},
            "training.momentum": {"MomentumOptimizer": train_1.MomentumOptimizer},
            "training.adam": {"AdamOptimizer": train_1.AdamOptimizer},
            "training.rmsprop": {"RMSPropOptimizer": train_1.RMSPropOptimizer},
            "client.session": {"Session": session.Session, "InteractiveSession": session.InteractiveSession},
            "data.ops.dataset_ops": {"Dataset": data.Dataset, "DatasetV2": data.Dataset},
            "util.nest": {"flatten": structure.flatten, "map_structure": structure.map_structure,
                          "pack_sequence_as": structure.pack_like,
                          "is_sequence": lambda value: isinstance(value, (list, tuple, dict))},
            "ops.state_ops": variables.ASSIGNMENTS,
            "eager.backprop": {"GradientTape": tape.GradientTape},
            "eager.def_function": {"function": functions.function}, "platform.gfile": FILES}.items():
        names.module(f"{PYTHON}.{below}", table)
    for module in ("tensorflow.io.gfile", "tensorflow.compat.v1.io.gfile", "tensorflow.compat.v1.gfile"):
        names.module(module, FILES)


def _contrib():
    """What of tf.contrib has the same under other names."""
    from .tracing import compiler as ipu_compiler
    from .tf1 import saving as saving_1
    first = initializers.INITIALIZERS

    def xavier(uniform=True, seed=None, dtype=dtypes.float32):
        return first["glorot_uniform" if uniform else "glorot_normal"](seed=seed)
    contrib = "tensorflow.compat.v1.contrib"  # TensorFlow 2 has none
    names.module(contrib + ".layers", xavier_initializer=xavier, l1_regularizer=lambda scale, scope=None: _of_weights(
        scale, lambda w: operations.reduce_sum(operations.abs_(w))), l2_regularizer=lambda scale, scope=None: _of_weights(
            scale, nn_operations.NN["l2_loss"]))
    names.alias(contrib + ".data", "tensorflow.compat.v1.data.experimental")
    names.alias(contrib + ".rnn", "tensorflow.compat.v1.nn.rnn_cell")
    names.module(contrib + ".compiler.xla", compile=ipu_compiler.compile)
    names.module(contrib + ".framework", saving_1.READERS)
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".xla.experimental", compile=ipu_compiler.compile)


def _of_weights(scale, function):
    """A regulariser of tf.contrib.layers."""
    return lambda weights: operations.multiply(function(weights), float(scale))


def add_keras_names():
    """Keras' own files, as far as scripts name them."""
    for below in ("core", "pooling", "convolutional", "recurrent", "recurrent_v2", "embeddings", "merge",
                  "normalization", "advanced_activations"):
        names.module(f"tensorflow.keras.layers.{below}", keras_layers.LAYERS, Layer=keras_layers.Layer)
    names.module("tensorflow.keras.engine.base_layer", Layer=keras_layers.Layer)
    names.module("tensorflow.keras.engine.keras_tensor", KerasTensor=keras_layers.KerasTensor)
    names.module("tensorflow.keras.optimizer_v2.optimizer_v2", OptimizerV2=keras_parts.Optimizer)
    for below, made in (("gradient_descent", "SGD"), ("adam", "Adam"), ("rmsprop", "RMSprop")):
        names.module(f"tensorflow.keras.optimizer_v2.{below}", {made: keras_parts.OPTIMIZERS[made]})
    names.module("tensorflow.keras.backend", unique_object_name=_unique_object_name,
                 image_data_format=lambda: "channels_last", image_dim_ordering=lambda: "tf", learning_phase=lambda: 0, set_session=lambda session: None)
    for module in ("tensorflow.keras.losses", "tensorflow.keras.utils.losses_utils", "tensorflow.keras.losses.losses_utils"):
        names.module(module, Reduction=keras_parts.Reduction, ReductionV2=keras_parts.Reduction)


def _unique_object_name(name, name_uid_map=None, avoid_names=None, namespace="", zero_based=False):
    return keras_layers.unique_name(name, zero_based)


REFUSED = {
    "tensorflow.contrib": "it has ended with TensorFlow 1; use tf.layers, tf.initializers and ipu.ipu_compiler",
    "tensorflow.compat.v1.contrib": "it has ended with TensorFlow 1; use tf.layers, tf.initializers and ipu.ipu_compiler",
    **{f"{module}.{name}": "there is one process; use IPUStrategy" for module in (
        "tensorflow.distribute", "tensorflow.compat.v1.distribute") for name in (
            "MirroredStrategy", "MultiWorkerMirroredStrategy", "Strategy", "OneDeviceStrategy", "TPUStrategy", "experimental")},
    "tensorflow.compat.v1.saved_model": keras_saving.NO_SAVED_MODELS,
    "tensorflow.nn.rnn_cell": "use ipu.rnn_ops.PopnnLSTM or PopnnGRU, or Keras' layers",
    "tensorflow.python.ipu.serving": "a model is not exported for TensorFlow Serving; save it as a Keras file",
    **{f"tensorflow.python.ipu.custom_ops.{name}": "operations of one's own in C++ need Poplar's compiler; write it with tf's" for name in (
        "precompiled_user_op", "cpu_user_operation")},
    "tensorflow.python.ipu.application_compile_op": "executables are not made for other programs; --cache keeps them",
    "tensorflow.python.ipu.embedded_runtime": "executables are not run by other programs; run the script's own",
    **{f"tensorflow.python.ipu.{below}{module}": reason for below in ("", "ops.") for module, reason in {
        "f8_ops": "the device has no numbers of 8 bits here; use float16",
        "slicing_ops": "use tf.slice, tf.gather and tf.concat",
        "statistics_ops": "count on the host, with NumPy",
        "grad_util_ops": "take the gradient by the tensor with tf.GradientTape"}.items()},
    "tensorflow.python.ipu.vertex_edsl": "vertices of one's own need Poplar's compiler; write it with tf's operations",
}


def add_names():
    _tensorflow_python()
    _contrib()
    for name, reason in REFUSED.items():
        names.refuse(name, reason)
