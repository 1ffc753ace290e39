# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that public scripts use and that cannot be there, each with what to use instead."""
from . import names

PYTHON, V1 = "tensorflow.python", "tensorflow.compat.v1"
_FROZEN = "graphs are neither frozen nor read here; convert one to ONNX for tilescope profile: python -m tf2onnx.convert --graphdef FILE " \
    "--output model.onnx, or keep the values of variables with tf.train.Saver"
_ONE_PROCESS = "there is one process; use popdist with --num-instances"
_NO_WEIGHTS = "names of classes are not downloaded; np.argsort(predictions) gives the numbers of the best"
REFUSED = {
    f"{V1}.graph_util": _FROZEN, f"{PYTHON}.framework.graph_util": _FROZEN, "tensorflow.graph_util": _FROZEN,
    **{f"{V1}.{name}": _FROZEN for name in ("GraphDef", "import_graph_def", "NodeDef", "train.import_meta_graph", "train.export_meta_graph",
                                            "train.write_graph", "io.write_graph")},
    "tensorflow.core.framework.graph_pb2": _FROZEN, "tensorflow.core.framework.attr_value_pb2": _FROZEN,
    "tensorflow.core.framework.node_def_pb2": _FROZEN, "tensorflow.tools.graph_transforms": _FROZEN,
    f"{PYTHON}.tools": _FROZEN,
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
    **{f"{module}.PopnnAUGRU": "its update gate takes an attention's score; write the step with keras.layers.RNN" for module in (
        "ipu_tensorflow_addons.layers", "ipu_tensorflow_addons.layers.rnn_ops", f"{PYTHON}.ipu.rnn_ops", f"{PYTHON}.ipu.ops.rnn_ops")},
    "tensorflow.keras.DistributedOptimizer": "use popdist with --num-instances, whose replicas exchange gradients",
    **{f"tensorflow.keras.applications.{family}": "its architecture is not there; VGG, ResNet, MobileNet, DenseNet, Xception and InceptionV3 are"
       for family in ("nasnet", "efficientnet", "inception_resnet_v2", "mobilenet_v3")},
    **{f"tensorflow.keras.applications.{family}.decode_predictions": _NO_WEIGHTS for family in (
        "vgg16", "vgg19", "resnet", "resnet50", "resnet_v2", "densenet", "mobilenet", "mobilenet_v2", "xception", "inception_v3", "imagenet_utils")}}


def add_names():
    for name, reason in REFUSED.items():
        names.refuse(name, reason)
