# SPDX-License-Identifier: GPL-3.0-or-later
"""Which names stand in which module."""
import contextlib
import sys
import time

import numpy as np

from . import (
    checkpoints, dialect, dtypes, errors, host, importing, internals, ipu_config, messages, modules_and_devices, names, names_within, naming,
    refused_names, scopes, structure)
from .data import (
    lookup_tables, ragged, records, strings, buckets as data_buckets, csv_tables as csv_data, mixing as data_mixing, padding as data_padding,
    pipelines as data, shown as data_shown, structures as data_structures, datasets)
from .ipu import (
    autoshard, benchmark, distributed, pipelining, strategy, trace_marks, operations as ipu_operations, options as ipu_options,
    replica as replica_operations)
from .keras import (
    addons, callbacks, folders, image_generators, older_ipu, popnn, progress, sequences, texts, als as keras_als, applications as keras_applications,
    augment as keras_augment, backend as keras_backend, composed as keras_composed, config as keras_config, ctc as keras_ctc, data as keras_data,
    internals as keras_internals, layers as keras_layers, lookup as keras_lookup, loss_scale as keras_loss_scale, model as keras_model,
    saving as keras_saving, stages as keras_stages, step as keras_step)
from .operations import (
    boxes, checks, complex_numbers, control_flow, ctc, ctc_decoders, host_linalg, image_colours, image_likeness, initializers, math_by_formula,
    nn_by_formula, numpy_names, printing, rare_by_formula, sampled_losses, signal, sparse, special_functions, tensor_arrays, array as array_operations,
    elementary as operations, image as image_operations, nn as nn_operations, random as random_operations, whole as whole_operations,
    custom_gradients, operators)
from .tf1 import (
    convolution_layers as convolution_layers_1, coordination, counted_metrics as counted_metrics_1, estimators, flags as flags_1, host_embedding,
    ipu_norms, former_names as former_names_1, layers as layers_1, monitored, rnn as rnn_1, saving as saving_1, session, templates as templates_1,
    train as train_1, train_hooks)
from .tracing import (
    compiler as ipu_compiler, conversions, device_states, functions, gradients, graph_variables as variables, loop_conversions, tape,
    variable_scopes, while_loops)
from .tensors import open_sessions, draws, graph
from .optimizers import own_updates

VERSION = "2.6.3"


def _types():
    return {("string" if name == "string" else name): value for name, value in dtypes.ALL.items()} | {
        "DType": dtypes.DType, "TensorShape": dtypes.TensorShape, "TensorSpec": dtypes.TensorSpec,
        "as_dtype": dtypes.as_dtype, "Tensor": graph.Tensor, "newaxis": None}


def _logging():
    levels = {"DEBUG": 10, "INFO": 20, "WARN": 30, "WARNING": 30, "ERROR": 40, "FATAL": 50}
    logger = host.logger()
    return {**levels, "set_verbosity": lambda v: logger.setLevel(v), "get_verbosity": logger.getEffectiveLevel, "log": logger.log,
            **{name: getattr(logger, name) for name in ("debug", "info", "warning", "error", "fatal")}, "warn": logger.warning}


def _ignored(*args, **kwargs):
    """Accepted, without meaning here."""


def _operations_everywhere(module):
    math = {**operations.MATH, **array_operations.MATH_MORE}
    names.module(module, array_operations.TOP_MORE)
    names.module(module, {**operations.TOP, **{k: v for k, v in operations.MATH.items() if k not in (
        "log", "erf", "rsqrt", "ceil", "softplus", "softsign", "reciprocal")},
        "nest": None})
    names.module(module, control_flow.NAMES)
    names.module(module + ".math", {**math, "ceil": math["ceil"], "log_softmax": operations.log_softmax,
                                    "softmax": operations.softmax})
    names.module(module + ".nn", nn_operations.NN)
    names.module(module + ".linalg", {name: {**operations.TOP, **array_operations.TOP_MORE, **math}[name] for name in (
        "matmul", "norm", "eye", "einsum", "tensordot", "l2_normalize", "global_norm")}, array_operations.LINALG)
    names.module(module + ".nest", {"flatten": structure.flatten, "map_structure": structure.map_structure,
                                    "pack_sequence_as": structure.pack_like})
    names.module(module + ".dtypes", _types())
    names.module(module + ".errors", errors.NAMES)
    names.names_in(module).pop("nest")


