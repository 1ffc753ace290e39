# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that scripts use now and then, of TensorFlow 1 and of modules within TensorFlow; and what of these cannot be there."""
import contextlib
import enum
import threading

import numpy as np

from . import checks, failures, graph, layers_1, names, nn_operations, operations, saving_1, structure, train_1, train_hooks, variables
from .dtypes import TensorShape

PYTHON, V1 = "tensorflow.python", "tensorflow.compat.v1"
_FROZEN = "graphs are not frozen here; tilescope profile reads ONNX, Keras' files and frozen graphs"
_ONE_PROCESS = "there is one process; use popdist with --num-instances"
_NO_WEIGHTS = "names of classes are not downloaded; np.argsort(predictions) gives the numbers of the best"


class IndexedSlices:
    """Rows of a tensor, and their numbers. Gradients are never such here."""

    def __init__(self, values, indices, dense_shape=None):
        self.values, self.indices, self.dense_shape = graph.convert(values), graph.convert(indices), dense_shape

    dtype = property(lambda self: self.values.dtype)


def reverse_sequence(input, seq_lengths=None, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None):
    """The first seq_lengths[i] steps of each sample the other way round."""
    x = graph.convert(input)
    steps = operations.axis_of(seq_dim if seq_axis is None else seq_axis, len(x.dims))
    batch = operations.axis_of((batch_dim or 0) if batch_axis is None else batch_axis, len(x.dims))
    order = [batch, steps, *(i for i in range(len(x.dims)) if i not in (batch, steps))]
    moved = operations.transpose(x, order)
    lengths = operations.expand_dims(operations.cast(seq_lengths, "int32"), -1)
    step = operations.broadcast_to(operations.constant(np.arange(moved.dims[1], dtype=np.int32)[None]), list(moved.dims[:2]))
    places = operations.where(operations.less(step, lengths), operations.subtract(operations.subtract(lengths, 1), step), step)
    return operations.transpose(operations.gather(moved, places, batch_dims=1), [order.index(i) for i in range(len(order))])


class VariableAggregation(enum.Enum):
    """How the values of replicas become one; here they have the same."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)


class VariableSynchronization(enum.Enum):
    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class Coordinator:
    """tf.train.Coordinator: threads of the host that end together."""

    def __init__(self, clean_stop_exception_types=None):
        self._stop, self._threads, self._lost = threading.Event(), [], None
        self._clean = tuple(clean_stop_exception_types or ())

    def should_stop(self):
        return self._stop.is_set()

    def request_stop(self, ex=None):
        """`ex`: an exception, or what sys.exc_info() gives: the first is raised by join()."""
        ex = ex[1] if isinstance(ex, tuple) else ex
        if ex is not None and self._lost is None and not isinstance(ex, self._clean):
            self._lost = ex
        self._stop.set()

    def clear_stop(self):
        self._lost = None
        self._stop.clear()

    def wait_for_stop(self, timeout=None):
        return self._stop.wait(timeout)

    def register_thread(self, thread):
        self._threads.append(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        for each in [*self._threads, *(threads or [])]:
            each.join(stop_grace_period_secs)
        if self._lost is not None:
            raise self._lost

    @contextlib.contextmanager
    def stop_on_exception(self):
        """What is raised within it stops all, and is raised by join()."""
        try:
            yield
        except Exception as error:  # pylint: disable=broad-except
            self.request_stop(error)


class ReplicaContext:
    """tf.distribute.get_replica_context(): the one replica of what is at hand; those of a program are ipu.replication_ops'."""

    replica_id_in_sync_group = 0
    strategy = property(lambda self: _strategy())
    num_replicas_in_sync = property(lambda self: self.strategy.num_replicas_in_sync if self.strategy else 1)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        return merge_fn(self.strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op, value, options=None):
        return self.strategy.reduce(reduce_op, value) if self.strategy else value


