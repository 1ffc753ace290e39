# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu_tensorflow_addons: Graphcore's layers, which compute what Keras' do; ipu.autoshard."""
import contextlib

import numpy as np

from . import graph, keras_parts, lowering, pipelining
from .keras_layers import LAYERS, Layer, made

_POPNN = ("implementation=2, partials_dtype='float32', seed=None, dropout_seed=None, options=None, options_bwd=None")


class SerialDense(Layer):
    """Dense whose product is done in parts, one after another."""

    parameters = LAYERS["Dense"].parameters.replace("units, ", "units, serialization_factor, serialization_dimension, ", 1)
    __signature__ = keras_parts.signature_of(parameters)


class Embedding(Layer):
    """Embedding whose rows are looked up in parts, one after another."""

    parameters = LAYERS["Embedding"].parameters + ", serialization_factor=1"
    __signature__ = keras_parts.signature_of(parameters)


def _like(kind, parameters, name):
    """One of Keras' layers with settings more, which say how Poplar computes it."""
    base = LAYERS[kind]
    more = list(keras_parts.signature_of(parameters).parameters)

    def document(self):
        return {**Layer.document(self), "class_name": kind}

    def get_config(self):
        return {key: value for key, value in Layer.get_config(self).items() if key not in more}
    settings = ", ".join(each for each in (base.parameters, parameters) if each)
    return type(name, (Layer,), {"parameters": settings, "document": document, "get_config": get_config,
                                 "__doc__": f"Keras' layer {kind}, with settings of Poplar's: {parameters}",
                                 "__signature__": keras_parts.signature_of(settings)})


class _Same(Layer):
    """A layer that gives what it is given: it says something to the compiler of IPUs."""

    def call(self, inputs):
        return inputs


class RecomputationCheckpoint(Layer):
    """What is computed again starts anew after it."""

    def call(self, inputs):
        return pipelining.recomputation_checkpoint(inputs)


class AssumeEqualAcrossReplicas(_Same):
    parameters = "inplace=False"


_GROUPS = ("groups=2, channels_axis=-1, center=True, scale=True, epsilon=0.001, beta_initializer='glorot_uniform', "
           "gamma_initializer='glorot_uniform'")  # what None means there
PopnnLSTM, PopnnGRU = _like("LSTM", _POPNN, "PopnnLSTM"), _like("GRU", _POPNN, "PopnnGRU")
LAYER_NAMES = {
    "PopnnLSTM": PopnnLSTM, "LSTM": PopnnLSTM, "PopnnGRU": PopnnGRU, "GRU": PopnnGRU,
    "Embedding": Embedding, "Dropout": LAYERS["Dropout"],
    "LayerNormalization": LAYERS["LayerNormalization"], "LayerNorm": LAYERS["LayerNormalization"],
    "SerialDense": SerialDense,
    "GroupNormalization": made("GroupNormalization", _GROUPS + ", strided_channel_grouping=True"),
    "GroupNorm": made("GroupNormalization", _GROUPS + ", strided_channel_grouping=True"),
    "InstanceNormalization": made("InstanceNormalization", _GROUPS.replace("groups=2, ", "")),
    "InstanceNorm": made("InstanceNormalization", _GROUPS.replace("groups=2, ", "")),
    "RecomputationCheckpoint": RecomputationCheckpoint, "AssumeEqualAcrossReplicas": AssumeEqualAcrossReplicas}
REFUSED = {
    "layers": {"EffectiveTransformer": "the engine has no packed transformer",
               "CTCLoss": "the engine has no CTC loss", "CTCPredictionsLayer": "the engine has no CTC decoder"},
    "optimizers": {"AdamIpuOptimizer": "its epsilon stands elsewhere than Keras'; use keras.optimizers.Adam",
                   "LAMBIpuOptimizer": "use a workload, whose optimizer \"lamb\" it is"}}


def _work(op):
    """Multiplications of an operation, or the numbers that it gives."""
    size = sum(int(np.prod(t.dims)) for t in op.outputs if t.dims is not None and None not in t.dims)
    if op.kind == "matmul":
        return size * op.inputs[0].dims[-1]
    if op.kind == "conv2d":
        return size * int(np.prod(op.inputs[1].dims[:3]))
    return size


def automatic_sharding(num_shards, input_ts, loss_ts, edge_filter=None, frozen_inference=False):
    """Deals the operations between two tensors out to shards, in their order, so that their work balances."""
    ops = [op for op in lowering.reachable([loss_ts], lambda each: True) if op.kind not in lowering.HOST_KINDS]
    total, done = sum(map(_work, ops)) or 1, 0
    for op in ops:
        op.shard = min(done * num_shards // total, num_shards - 1)
        done += _work(op)
    here = graph.current()
    for op in here.operations_:
        if op.kind in ("minimize", "enqueue", "compared") and op.shard < 0:
            op.shard = num_shards - 1


@contextlib.contextmanager
def ipu_autoshard():
    """Marks what automatic_sharding may cut: here all of the graph."""
    yield