def _tensorflow_1():
    module = "tensorflow.compat.v1"
    _operations_everywhere(module)
    names.module(module, array_operations.TOP_1, random_crop=image_operations.random_crop)
    names.module(module + ".math", array_operations.MATH_1)
    names.module(module + ".nn", nn_operations.NN_1)
    math = operations.MATH
    names.module(module, {
        **_types(), "log": math["log"], "erf": math["erf"], "rsqrt": math["rsqrt"],
        "placeholder": graph.placeholder, "placeholder_with_default": graph.placeholder_with_default, "Session": session.Session, "InteractiveSession": session.InteractiveSession,
        "ConfigProto": session.ConfigProto, "Graph": graph.Graph, "Operation": graph.Operation,
        "get_default_graph": graph.current, "get_default_session": open_sessions.default,
        "reset_default_graph": graph.reset_default, "group": graph.group, "no_op": graph.group,
        "device": scopes.device, "control_dependencies": scopes.control_dependencies,
        "name_scope": scopes.name_scope, "variable_scope": variable_scopes.variable_scope,
        "get_variable": variables.get_variable, "get_variable_scope": variable_scopes.get_variable_scope,
        "VariableScope": variable_scopes.VariableScope, "Variable": variables.variable,
        "AUTO_REUSE": variable_scopes.AUTO_REUSE, "global_variables": variables.global_variables,
        "trainable_variables": variables.trainable_variables, "local_variables": variables.local_variables,
        "global_variables_initializer": variables.global_variables_initializer,
        "initialize_all_variables": variables.global_variables_initializer,
        "report_uninitialized_variables": variables.report_uninitialized_variables, "is_variable_initialized": variables.is_variable_initialized,
        "local_variables_initializer": variables.local_variables_initializer, "variables_initializer": variables.variables_initializer,
        **variables.ASSIGNMENTS,
        "get_collection": variables.get_collection,
        "add_to_collection": lambda name, value: graph.current().add_to_collection(name, value),
        "gradients": gradients.of_list, "hessians": gradients.hessians,
        "print": printing.print_2, "Print": printing.print_1, "to_float": lambda x, name=None: operations.cast(x, "float32"), "set_random_seed": draws.set_seed,
        "disable_v2_behavior": graph.disable_v2, "disable_eager_execution": graph.disable_eager,
        "enable_resource_variables": _ignored, "disable_resource_variables": _ignored,
        "executing_eagerly": graph.executing_eagerly, "is_tensor": graph.is_tensor, "__version__": VERSION,
        **{f"{name}_initializer": make for name, make in initializers.INITIALIZERS.items()}})
    names.module(module + ".initializers", initializers.INITIALIZERS)
    names.module(module, while_loop=while_loops.while_loop_1)
    names.module(module + ".logging", _logging())
    names.module(module + ".train", {"get_or_create_global_step": variables.get_or_create_global_step,
                                     "create_global_step": variables.get_or_create_global_step,
                                     "Saver": saving_1.Saver, "latest_checkpoint": saving_1.latest_checkpoint, **checkpoints.NAMES,
                                     "NewCheckpointReader": saving_1.CheckpointReader, "init_from_checkpoint": saving_1.init_from_checkpoint,
                                     "checkpoint_exists": saving_1.checkpoint_exists, **saving_1.READERS},
                 train_hooks.HOOKS, train_hooks.DECAYS)
    names.module("tensorflow.train", checkpoints.NAMES, saving_1.READERS, latest_checkpoint=saving_1.latest_checkpoint,
                 ExponentialMovingAverage=train_1.ExponentialMovingAverage)
    for each in ("tensorflow.pywrap_tensorflow", "tensorflow.python.pywrap_tensorflow"):
        names.module(each, NewCheckpointReader=saving_1.CheckpointReader)
    names.module(module + ".summary", train_hooks.SUMMARIES_1)
    names.module(module + ".random", uniform=random_operations.uniform, normal=random_operations.normal, set_random_seed=draws.set_seed,
                 truncated_normal=random_operations.truncated_normal, categorical=random_operations.categorical,
                 shuffle=random_operations.shuffle)
    names.module(module, random_uniform=random_operations.uniform, random_normal=random_operations.normal,
                 random_shuffle=random_operations.shuffle,
                 truncated_normal=random_operations.truncated_normal, function=functions.function, custom_gradient=custom_gradients.custom_gradient, GradientTape=tape.GradientTape)
    names.module("tensorflow.summary", train_hooks.SUMMARIES_2)
    names.module(module + ".metrics", saving_1.METRICS)
    for each in (module, "tensorflow"):
        names.module(each + ".estimator", estimators.NAMES)
        names.module(each + ".data.experimental", data.EXPERIMENTAL, data_padding.EXPERIMENTAL)
        names.module(each + ".autograph.experimental", do_not_convert=conversions.do_not_convert,
                     set_loop_options=loop_conversions.set_loop_options)
        names.module(each, tensor_arrays.NAMES)
        names.module(each, UnconnectedGradients=tape.UnconnectedGradients, init_scope=contextlib.nullcontext, timestamp=lambda name=None: operations.constant(np.float64(time.time())))
    names.module(module, to_int32=lambda x, name=None: operations.cast(x, "int32"))


