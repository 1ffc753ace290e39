# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu_tensorflow_addons: Graphcore's layers, which compute what Keras' do."""
from ..ipu import pipelining
from .. import configured, failures
from . import parts as keras_parts
from ..dtypes import as_dtype
from .layers import LAYERS, Layer, made

_POPNN = ("implementation=2, partials_dtype='float32', seed=None, dropout_seed=None, options=None, options_bwd=None")


class SerialDense(Layer):
    """Dense whose product is done in parts, one after another."""

    parameters = LAYERS["Dense"].parameters.replace("units, ", "units, serialization_factor, serialization_dimension, ", 1)
    __signature__ = configured.signature_of(parameters)


class Embedding(Layer):
    """Embedding whose rows are looked up in parts, one after another."""

    parameters = LAYERS["Embedding"].parameters + ", serialization_factor=1"
    __signature__ = configured.signature_of(parameters)


def _like(kind, parameters, name):
    """One of Keras' layers with settings more, which say how Poplar computes it."""
    base = LAYERS[kind]
    more = list(configured.signature_of(parameters).parameters)

    def document(self):
        return {**Layer.document(self), "class_name": kind}

    def get_config(self):
        return {key: value for key, value in Layer.get_config(self).items() if key not in more}
    settings = ", ".join(each for each in (base.parameters, parameters) if each)
    return type(name, (Layer,), {"parameters": settings, "document": document, "get_config": get_config,
                                 "__doc__": f"Keras' layer {kind}, with settings of Poplar's: {parameters}",
                                 "__signature__": configured.signature_of(settings)})


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
               "CTCLoss": "compile with a loss that calls ipu.nn_ops.ctc_loss_v2, or keras.backend.ctc_batch_cost",
               "CTCPredictionsLayer": "let the program give the logits, and take tf.nn.ctc_beam_search_decoder of them on the host"}}


class _OfAddons(keras_parts.Optimizer):
    """An optimiser with settings that say how its state is kept."""

    known_as, without, ignored = "", {}, ("outline_apply_gradients", "outline_apply_gradients_kwargs")

    def workload_settings(self):
        kept = dict(self.settings)
        for name in ("m_dtype", "v_dtype", "vhat_dtype", "momentum_accum_dtype"):
            given = kept.pop(name, None)
            if given is not None and as_dtype(given).name != "float32":
                raise failures.refused(f"{type(self).__name__}({name}={as_dtype(given).name})", "the state is of the variables' type here; "
                                       "leave it out")
        precisions = kept.pop("optimizer_compute_precisions", None) or ()
        if any(as_dtype(each).name != "float32" for each in precisions):
            raise failures.refused(f"{type(self).__name__}(optimizer_compute_precisions=…) of float16", "updates are computed in float32")
        for name, only in self.without.items():
            if kept.pop(name, only) not in (only, []):
                raise failures.refused(f"{type(self).__name__}({name}={self.settings[name]!r})", f"leave it at {only!r}")
        kept = {name: value for name, value in kept.items() if name not in self.ignored}
        decay = kept.pop("weight_decay_rate", 0.0)
        return {**{name: configured.plain(value) for name, value in kept.items()}, **({"weight_decay": decay} if decay else {}),
                **({"corrected_epsilon": True} if self.known_as == "adam" else {})}

    def workload(self):
        return {**super().workload(), "name": self.known_as}


_COMMON = ("outline_apply_gradients=False, outline_apply_gradients_kwargs=None, decay=0.0, clipnorm=None, clipvalue=None, "
           "global_clipnorm=None")
OPTIMIZERS = {}
for _name, _known, _parameters, _without in (
        ("AdamIpuOptimizer", "adam", "learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, amsgrad=False, name='Adam', m_dtype=None, "
         "v_dtype=None, vhat_dtype=None, debiasing=True, optimizer_compute_precisions=None", {"debiasing": True, "amsgrad": False}),
        ("LAMBIpuOptimizer", "lamb", "learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-06, weight_decay_rate=0.0, "
         "exclude_from_weight_decay=None, exclude_from_layer_adaptation=None, name='LAMB', debiasing=True, m_dtype=None, v_dtype=None, "
         "weight_norm_clip=None, optimizer_compute_precisions=None",
         {"debiasing": True, "exclude_from_weight_decay": None, "exclude_from_layer_adaptation": None, "weight_norm_clip": None}),
        ("SGDIpuOptimizer", "sgd", "learning_rate=0.01, momentum=0.0, nesterov=False, name='SGD', momentum_accum_dtype=None, "
         "optimizer_compute_precisions=None", {})):
    OPTIMIZERS[_name] = type(_name, (_OfAddons,), {
        "parameters": f"{_parameters}, {_COMMON}", "known_as": _known, "without": _without,
        "__doc__": f"IPU TensorFlow's add-on {_name}({_parameters})",
        "__signature__": configured.signature_of(f"{_parameters}, {_COMMON}")})
