# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of Keras' own modules that scripts use: what layers say of their inputs, losses that are functions with settings, what scripts ask about
tensors and functions."""
import inspect

from . import layers as keras_layers, parts as keras_parts
from .. import names
from ..tensors import graph, open_sessions
from .parts import Optimizer
from ..structure import flatten


class InputSpec:
    """keras.layers.InputSpec: what a layer says of an input."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None, allow_last_axis_squeeze=False, name=None):
        self.dtype = None if dtype is None else graph.as_dtype(dtype).name
        self.shape, self.ndim = None if shape is None else tuple(shape), len(shape) if shape is not None else ndim
        self.max_ndim, self.min_ndim, self.axes = max_ndim, min_ndim, {int(k): v for k, v in (axes or {}).items()}
        self.allow_last_axis_squeeze, self.name = allow_last_axis_squeeze, name

    def get_config(self):
        return {"dtype": self.dtype, "shape": self.shape, "ndim": self.ndim, "max_ndim": self.max_ndim, "min_ndim": self.min_ndim, "axes": self.axes}

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def __repr__(self):
        shown = [f"{key}={value}" for key, value in self.get_config().items() if value]
        return f"InputSpec({', '.join(shown)})"


class LossFunctionWrapper(keras_parts.Loss):
    """keras.losses' wrapper of a function of labels and outputs, with settings of it."""

    parameters = "fn, reduction='auto', name=None, **kwargs"

    def call(self, y_true, y_pred):
        return self.settings["fn"](y_true, y_pred, **self.settings.get("kwargs", {}))


class IpuOptimizerBase(Optimizer):
    """ipu_tensorflow_addons': base of optimisers of the script's own that say what an update does."""


def plot_model(model, *arguments, **settings):
    """As in Keras where what draws graphs is not installed; tilescope-gui shows them."""
    raise ImportError("You must install pydot (`pip install pydot`) and install graphviz (see instructions at "
                      "https://graphviz.gitlab.io/download/) for plot_model/model_to_dot to work.")


def get_source_inputs(tensor, layer=None, node_index=None):
    """The inputs that Keras tensors are made of."""
    found, rest, seen = [], flatten(tensor), set()
    while rest:
        each = rest.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        call = next((call for call in each.layer.calls if any(each is made for made in call.outputs)), None)
        if call is None or not call.inputs:
            found.append(each)
        else:
            rest += flatten(call.inputs)
    return found


def imagenet_preprocess_input(x, data_format=None, mode="caffe"):
    from .applications import _preprocessed
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(f"Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={mode}")
    return _preprocessed(mode)(x, data_format)


def add_names():
    keras = "tensorflow.keras"
    for module in (keras + ".layers", keras + ".engine.input_spec", keras + ".engine.topology", keras + ".engine.base_layer"):
        names.module(module, InputSpec=InputSpec)
    names.module(keras + ".engine.topology", Layer=keras_layers.Layer)
    names.module(keras + ".layers", TFOpLambda=keras_layers.TFOpLambda, SlicingOpLambda=keras_layers.TFOpLambda)
    names.module(keras + ".losses", LossFunctionWrapper=LossFunctionWrapper)
    names.module(keras + ".utils", get_source_inputs=get_source_inputs, plot_model=plot_model, model_to_dot=plot_model)
    names.module(keras + ".utils.tf_inspect", getfullargspec=inspect.getfullargspec, getcallargs=inspect.getcallargs, signature=inspect.signature)
    names.module(keras + ".backend", get_session=lambda op_input_list=(): open_sessions.default())
    names.module(keras + ".applications.imagenet_utils", preprocess_input=imagenet_preprocess_input)
    names.module(keras + ".engine.keras_tensor", SparseKerasTensor=type("SparseKerasTensor", (), {"__doc__": "Of sparse inputs, which are not there."}))
    names.module("ipu_tensorflow_addons.keras.optimizers", IpuOptimizerBase=IpuOptimizerBase)