def _ipu():
    ipu = "tensorflow.python.ipu"
    config = {name: getattr(ipu_config, name) for name in (
        "IPUConfig", "SelectionOrder", "DeviceConnectionType", "ExecutionProfileType", "SchedulingAlgorithm",
        "MergeRemoteBuffersBehaviour", "StochasticRoundingBehaviour", "configure_ipu_system",
        "reset_ipu_configuration", "get_ipu_config")}
    names.module(ipu + ".config", config)
    names.module(ipu + ".utils", config, ipu_options.FUNCTIONS, move_variable_initialization_to_cpu=_ignored, reset_ipu_seed=draws.reset_ipu_seed,
                 get_num_of_ipus_in_device=ipu_config.ipus_of_device,
                 running_on_ipu_model=ipu_config.using_ipu_model,
                 **{f"extract_{what}_from_event_trace": lambda events: "" for what in ("all_strings", "all_types", "all_events")},
                 extract_compile_reports=_no_reports, extract_execute_reports=_no_reports,
                 extract_graphs=_no_reports)
    names.module(ipu + ".scopes", {name: getattr(scopes, name) for name in (
        "ipu_scope", "ipu_shard", "ipu_jit_scope", "outside_compilation_scope", "frontend_attribute", "stochastic_rounding",
        "partials_type")})
    names.module(ipu + ".ipu_session_run_hooks", IPULoggingTensorHook=train_hooks.IPULoggingTensorHook)
    tables = {**ipu_operations.TABLES, "normalization_ops": ipu_norms.TABLE, "rnn_ops": popnn.TABLE}
    for name, table in tables.items():
        names.module(f"{ipu}.{name}", table)
    names.module("ipu_tensorflow_addons.layers.rnn_ops", popnn.TABLE)
    names.module("ipu_tensorflow_addons.layers", popnn.TABLE)
    names.module(ipu + ".ipu_compiler", compile=ipu_compiler.compile)
    names.module(ipu + ".loops", repeat=ipu_compiler.repeat, while_loop=while_loops.ipu_while_loop)
    names.module(ipu + ".ipu_strategy", IPUStrategy=strategy.IPUStrategy, IPUStrategyV1=strategy.IPUStrategy)
    names.module(ipu + ".ipu_infeed_queue", IPUInfeedQueue=pipelining.IPUInfeedQueue)
    names.module(ipu + ".ipu_outfeed_queue", IPUOutfeedQueue=pipelining.IPUOutfeedQueue,
                 IPUOutfeedMode=pipelining.IPUOutfeedMode, ScopedIPUOutfeedQueue=pipelining.ScopedIPUOutfeedQueue)
    schedule = {"PipelineSchedule": pipelining.PipelineSchedule, "RecomputationMode": pipelining.RecomputationMode,
                "pipeline": pipelining.pipeline, "OptimizerFunctionOutput": pipelining.OptimizerFunctionOutput,
                "PipelineStageOptions": pipelining.PipelineStageOptions, "_ALL_DEVICES": -1,
                "recomputation_checkpoint": pipelining.recomputation_checkpoint}
    names.module(ipu + ".pipelining_ops", schedule)
    reductions = {"GradientAccumulationReductionMethod": pipelining.GradientAccumulationReductionMethod}
    names.module(ipu + ".gradient_accumulation", reductions)
    names.module(ipu + ".optimizers", train_1.WRAPPERS, reductions)
    for module, made in (("cross_replica_optimizer", ("CrossReplicaOptimizer",)),
                         ("gradient_accumulation_optimizer", [n for n in train_1.WRAPPERS if "Accumulation" in n]),
                         ("map_gradient_optimizer", ("MapGradientOptimizer",)),
                         ("sharded_optimizer", ("ShardedOptimizer",)), ("ipu_optimizer", ("IpuOptimizer",))):
        for below in (f"{ipu}.{module}", f"{ipu}.optimizers.{module}"):
            names.module(below, {name: train_1.WRAPPERS[name] for name in made})
    for name, table in (("ipu_run_config", {"IPURunConfig": estimators.IPURunConfig, "RunConfig": estimators.RunConfig}),
                        ("ipu_estimator", {"IPUEstimator": estimators.IPUEstimator,
                                           "IPUEstimatorSpec": estimators.EstimatorSpec}),
                        ("ipu_pipeline_estimator", {"IPUPipelineEstimator": estimators.IPUPipelineEstimator,
                                                    "IPUPipelineEstimatorSpec": estimators.IPUPipelineEstimatorSpec})):
        names.module(f"{ipu}.{name}", table)
    names.module(ipu + ".dataset_benchmark", benchmark.NAMES)
    names.module(ipu + ".sharding", propagate_sharding=_ignored)  # gradients lie where their operations do
    names.module(ipu + ".autoshard", automatic_sharding=autoshard.automatic_sharding, ipu_autoshard=autoshard.ipu_autoshard)
    names.module(ipu + ".nn_ops", gelu=lambda x, approximate=True, name=None: operations.gelu(x, approximate),
                 hard_sigmoid=operations.UNARY_MORE["hard_sigmoid"], swish=operations.swish,
                 softmax=lambda x, stable=False, name=None: operations.softmax(x, name=name))
    names.module(ipu + ".rand_ops", dropout=random_operations.ipu_dropout)
    names.module(ipu + ".embedding_ops", host_embedding.NAMES, embedding_lookup=ipu_operations.embedding_lookup)
    names.module(ipu + ".math_ops", serialized_matmul=ipu_operations.serialized_matmul, segment_sum=array_operations.SEGMENTS["sum"])
    names.module(ipu + ".keras.layers", addons.LAYER_NAMES)
    names.module("ipu_tensorflow_addons.keras.layers", addons.LAYER_NAMES)
    names.module("ipu_tensorflow_addons.keras.optimizers", addons.OPTIMIZERS)
    for below, table in addons.REFUSED.items():
        for name, reason in table.items():
            names.refuse(f"ipu_tensorflow_addons.keras.{below}.{name}", reason)
    names.module(ipu + ".internal_ops", printing.INTERNAL_OPS, device_states.INTERNAL_OPS)
    names.module(ipu + ".control_flow_ops", barrier=printing.barrier)
    names.module(ipu + ".summary_ops", ipu_compile_summary=lambda name, op_list, collections=None: graph.symbolic(_no_events()))
    names.module(ipu + ".keras", older_ipu.NAMES)
    names.module(ipu, outlined_function=lambda func=None, unique_sharding=False, keep_input_layouts=None, name=None: func if func else (lambda f: f),
                 function=lambda func, name=None: func)
    for name in ("internal_ops", "control_flow_ops", "pipelining_ops", "nn_ops", "rand_ops", "embedding_ops", "math_ops", "summary_ops", *tables):
        names.alias(f"{ipu}.ops.{name}", f"{ipu}.{name}")
    for below, table in replica_operations.OF_POPLAR.items():
        names.module(f"tensorflow.compiler.plugin.poplar.ops.{below}", table)
    names.module("tensorflow.compiler.plugin.poplar.ops.gen_ipu_ops",
                 ipu_event_trace=lambda name=None: graph.current().add("constant", [], {"value": _no_events()},
                                                                        [("string", (0,))], "ipu_event_trace").outputs[0])


