# SPDX-License-Identifier: GPL-3.0-or-later
"""More of Keras: a scaled loss, what layers say of their inputs, losses that are functions with settings, what scripts ask about
tensors and functions."""
import inspect

from . import failures, gradients, graph, keras_layers, keras_parts, names, operations
from .keras_parts import Optimizer
from .structure import flatten


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


class LossScaleOptimizer(Optimizer):
    """keras.mixed_precision.LossScaleOptimizer with a fixed scale: gradients of the loss times that, over it."""

    parameters = "inner_optimizer, dynamic=True, initial_scale=None, dynamic_growth_steps=None"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.settings["dynamic"]:
            raise failures.refused("keras.mixed_precision.LossScaleOptimizer(dynamic=True)", "give dynamic=False and an initial_scale, or use "
                                   "keras.ipu.optimizers.ALSOptimizer")
        if self.settings["initial_scale"] is None:
            raise ValueError('"initial_scale" must be specified if "dynamic" is False')
        self.inner = self.settings["inner_optimizer"]

    is_python = True
    inner_optimizer = property(lambda self: self.inner)
    loss_scale = initial_scale = property(lambda self: float(self.settings["initial_scale"]))
    dynamic = property(lambda self: False)
    learning_rate = lr = property(lambda self: self.inner.learning_rate, lambda self, value: setattr(self.inner, "learning_rate", value))
    iterations = property(lambda self: self.inner.iterations)

    def __getattr__(self, name):
        settings = self.__dict__.get("settings", {})
        return getattr(self.__dict__["inner"], name) if "inner" in self.__dict__ and name not in settings else super().__getattr__(name)

    def variables(self):
        return self.inner.variables()

    weights = property(variables)

    def get_weights(self):
        return self.inner.get_weights()

    def set_weights(self, weights):
        self.inner.set_weights(weights)

    def workload(self):
        return {"name": type(self).__name__, "scale": self.loss_scale, "of": self.inner.workload()}

    def get_config(self):
        return {"inner_optimizer": keras_parts.plain(self.inner), "dynamic": False, "initial_scale": self.loss_scale, "dynamic_growth_steps": None}

    def get_scaled_loss(self, loss):
        if callable(loss) and not hasattr(loss, "dims"):
            return lambda: self.get_scaled_loss(loss())
        loss = graph.convert(loss)
        return operations.multiply(loss, operations.cast(self.loss_scale, loss.dtype))

    def get_unscaled_gradients(self, grads):
        return [each if each is None else operations.divide(each, operations.cast(self.loss_scale, each.dtype)) for each in grads]

    def get_gradients(self, loss, params):
        return self.get_unscaled_gradients(gradients.gradients_of(self.get_scaled_loss(loss), list(params)))

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        return self.inner.apply_gradients(grads_and_vars, name, experimental_aggregate_gradients)

    def update(self, loss):
        from . import train_1
        found = train_1.Optimizer.compute_gradients(self, self.get_scaled_loss(loss))
        pairs = [(gradient, variable) for gradient, variable in found if gradient is not None]
        return self.apply_gradients(list(zip(self.get_unscaled_gradients([each for each, _ in pairs]), (each for _, each in pairs))))

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        if callable(loss) or tape is None:
            raise failures.refused("LossScaleOptimizer.minimize() of a function", "give it the loss and the tape")
        with tape:
            scaled = self.get_scaled_loss(loss)
        listed = list(var_list() if callable(var_list) else var_list)
        return self.apply_gradients(list(zip(self.get_unscaled_gradients(tape.gradient(scaled, listed, grad_loss)), listed)))


class LossFunctionWrapper(keras_parts.Loss):
    """keras.losses' wrapper of a function of labels and outputs, with settings of it."""

    parameters = "fn, reduction='auto', name=None, **kwargs"

    def call(self, y_true, y_pred):
        return self.settings["fn"](y_true, y_pred, **self.settings.get("kwargs", {}))


class IpuOptimizerBase(Optimizer):
    """ipu_tensorflow_addons': base of optimisers of the script's own that say what an update does."""


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
    from .keras_applications import _preprocessed
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(f"Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={mode}")
    return _preprocessed(mode)(x, data_format)


def add_names():
    from . import session
    keras = "tensorflow.keras"
    for module in (keras + ".layers", keras + ".engine.input_spec", keras + ".engine.topology", keras + ".engine.base_layer"):
        names.module(module, InputSpec=InputSpec)
    names.module(keras + ".engine.topology", Layer=keras_layers.Layer)
    names.module(keras + ".layers", TFOpLambda=keras_layers.TFOpLambda, SlicingOpLambda=keras_layers.TFOpLambda)
    names.module(keras + ".mixed_precision", LossScaleOptimizer=LossScaleOptimizer)
    names.module(keras + ".losses", LossFunctionWrapper=LossFunctionWrapper)
    names.module(keras + ".utils", get_source_inputs=get_source_inputs)
    names.module(keras + ".utils.tf_inspect", getfullargspec=inspect.getfullargspec, getcallargs=inspect.getcallargs, signature=inspect.signature)
    names.module(keras + ".backend", get_session=lambda op_input_list=(): session.default())
    names.module(keras + ".applications.imagenet_utils", preprocess_input=imagenet_preprocess_input)
    names.module(keras + ".engine.keras_tensor", SparseKerasTensor=type("SparseKerasTensor", (), {"__doc__": "Of sparse inputs, which are not there."}))
    names.module("ipu_tensorflow_addons.keras.optimizers", IpuOptimizerBase=IpuOptimizerBase)
