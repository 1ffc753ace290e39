# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' layers: class, settings and what they are called on. The engine makes operations of them, from the same
JSON that `model.to_json()` gives."""
import contextlib
import functools

import tilescope_engine as engine

from .. import identifiers, strategies
from ..operations import constraints, keras_initializers, outside
from ..tensors import graph
from ..tracing.owner import owner
from ..dtypes import TensorShape, as_dtype
from .derived import WEIGHTS, Derived
from .ends import Ends
from .layer_table import TABLE, TOLD_WHERE
from .naming import clear_session, unique_name  # noqa: F401  pylint: disable=unused-import
from ..configured import bind, plain, signature_of, snake_case
from .tensors import KerasTensor
from ..structure import flatten, pack_like

_floatx = "float32"
_named_policy = None
_stage = None


def set_floatx(value):
    global _floatx
    _floatx = value


def set_policy(name):
    """What layers compute with that say nothing else: an element type, or "mixed_float16"."""
    global _named_policy
    _named_policy = name


def policy():
    return _named_policy or _floatx


def floatx():
    return _floatx


class PipelineStage:
    """keras.ipu.PipelineStage: layers made or called within it are of that stage."""

    def __init__(self, stage):
        if stage < 0:
            raise ValueError(f"{stage} is not a valid pipeline stage.")
        self.stage = stage

    def __enter__(self):
        global _stage
        if strategies.current() is None:
            raise RuntimeError("keras.ipu.PipelineStage can only be used inside an IPUStrategy scope.")
        if _stage is not None:
            raise RuntimeError("keras.ipu.PipelineStage scopes cannot be nested.")
        _stage = self.stage
        return self

    def __exit__(self, *exception):
        global _stage
        _stage = None


def stage_of_call(layer):
    """That of the PipelineStage around it, else the layer's."""
    return layer.stage if _stage is None else _stage


class Call:
    """One call of a layer on Keras tensors; `structure`: how the inputs were given; `training`: what the call says, None
    where it leaves that to fit and evaluate; `args` and `kwargs`: what else the script's own call() takes."""

    counts = True  # not where a model has been made for a call on values alone

    def __init__(self, inputs, outputs, stage, structure=None, training=None, args=(), kwargs=None):
        self.inputs, self.outputs, self.stage, self.structure = inputs, outputs, stage, structure
        self.training = None if training is None else bool(training)
        self.args, self.kwargs = args, kwargs or {}


@functools.lru_cache(maxsize=None)
def settings_of(kind):
    """The settings that the engine has for a class of layers, but for those that Layer itself reads."""
    return set(engine.layer_settings(kind)) - {"name", "trainable", "dtype", "batch_input_shape", "batch_shape", "input_shape",
                                               "input_dtype", "build_config", "quantization_config", "autocast"}