def _no_reports(events):
    """Reports are in the profile."""
    return []


def _no_events():
    return np.array([], object)


def _keras():
    keras = "tensorflow.keras"
    models = {"Model": keras_model.Model, "Sequential": keras_model.Sequential}
    names.module(keras, models, Input=keras_layers.Input, __version__="2.6.0")
    names.module(keras + ".models", models, load_model=keras_saving.load_model, save_model=keras_saving.save)
    names.module(keras + ".layers", keras_layers.LAYERS, keras_layers.FUNCTIONS, Input=keras_layers.Input,
                 InputLayer=keras_layers.InputLayer, Layer=keras_layers.Layer)
    names.module(keras + ".callbacks", callbacks.CALLBACKS)
    names.module("tensorflow.keras.datasets.imdb", get_word_index=datasets.word_index)
    for name, load_data in datasets.DATASETS.items():
        names.module(f"{keras}.datasets.{name}", load_data=load_data)
    names.module(keras + ".utils", keras_step.NAMES, Sequence=keras_data.Sequence, to_categorical=keras_data.to_categorical, normalize=keras_data.normalize, Progbar=progress.Progbar, get_file=datasets.get_file)
    for name, table in keras_applications.modules():
        names.module(f"{keras}.applications.{name}".rstrip("."), table)
    for place in (keras, "tensorflow.python.keras"):
        names.module(place + ".engine.data_adapter", keras_step.NAMES, expand_1d=keras_step.expand_1d)
    names.module(keras + ".preprocessing.sequence", pad_sequences=keras_data.pad_sequences)
    names.module(keras + ".backend", clear_session=keras_layers.clear_session, set_floatx=keras_layers.set_floatx,
                 floatx=keras_layers.floatx)
    names.module(keras + ".ipu", {"PipelineStage": keras_layers.PipelineStage, **keras_stages.NAMES,
                                    "ReplicatedMetricReductionMethod": pipelining.ReplicatedMetricReductionMethod})
    names.module(keras + ".ipu.optimizers", keras_als.NAMES)
    names.module(keras + ".ipu.layers", keras_als.LAYER_NAMES)
    internals.add_keras_names()
    image_operations.add_names()
    folders.add_names()
    texts.add_names()
    strings.add_names()
    keras_backend.add_names()
    keras_config.add_names()
    keras_internals.add_names()
    keras_composed.add_names()
    keras_loss_scale.add_names()
    keras_augment.add_names()
    keras_lookup.add_names()
    sequences.add_names()
    lookup_tables.add_names()
    math_by_formula.add_names()
    rare_by_formula.add_names()
    whole_operations.add_names()
    host_linalg.add_names()
    random_operations.add_names()
    image_colours.add_names()
    image_likeness.add_names()
    for each in (convolution_layers_1, counted_metrics_1, former_names_1, templates_1):
        each.add_names()
    ctc.add_names()
    ctc_decoders.add_names()
    keras_ctc.add_names()
    for other in ("keras", "tensorflow.compat.v1.keras", "tensorflow.python.keras"):
        names.alias(other, keras)
    names.module("tensorflow.compat.v1.keras.layers", keras_layers.OF_VERSION_1)