def _strategy():
    from . import strategy
    return strategy.current_or_none()


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Errors: ValueError or TypeError where one is nested otherwise than the other."""
    first, second = structure.flatten_up_to(nest1, nest2), structure.flatten_up_to(nest2, nest1)
    if first is None or second is None or len(structure.flatten(nest1)) != len(structure.flatten(nest2)):
        raise ValueError(f"The two structures don't have the same nested structure.\n\nFirst structure: {nest1}\n\nSecond structure: {nest2}")
    if check_types and isinstance(nest1, (list, tuple, dict)) and type(nest1) is not type(nest2):
        raise TypeError(f"The two namedtuples don't have the same sequence type. First structure {nest1} has type {type(nest1).__name__}, while "
                        f"second structure {nest2} has type {type(nest2).__name__}")


def _shape_of_transposed(extent, kernel, stride, padding):
    return extent * stride if padding.upper() == "SAME" else extent * stride + max(kernel - stride, 0)


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", activation=None,
                     use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    """tf.layers.conv2d_transpose."""
    x = graph.symbolic(inputs)
    train_1._refuse("conv2d_transpose", activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint,
                    bias_constraint=bias_constraint)
    if data_format == "channels_first":
        raise failures.refused("tf.layers.conv2d_transpose(data_format='channels_first')", "use channels_last, or tf.nn.conv2d_transpose")
    size, steps = ([each] * 2 if isinstance(each, int) else list(each) for each in (kernel_size, strides))
    with variables.variable_scope(train_1._layer_name(name, "conv2d_transpose"), reuse=reuse):
        kernel = variables.get_variable("kernel", size + [filters, x.dims[-1]], x.dtype, kernel_initializer, kernel_regularizer, trainable)
        made = [_shape_of_transposed(*each, padding) for each in zip(x.dims[1:3], size, steps)]
        y = nn_operations.conv2d_transpose(x, kernel, [x.dims[0], *made, filters], steps, padding.upper())
        if use_bias:
            zeros = bias_initializer or variables.INITIALIZERS["zeros"]()
            y = operations.add(y, variables.get_variable("bias", [filters], x.dtype, zeros, bias_regularizer, trainable))
    return train_1._activated(y, activation)


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


COMPAT = {"as_bytes": lambda text, encoding="utf-8": text if isinstance(text, bytes) else text.encode(encoding),
          "as_text": lambda text, encoding="utf-8": _text(text), "as_str": lambda text, encoding="utf-8": _text(text),
          "as_str_any": lambda value: _text(value) if isinstance(value, (str, bytes)) else str(value)}
REFUSED = {
    f"{V1}.graph_util": _FROZEN, f"{PYTHON}.framework.graph_util": _FROZEN, "tensorflow.graph_util": _FROZEN,
    **{f"{V1}.{name}": _FROZEN for name in ("GraphDef", "import_graph_def", "NodeDef", "train.import_meta_graph", "train.export_meta_graph",
                                            "train.write_graph", "io.write_graph")},
    "tensorflow.core.framework.graph_pb2": _FROZEN, "tensorflow.core.framework.attr_value_pb2": _FROZEN,
    "tensorflow.core.framework.node_def_pb2": _FROZEN, "tensorflow.tools.graph_transforms": _FROZEN,
    f"{PYTHON}.tools.strip_unused_lib": _FROZEN, f"{PYTHON}.tools.import_pb_to_tensorboard": _FROZEN,
    f"{PYTHON}.ops.io_ops": "use tf.train.NewCheckpointReader, which gives arrays", f"{PYTHON}.training.saver.BaseSaverBuilder": "use tf.train.Saver",
    **{f"{module}.{name}": "tensors are not made into messages for servers; use NumPy" for module, name in (
        (V1, "make_tensor_proto"), ("tensorflow", "make_tensor_proto"), (V1, "make_ndarray"), ("tensorflow", "make_ndarray"),
        (f"{PYTHON}.framework.tensor_util", "make_tensor_proto"), (f"{PYTHON}.framework.tensor_util", "MakeNdarray"),
        (f"{V1}.contrib.util", "make_ndarray"))},
    f"{V1}.profiler": "tilescope report has the floating point operations of each operation (operation.flops)",
    f"{PYTHON}.client.timeline": "tilescope export FILE --format trace makes a trace that Chrome and Perfetto show",
    **{f"tensorflow.data.experimental.{name}": "ipu.dataset_benchmark measures how fast a data set makes elements" for name in (
        "StatsAggregator", "latency_stats", "bytes_produced_stats")},
    **{f"{V1}.data.experimental.{name}": "ipu.dataset_benchmark measures how fast a data set makes elements" for name in (
        "StatsAggregator", "latency_stats", "bytes_produced_stats")},
    **{f"{module}.{name}": _ONE_PROCESS for module in ("tensorflow.distribute", f"{V1}.distribute") for name in ("Server", "cluster_resolver")},
    **{f"{module}.{name}": _ONE_PROCESS for module in ("tensorflow.train", f"{V1}.train") for name in ("ClusterSpec", "Server", "replica_device_setter")},
    **{f"{module}.bfloat16": "the IPU has no bfloat16; use float16 or float32" for module in ("tensorflow", V1, "tensorflow.dtypes", f"{V1}.dtypes")},
    **{f"{module}.strings.{name}": "use keras.preprocessing.text.Tokenizer, or numbers of your own" for module in ("tensorflow", V1) for name in (
        "to_hash_bucket_fast", "to_hash_bucket", "to_hash_bucket_strong")},
    **{f"ipu_tensorflow_addons.layers{below}.{name}": "use PopnnGRU, and mask the steps beyond the end of a sequence" for below in ("", ".rnn_ops")
       for name in ("PopnnAUGRU", "PopnnDynamicGRU")},
    **{f"{PYTHON}.ipu.{below}rnn_ops.{name}": "use PopnnGRU, and mask the steps beyond the end of a sequence" for below in ("", "ops.")
       for name in ("PopnnAUGRU", "PopnnDynamicGRU", "PopnnDynamicLSTM")},
    "tensorflow.keras.DistributedOptimizer": "use popdist with --num-instances, whose replicas exchange gradients",
    **{f"tensorflow.keras.applications.{family}": "its architecture is not there; VGG, ResNet, MobileNet, DenseNet, Xception and InceptionV3 are"
       for family in ("nasnet", "efficientnet", "inception_resnet_v2", "mobilenet_v3")},
    **{f"tensorflow.keras.applications.{family}.decode_predictions": _NO_WEIGHTS for family in (
        "vgg16", "vgg19", "resnet", "resnet50", "resnet_v2", "densenet", "mobilenet", "mobilenet_v2", "xception", "inception_v3", "imagenet_utils")}}


def _tensorflow_1():
    table = {"IndexedSlices": IndexedSlices, "reverse_sequence": reverse_sequence, "histogram_summary": train_hooks._summary,
             "scalar_summary": train_hooks._summary}
    names.module(V1, table)
    names.module("tensorflow", {name: table[name] for name in ("IndexedSlices", "reverse_sequence")})
    names.module("tensorflow.compat", COMPAT)
    names.module(V1 + ".train", Coordinator=Coordinator)
    names.module("tensorflow.train", Coordinator=Coordinator)
    names.module(V1 + ".layers", conv2d_transpose=conv2d_transpose, Conv2DTranspose=type("Conv2DTranspose", (layers_1.Layer,), {
        "function": staticmethod(conv2d_transpose), "base": "conv2d_transpose", "__doc__": "tf.layers.conv2d_transpose as a class"}))
    train_1.Optimizer.GATE_NONE, train_1.Optimizer.GATE_OP, train_1.Optimizer.GATE_GRAPH = range(3)
    for module in ("tensorflow", V1):
        names.module(module + ".test", is_gpu_available=lambda *args, **kwargs: False, is_built_with_cuda=lambda: False)
        names.module(module + ".nest", assert_same_structure=assert_same_structure)
        names.module(module + ".distribute", get_replica_context=lambda: ReplicaContext())
        names.module(module + ".dtypes", cast=operations.cast)
        names.module(module, VariableAggregation=VariableAggregation, VariableSynchronization=VariableSynchronization)


def _within_python():
    from . import tensor_arrays
    names.module(f"{PYTHON}.ops.array_ops", reverse_sequence=reverse_sequence)
    names.module(f"{PYTHON}.ops.control_flow_ops", Assert=checks.assert_)
    names.module(f"{PYTHON}.ops.math_ops", to_int32=lambda x, name=None: operations.cast(x, "int32"),
                 to_float=lambda x, name=None: operations.cast(x, "float32"))
    names.module(f"{PYTHON}.ops.tensor_array_ops", tensor_arrays.NAMES)
    names.module(f"{PYTHON}.util.nest", assert_same_structure=assert_same_structure)
    names.module(f"{PYTHON}.framework.tensor_shape", unknown_shape=lambda rank=None: TensorShape(None if rank is None else [None] * rank))
    names.module(f"{PYTHON}.framework.ops", IndexedSlices=IndexedSlices)
    names.module(f"{PYTHON}.distribute.distribution_strategy_context", get_replica_context=lambda: ReplicaContext())
    names.module(f"{PYTHON}.training.slot_creator", create_zeros_slot=_zeros_slot)
    names.module(f"{PYTHON}.platform.tf_logging", names.names_in(V1 + ".logging"))
    names.module(f"{PYTHON}.training.checkpoint_utils", saving_1.READERS)
    names.module(f"{V1}.contrib.framework.python.framework.checkpoint_utils", saving_1.READERS)
    names.alias(f"{V1}.array_ops", f"{PYTHON}.ops.array_ops")


def _zeros_slot(primary, name, dtype=None, colocate_with_primary=True, copy_xla_sharding=False):
    from . import own_updates
    return own_updates._made(primary, name, "zeros", None, dtype)


def add_names():
    _tensorflow_1()
    _within_python()
    for name, reason in REFUSED.items():
        names.refuse(name, reason)