class Layer(Ends, Derived):
    """A layer: its class' name and its settings; or a class of the script's own, with build() and call()."""

    parameters = ""
    outputs_count = 1
    told_in_calls = ()  # names of what a call may say beside inputs and training, which the engine heeds
    first_weights = None  # given to it as an argument
    renamed = {}  # what names of its weights have in the place of their beginning after its own: names of layers and cells in it
    follows = False  # whether it has the element type of what it is first called on
    of_keras3 = False  # whose configuration it has been made from

    def __init__(self, *args, **kwargs):
        kind = self.engine_class().__name__
        known = signature_of(self.parameters).parameters
        own = {key: kwargs.pop(key) for key in ("input_shape", "batch_input_shape", "batch_size", "input_dim", "weights", "autocast")
               if key in kwargs and key not in known}
        self._name = kwargs.pop("name", None) or unique_name(type(self).__name__)
        self.follows = kwargs.get("dtype") is None and graph.layers_follow() and not policy().startswith("mixed")
        self.policy_ = plain(kwargs.pop("dtype", None)) or policy()
        self._trainable, self.autocast = kwargs.pop("trainable", True), own.get("autocast", True)
        more = {key: kwargs.pop(key) for key in list(kwargs) if key not in known and key in settings_of(kind)}
        self.settings = {**bind(kind, signature_of(self.parameters), args, kwargs), **more}
        self.settings.update({key: self.settings[key].lower() for key in ("padding", "data_format") if isinstance(self.settings.get(key), str)})
        self.take_activation(self.settings.get("activation"))
        for within in (self.settings.get(key) for key in ("layer", "backward_layer", "cell")):
            self._check_within(kind, within)
        self.first_weights = own.get("weights")
        self.first_shape = None
        if "batch_input_shape" in own:
            self.first_shape = list(own["batch_input_shape"])
        elif "input_shape" in own or "input_dim" in own or self.settings.get("input_length"):  # the last of Embedding
            self.first_shape = [own.get("batch_size"), *flatten(own.get("input_shape", [own.get("input_dim", self.settings.get("input_length"))]))]
        self.calls = []
        self.stage = _stage
        self.built = False

    @staticmethod
    def _check_within(kind, layer):
        """Errors: refused where a part of a layer within one of the engine is the script's own, which nothing would call there."""
        from . import losses as keras_losses
        from .. import failures
        if getattr(layer, "own_activation", None) is not None:
            raise failures.refused(f"{kind} of a layer whose activation is a function of the script's own", "call that on what the wrapper "
                                   "makes, or give the layer one of keras.activations")
        if isinstance(layer, Layer) and keras_losses.own_regularizers(layer):
            raise failures.refused(f"{kind} of a layer whose regularizer is a function of the script's own", "use keras.regularizers.L1, L2 or L1L2")

    name = property(lambda self: self._name)
    _trainable = True

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        """Of the layers in it as well."""
        self._trainable = bool(value)
        for each in vars(self).values():
            if hasattr(each, "of_layer"):
                each.of_layer = self
        for each in layers_in(self):
            each.trainable = value

    policy_, autocast = None, True  # an element type, or "mixed_float16"; whether calls of the script's own cast to it
    compute_dtype = property(lambda self: None if self.follows else {"mixed_float16": "float16"}.get(self.policy_, self.policy_))
    variable_dtype = property(lambda self: None if self.follows else {"mixed_float16": "float32"}.get(self.policy_, self.policy_))
    dtype = property(lambda self: self.variable_dtype)

    @property
    def dtype_policy(self):
        from . import backend as keras_backend
        return keras_backend.Policy(self.policy_ or _floatx)

    traced = property(lambda self: self.has_call or self.own_activation is not None)  # it is Python, at least in part
    of_engine = property(lambda self: not self.has_call)  # its weights are
    own_activation = None  # a function of the script's own, of what a layer of the engine makes

    def take_activation(self, given):
        from . import objects as keras_objects
        if not callable(given) or keras_objects.is_known_activation(given):
            return
        if self.engine_class().__name__ in RECURRENT and self.of_engine:
            from .. import failures
            raise failures.refused(f"{type(self).__name__}(activation=…) of a function of the script's own", "give one of keras.activations")
        if not self.has_call:
            self.own_activation = given

    def build(self, input_shape):
        """Makes the weights of a layer of the engine that is in no model yet."""
        if self._is_derived():
            self._part().build(input_shape)
        elif self.of_engine and not (self.traced and self.has_call) and getattr(self, "model_", None) is None:
            from . import model as keras_model
            keras_model.Sequential([self], name=self.name + "_alone", counted=False).build(input_shape)
        self.built = True

    def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                   constraint=None, use_resource=None, synchronization=None, aggregation=None, collections=None,
                   experimental_autocast=True, caching_device=None, getter=None, partitioner=None):
        from . import autocast as keras_autocast, objects as keras_objects
        first = keras_initializers.KIND.get(initializer or "glorot_uniform")
        name = name or f"weight_{len(self.own_variables())}"
        key = f"{self.name}/{name}"
        dtype = dtype or self.variable_dtype or _floatx
        values = keras_initializers.first_values(first, tuple(shape or ()), dtype, key)
        kind = keras_autocast.kind_of_weight(self, dtype, experimental_autocast)
        made = kind(values, trainable=trainable is not False, name=key, key=key, constraint=constraints.get_constraint(constraint))
        made.layer, made.of_layer = self.name, self
        if regularizer is not None:
            regularizer = keras_objects.REGULARIZERS.get(regularizer)
            self.add_loss(lambda: regularizer(made))
        return made

    def add_loss(self, losses, inputs=None):
        """What is added to the loss of the model that is trained: numbers that call() makes, or functions that make them."""
        from . import losses as keras_losses
        keras_losses.add(self, losses)

    def add_metric(self, value, name=None, aggregation="mean"):
        """What fit() and evaluate() show beside the loss: the mean of a tensor over the steps."""
        from . import metrics as keras_metrics
        keras_metrics.add(self, value, name, aggregation)

    supports_masking = False  # whether a layer of the script's own hands masks on

    def compute_mask(self, inputs, mask=None):
        """The mask of what it makes of its inputs; None where it has none."""
        from . import masks as keras_masks
        if self.traced:
            return mask if self.supports_masking else None
        tensors = [graph.convert(each) for each in flatten(inputs)]
        if mask is not None:
            tensors[0] = keras_masks.given(tensors[0], graph.convert(mask))
        return keras_masks.made_by(self, tensors)

    @staticmethod
    def settings_of_weights(layers, ending, wanted):
        from . import within as keras_within
        return keras_within.of_weights(layers, ending, wanted)

    def own_variables(self):
        """The variables that are attributes of it or of the layers in it."""
        from ..tracing import functions
        return found(self, functions.EagerVariable)

    def get_config(self):
        config = {"name": self.name, "trainable": self.trainable, "dtype": self.policy_}
        if self.of_keras3:
            config["dtype"] = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": self.policy_}}
        if self.first_shape is not None:
            config["batch_input_shape"] = self.first_shape
        told = TOLD_WHERE.get(self.engine_class().__name__, {})
        config.update({key: identifiers.described(value) for key, value in self.settings.items() if value is not None and (
            key not in told or told[key](self.settings))})
        return config

    @classmethod
    def from_config(cls, config):
        from . import config as keras_config
        return keras_config.from_config(cls, config)

    def own_initializers(self):
        """Settings that are initialisers of the script's own, which the engine does not know."""
        return {key: value for key, value in self.settings.items()
                if key.endswith("_initializer") and keras_initializers.is_own(value)}

    def own_constraints(self):
        """Settings that are constraints of the script's own, which the engine does not know."""
        return {key: value for key, value in self.settings.items() if key.endswith("_constraint") and constraints.is_own(value)}

    def document(self):
        """As the engine takes it, without what of it is the script's own."""
        from . import losses as keras_losses
        own, kind = self.own_constraints() | keras_losses.own_regularizers(self), self.engine_class()
        kind = type(self) if kind is Layer else kind  # which the engine does not know
        config = {key: value for key, value in kind.get_config(self).items() if key not in own}
        config.update({key: {"class_name": "Zeros", "config": {}} for key in self.own_initializers()})
        config.update({key: value.document() for key, value in self.settings.items() if isinstance(value, Layer) and key in config})
        if self.own_activation is not None:
            config["activation"] = "linear"
            config.pop("activity_regularizer", None)
        return {"class_name": kind.__name__, "config": config, "name": self.name}

    def described(self):
        """As it is written into files."""
        return {"class_name": type(self).__name__, "config": self.get_config(), "name": self.name}

    @property
    def is_described(self):
        """Whether what is written of it says all: one of the script's own says it itself, or has no arguments of its own."""
        return self.of_engine or type(self).get_config is not Layer.get_config or type(self).__init__ is Layer.__init__


    def inbound(self, nodes, settings=None):
        """The inputs of a call, as a model's JSON has them; `nodes`: [layer, call, output] of each; `settings`: what else
        the call says."""
        return [[*node, dict(settings or {}) if i == 0 else {}] for i, node in enumerate(nodes)]

    def __call__(self, inputs, *args, training=None, **kwargs):
        from . import input_spec as keras_spec, losses as keras_losses, masks as keras_masks, model as keras_model, traced as keras_traced
        from .. import failures
        if "return_state" in self.settings and kwargs.get("initial_state") is not None:
            inputs = [inputs] + flatten(kwargs.pop("initial_state"))  # as the engine's layers take them
        told = {name: kwargs.pop(name) for name in self.told_in_calls if name in kwargs}
        given = flatten(inputs)
        self._follow(given)
        self._build_as_told(given)
        if kwargs.get("mask") is not None and not self.traced and not any(isinstance(each, KerasTensor) for each in given):
            inputs = pack_like(inputs, [keras_masks.given(given[0], kwargs.pop("mask")), *given[1:]])
            given = flatten(inputs)
        if not self.traced and (args or any(value is not None for value in kwargs.values())):
            raise failures.refused(f"{type(self).__name__}() called with more than its inputs", "a layer takes what its "
                                   "class has settings for")
        if any(isinstance(each, KerasTensor) for each in given):
            if any(isinstance(each, KerasTensor) for each in flatten([args, list(kwargs.values())])):
                inputs, args, kwargs = keras_traced.gathered(inputs, args, kwargs)
                given = flatten(inputs)
            return self.connect(inputs, given, training, args, kwargs | told)
        keras_spec.check_inputs(given)
        tensors = pack_like(inputs, [keras_masks.kept(each, graph.convert(each)) for each in given])
        keras_spec.check_values(self, flatten(tensors))
        if not self.traced and self.engine_class().__name__ == "Embedding":
            outside.of_rows(given[0], int(self.settings["input_dim"]))
        now = keras_traced.training_now(training)
        if self.traced and self.has_call:
            if graph.executing_eagerly():
                keras_losses.begin_now(self)
            return self.in_graph(tensors, now, args, kwargs)
        if owner() is not None:
            return self.in_graph(tensors, now, kwargs=told)
        if not now and self.engine_class().__name__ in _ONLY_IN_TRAINING and graph.executing_eagerly():
            return tensors
        keras_traced.stand_apart(self)
        if len(given) == 1 and self.count_outputs() == 1:
            made, called = keras_model.Sequential([self], name=self.name + "_alone", counted=False), inputs
        else:
            ends = [input_layer([None] + list(t.dims[1:]), t.dtype.name, f"{self.name}_input_{i}").calls[0].outputs[0]
                    for i, t in enumerate(flatten(tensors))]
            made, called = keras_model.Model(ends, self.connect(pack_like(inputs, ends), ends, kwargs=told), name=self.name + "_alone"), tensors
            self.calls[-1].counts = False
        made.stages_ = []  # by itself it is in no pipeline
        return made(called, training=now)

    def again(self, inputs, call):
        """Called on these as another one was in that call."""
        return self(inputs, *call.args, training=call.training, **call.kwargs)

    def _follow(self, given):
        """Takes the element type of floats, as layers do in TensorFlow 1 that are given none."""
        if not self.follows:
            return
        self.follows, kind = False, next((graph.as_dtype(each.dtype).name for each in given if hasattr(each, "dtype")), "")
        if kind.startswith("float"):
            self.policy_ = kind if kind == "float16" else "float32"
        for each in self.settings.values():
            if isinstance(each, Layer):
                each._follow(given)

    def connect(self, inputs, given, training=None, args=(), kwargs=None):
        """A call on Keras tensors."""
        from . import input_spec as keras_spec, placed as keras_placed, traced as keras_traced
        keras_placed.note(self)
        of_engine = not self.traced and all(each.known is None for each in given)
        shape = keras_spec.shape_of_call(self, given, kwargs or {}) if of_engine else keras_spec.check_values(self, given)
        call = Call(given, [], stage_of_call(self), inputs, training, args, kwargs)
        self.calls.append(call)
        number = len(self.calls) - 1
        if of_engine:
            computes = self.document()["class_name"] == "Embedding" or self.autocast and as_dtype(given[0].dtype).is_floating
            dtype = self.compute_dtype if computes else given[0].dtype
            call.outputs = [KerasTensor(self, number, i, dtype) for i in range(self.count_outputs(call.kwargs))]
            call.outputs[0].told = shape
            return call.outputs[0] if len(call.outputs) == 1 else call.outputs
        structure, types = keras_traced.infer(self, inputs, given, args, kwargs)
        call.outputs = [KerasTensor(self, number, i, *of) for i, of in enumerate(types)]
        return pack_like(structure, call.outputs)

    def count_outputs(self, told=None):
        """How many tensors a call makes that is told so."""
        return self.outputs_count + bool((told or {}).get("return_attention_scores")) + ({"LSTM": 2}.get(self.document()["class_name"], 1) if self.settings.get("return_state") else 0)  # states

    def in_graph(self, inputs, training, args=(), kwargs=None):
        """A call on tensors of a graph, of the model that is being traced."""
        from . import losses as keras_losses, masks as keras_masks, traced as keras_traced
        from .. import scopes
        keras_traced.stand_apart(self)
        with keras_traced.noted(self, inputs) as (stage, gives):
            stage = _stage if stage is None else stage
            if stage is None and graph.current().shard < 0:
                stage = self.stage
            with contextlib.nullcontext() if stage is None else scopes.ipu_shard(stage):
                if self.traced and self.has_call:
                    return gives(keras_traced.call(self, inputs, training, args, kwargs))
                made = keras_traced.layer_in_graph(self, inputs, training, kwargs)
                regularised = "activity_regularizer" in keras_losses.own_regularizers(self)
                if self.own_activation is not None:
                    made = keras_masks.kept(made, graph.symbolic(self.own_activation(made)))
                    regularised = self.settings.get("activity_regularizer") is not None
                if regularised:
                    keras_losses.add_of_activity(self, made)
                return gives(made)

    def _held_by(self):
        """The model that has its weights: by itself, where it has been called on a tensor of Keras that is in none yet."""
        if getattr(self, "model_", None) is None and self.of_engine and self.calls and len(self.calls[0].inputs) == 1:
            self.build(list(self.calls[0].inputs[0].shape))
        return getattr(self, "model_", None)

    def get_weights(self):
        if self.traced:
            return [each.numpy() for each in self.weights]
        return self.model_.weights_of(self.name) if self._held_by() is not None else []

    def set_weights(self, weights):
        if self.traced and self.weights:
            from . import model as keras_model
            return keras_model.set_all(self.weights, weights, self.name)
        if self._held_by() is None:
            raise ValueError(f"You called `set_weights(weights)` on layer \"{self.name}\" with a weight list of length {len(weights)}, "
                             "but the layer was expecting 0 weights: build it, or call it, first.")
        self.model_.set_weights_of(self.name, weights)

    def _all_weights(self):
        """Its own, and then those of the layers in it, in the order of their making."""
        if self.of_engine:
            return self.model_.variables_of(self.name) if self._held_by() is not None else []
        within = found(self, Layer)
        theirs = {id(variable) for layer in within for variable in layer.own_variables()}
        listed = [each for each in self.own_variables() if id(each) not in theirs] + [each for layer in within for each in layer.weights]
        return list({each.key: each for each in listed}.values())

    weights = variables = property(_all_weights)
    trainable_weights = trainable_variables = property(lambda self: [each for each in self.weights if each.is_trained])
    non_trainable_weights = non_trainable_variables = property(lambda self: [each for each in self.weights if not each.is_trained])

    def __getattr__(self, name):
        """A weight by its name, of a layer that was called: `layer.embeddings`."""
        if name in WEIGHTS and "settings" in vars(self) and self.of_engine:
            from . import traced as keras_traced
            if owner() is None:
                self._held_by()
            found = keras_traced.weight_of(self, name)
            if found is not None:
                return found
        if name in WEIGHTS and "settings" in vars(self) and self._is_derived():
            return getattr(self._part(), name)
        if name in vars(self).get("settings", ()):
            return self._setting(name)
        known = getattr(type(self), name, None)
        if isinstance(known, property):  # whose own error says what is wrong
            return known.fget(self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def _setting(self, name):
        """A setting as an attribute: what it is by name as the object or the function."""
        from . import objects as keras_objects
        value, kinds = self.settings[name], {"initializer": keras_initializers.KIND, "regularizer": keras_objects.REGULARIZERS,
                                             "constraint": constraints.KIND, "activation": keras_objects.ACTIVATIONS}
        kind = kinds.get(name.rpartition("_")[2])
        return kind.get(value) if kind is not None and isinstance(value, (str, dict, type(None))) else value

    input_spec = None

    @property
    def losses(self):
        """What its regularisers add, and in a step what it has added itself."""
        from . import losses as keras_losses
        return keras_losses.at_hand(self)

    def count_params(self):
        return sum(int(w.size) for w in self.get_weights())


# Attributes of layers and models that hold what is around them, or what of them was compiled.
_NOT_PARTS = ("calls", "layers_by_name", "model_", "inputs", "outputs", "input_", "output_", "ends_", "step_plans", "forms", "form_", "counted", "metrics_", "common_", "compiled_with_",
              "needed_")


def found(owner, kind):
    """What of a kind is in the attributes of an object, in lists and layers in them, in the order of their making."""
    kept, seen = {}, set()

    def attributes(of):
        return [value for key, value in vars(of).items() if key not in _NOT_PARTS]

    def visit(value):
        if isinstance(value, kind):
            kept[id(value)] = value
        if isinstance(value, (list, tuple)):
            for each in value:
                visit(each)
        elif isinstance(value, dict):
            for each in value.values():
                visit(each)
        elif isinstance(value, Layer) and value is not owner and kind is not Layer and id(value) not in seen:
            seen.add(id(value))
            visit(attributes(value))
    visit(attributes(owner))
    return list(kept.values())


def layers_in(owner):
    return found(owner, Layer)


_ONLY_IN_TRAINING = {"Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianNoise",
                     "GaussianDropout", "AlphaDropout"}  # else their inputs pass


def made(kind, parameters, base=Layer):
    return type(kind, (base,), {"parameters": parameters, "of_table": True, "__doc__": f"Keras' layer {kind}({parameters})",
                                 "__signature__": signature_of(parameters)})


from .attention import ATTENTION  # noqa: E402  pylint: disable=wrong-import-position
from .function_layers import Lambda, TFOpLambda  # noqa: E402,F401  pylint: disable=wrong-import-position,unused-import
from .cells import CELL_CLASSES, RNN, AbstractRNNCell, StackedRNNCells  # noqa: E402  pylint: disable=wrong-import-position
from .recurrent import RECURRENT, Bidirectional, Recurrent  # noqa: E402  pylint: disable=wrong-import-position

LAYERS = {**{kind: made(kind, parameters, Recurrent if kind in ("LSTM", "GRU", "SimpleRNN") else Layer) for kind, parameters in
             TABLE.items()}, "Lambda": Lambda, **CELL_CLASSES, "RNN": RNN, "AbstractRNNCell": AbstractRNNCell,
          "StackedRNNCells": StackedRNNCells,
          "Bidirectional": Bidirectional, **ATTENTION}
for _short, _long in {"MaxPool": "MaxPooling", "AvgPool": "AveragePooling", "GlobalMaxPool": "GlobalMaxPooling",
                      "GlobalAvgPool": "GlobalAveragePooling", "Convolution": "Conv", "SeparableConvolution": "SeparableConv"}.items():
    LAYERS.update({_short + each: LAYERS[_long + each] for each in ("1D", "2D", "3D", "1DTranspose", "2DTranspose", "3DTranspose")
                   if _long + each in LAYERS})
OF_VERSION_1 = {kind: type(kind, (LAYERS[kind],), {"parameters": each, "__signature__": signature_of(each)})
                for kind, each in ((kind, TABLE[kind].replace("recurrent_activation='sigmoid'", "recurrent_activation='hard_sigmoid'")
                                    .replace("reset_after=True", "reset_after=False")) for kind in ("GRU", "LSTM"))}
FUNCTIONS = {snake_case(kind): (lambda make: lambda inputs, **kwargs: make(**kwargs)(inputs))(LAYERS[kind])
             for kind in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot")}


class InputLayer(Layer):
    """Where a model's data come in."""

    parameters = "input_shape=None, batch_size=None, sparse=False, ragged=False"

    def __init__(self, input_shape=None, batch_size=None, dtype=None, input_tensor=None, sparse=None, name=None, ragged=None, type_spec=None,
                 batch_input_shape=None):
        shape = list(batch_input_shape) if batch_input_shape is not None else [batch_size, *TensorShape(input_shape)]
        super().__init__(name=name or unique_name("input", False), dtype=(dtype and as_dtype(dtype).name) or _floatx)
        self.first_shape = shape
        self.batch = shape[0]  # how many samples it has, where it says that
        self.calls.append(Call([], [KerasTensor(self, 0, 0, self.policy_)], None))

    def get_config(self):
        return {"batch_input_shape": self.first_shape, "dtype": self.policy_, "sparse": False, "ragged": False,
                "name": self.name}

    def document(self):
        from . import open as keras_open
        made = super().document()
        made["config"]["batch_input_shape"] = keras_open.closed(self)
        return made

    def described(self):
        made = super().described()
        made["config"]["batch_input_shape"] = [self.batch, *self.first_shape[1:]]
        return made


def input_layer(shape, dtype=None, name=None):
    """One of a shape with the batch's extent."""
    return InputLayer(batch_input_shape=shape, dtype=dtype, name=name)


def Input(shape=None, batch_size=None, name=None, dtype=None, sparse=None, tensor=None, ragged=None,
          batch_shape=None):
    """The tensor of a model's input; the batch's extent is open."""
    if shape is None and batch_shape is None:
        raise ValueError("Please provide to Input a `shape` argument. Note that `shape` does not include the batch dimension.")
    dims = list(batch_shape) if batch_shape is not None else [batch_size] + list(TensorShape(shape))
    return input_layer(dims, dtype and as_dtype(dtype).name, name).calls[0].outputs[0]