def _data():
    names.module("tensorflow.python.data.ops.dataset_ops", Dataset=data.Dataset, DatasetV2=data.Dataset)
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".data", Dataset=data.Dataset, AUTOTUNE=data.AUTOTUNE, 
                     INFINITE_CARDINALITY=data.INFINITE, UNKNOWN_CARDINALITY=data.UNKNOWN,
                     make_initializable_iterator=lambda dataset, shared_name=None: dataset.make_initializable_iterator(),
                     make_one_shot_iterator=lambda dataset: dataset.make_one_shot_iterator())
        names.module(module + ".data.experimental", AUTOTUNE=data.AUTOTUNE,
                     cardinality=lambda dataset: dataset.cardinality())


def _tensorflow_2():
    module = "tensorflow"
    _operations_everywhere(module)
    names.module(module, {**_types(), "device": scopes.device, "name_scope": scopes.name_scope,
                          "control_dependencies": scopes.control_dependencies, "print": printing.print_2,
                          "function": functions.function, "GradientTape": tape.GradientTape,
                          "custom_gradient": custom_gradients.custom_gradient, "gradients": gradients.of_list, "hessians": gradients.hessians,
                          "Variable": functions.EagerVariable, "Graph": graph.Graph, "Operation": graph.Operation,
                          "group": graph.group, "while_loop": while_loops.while_loop_2,
                          "executing_eagerly": graph.values_at_hand, "is_tensor": graph.is_tensor, "get_logger": host.logger,
                          "__version__": VERSION, "version": None})
    names.module(module, {f"{name}_initializer": initializers.INITIALIZERS[name] for name in (
        "constant", "zeros", "ones", "random_normal", "random_uniform")})
    names.module(module + ".version", VERSION=VERSION, GIT_VERSION=f"v{VERSION}-tilescope", COMPILER_VERSION="", GRAPH_DEF_VERSION=808)
    names.names_in(module).pop("version")
    names.module(module + ".random", set_seed=draws.set_seed, uniform=random_operations.uniform, normal=random_operations.normal,
                 truncated_normal=random_operations.truncated_normal, categorical=random_operations.categorical,
                 shuffle=random_operations.shuffle)
    numpy_names.add_names()
    signal.add_names()
    complex_numbers.add_names()
    sampled_losses.add_names()
    ragged.add_names()
    keras_saving.add_names()
    image_generators.add_names()
    names.alias("tensorflow.initializers", "tensorflow.keras.initializers")
    names.alias("tensorflow.losses", "tensorflow.keras.losses")
    names.alias("tensorflow.metrics", "tensorflow.keras.metrics")
    names.alias("tensorflow.optimizers", "tensorflow.keras.optimizers")


def _names_of_numpy():
    """NumPy's names for Python's types, which the versions that IPU TensorFlow needs have, and newer ones do not."""
    for kind in (bool, int, float, complex, object, str):
        if kind.__name__ not in vars(np):
            setattr(np, kind.__name__, kind)


def install(script):
    """Makes the modules those that the script imports."""
    operators.give(graph.Tensor)
    _names_of_numpy()
    _data()
    _tensorflow_1()
    train_1.add_names("tensorflow.compat.v1")
    flags_1.add_names()
    layers_1.add_names()
    modules_and_devices.add_names()
    rnn_1.add_names()
    _ipu()
    _keras()
    _tensorflow_2()
    internals.add_names()
    special_functions.add_names()
    records.add_names()
    nn_by_formula.add_names()
    data_structures.add_names()
    monitored.add_names()
    own_updates.add_names()
    messages.add_names()
    boxes.add_names()
    checks.add_names()
    coordination.add_names()
    names_within.add_names()
    refused_names.add_names()
    sparse.add_names()
    trace_marks.add_names()
    csv_data.add_names()
    data_buckets.add_names()
    data_mixing.add_names()
    data_shown.add_names()
    distributed.add_names()
    naming.add_names()
    name = dialect.first_of_version_1(script)
    if name:
        host.tell(f"tilescope: note: `tensorflow` is version 1.15, which has tf.{name}")
        dialect.take_version_1()
    elif dialect.makes_graphs(script):
        graph.disable_v2()
    sys.meta_path.insert(0, importing.Finder())
