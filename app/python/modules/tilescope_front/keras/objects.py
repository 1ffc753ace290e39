# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' objects by their names and configurations: of each kind the one table of its module, with get, serialize and
deserialize; and the classes of the script's own that configurations name."""
import difflib

from . import addons, counts as keras_counts, parts as keras_parts
from .. import failures
from ..operations import nn as nn_operations, elementary as operations
from ..tf1 import train as train_1
from .parts import snake_case

_custom = {}  # classes and functions of the script's own, by name
_registered = {}  # their registered names


def get_custom_objects():
    return _custom


class CustomObjectScope:
    """keras.utils.custom_object_scope: names of the script's own that configurations within may have."""

    def __init__(self, *args):
        self.given, self.before = args, None

    def __enter__(self):
        self.before = dict(_custom)
        for each in self.given:
            _custom.update(each)
        return self

    def __exit__(self, *exception):
        _custom.clear()
        _custom.update(self.before)


def register_keras_serializable(package="Custom", name=None):
    def register(arg):
        _registered[arg] = f"{package}>{name or arg.__name__}"
        _custom[_registered[arg]] = arg
        return arg
    return register


def get_registered_name(obj):
    return _registered.get(obj, obj.__name__)


def get_registered_object(name, custom_objects=None, module_objects=None):
    return {**(module_objects or {}), **_custom, **(custom_objects or {})}.get(name)


def own(name, custom_objects=None):
    """What of the script's own a configuration calls so, with or without the package that it was registered in."""
    known = {**_custom, **(custom_objects or {})}
    return known.get(name, known.get(name.rpartition(">")[2]))


def class_of(name, what, table, custom_objects=None):
    """The class or the function that a configuration calls `name`."""
    found = own(name, custom_objects)
    for known in (name, name.rpartition(">")[2]) if found is None else ():
        found = table.get(known, found)
    if found is None:
        near = difflib.get_close_matches(name, [*table, *_custom, *(custom_objects or ())], 1)
        raise failures.refused(f"the {what} {name}", (f"the nearest that is there is {near[0]}; " if near else "") +
                               "a class of the script's own goes into custom_objects")
    return found


def checked(config, what):
    """(class, settings) of a configuration."""
    if not isinstance(config, dict) or not {"class_name", "config"} <= set(config):
        raise ValueError(f"Improper config format for {what}: {config}. Expecting python dict contains `class_name` and `config` "
                         "as keys")
    return config["class_name"], config["config"]


def serialize(value):
    """The configuration of an object, or the name of a function."""
    if hasattr(value, "document"):
        return value.document()
    if callable(value):
        return _registered.get(value) or keras_parts.plain(value)
    if value is None or isinstance(value, str):
        return value
    if hasattr(value, "get_config"):
        return {"class_name": get_registered_name(type(value)), "config": value.get_config()}
    raise ValueError(f"Cannot serialize {value}: it has no get_config()")


def described(value):
    """A setting of a layer as it is written into files: a layer, an object or a function; itself where it has no name."""
    if hasattr(value, "described"):
        return value.described()
    if hasattr(value, "document") and value.__class__ in _registered:
        return {**value.document(), "class_name": _registered[value.__class__]}
    if callable(value) and not hasattr(value, "document"):
        if hasattr(value, "get_config"):
            return {"class_name": get_registered_name(type(value)), "config": value.get_config()}
        return _registered.get(value) or (keras_parts.plain(value) if hasattr(value, "__name__") else value)
    return keras_parts.plain(value)


class Kind:
    """One kind of Keras' objects. `table`: what its module has, by all names that it may be given by."""

    def __init__(self, what, table, nothing=None):
        self.what, self.table, self.nothing = what, table, nothing

    def get(self, identifier):
        """What an identifier means: a name, a configuration, an object or a function."""
        if identifier is None:
            return self.nothing
        if isinstance(identifier, dict):
            return self.deserialize(identifier)
        if isinstance(identifier, str):
            return self.named(identifier)
        if callable(identifier):
            return identifier() if isinstance(identifier, type) else identifier
        raise ValueError(f"Could not interpret {self.what} identifier: {identifier}")

    def named(self, name, custom_objects=None):
        found = own(name, custom_objects)
        if found is None and name not in self.table:
            raise failures.not_there(name, self.table, f"the {self.what}")
        found = self.table[name] if found is None else found
        return found() if isinstance(found, type) else found

    def deserialize(self, config, custom_objects=None):
        if config is None:
            return self.nothing
        if isinstance(config, str):
            return self.named(config, custom_objects)
        if not isinstance(config, dict) and callable(config):
            return config
        name, settings = checked(config, f"{'an' if self.what[0] in 'aeio' else 'a'} {self.what}")
        found = class_of(name, self.what, self.table, custom_objects)
        return self.made(found, settings, custom_objects)

    def made(self, found, settings, custom_objects):
        return found.from_config(settings) if hasattr(found, "from_config") else found


class _Optimizers(Kind):
    # Numbers of optimisers of later versions that mean nothing without another of their settings.
    of_others = ("ema_momentum", "ema_overwrite_frequency", "jit_compile", "is_legacy_optimizer")

    def get(self, identifier):
        """Also one of TensorFlow 1, which Keras' models train with."""
        if isinstance(identifier, train_1.Optimizer):
            if not hasattr(identifier, "of_keras"):
                identifier.of_keras = keras_parts.TFOptimizer(identifier)
            return identifier.of_keras
        if isinstance(identifier, keras_parts.Optimizer):
            return identifier
        if isinstance(identifier, (str, dict)) or isinstance(identifier, type) and issubclass(identifier, keras_parts.Optimizer):
            return super().get(identifier)
        raise ValueError(f"Could not interpret optimizer identifier: {identifier}")

    def named(self, name, custom_objects=None):
        return super().named(name if own(name, custom_objects) or name in self.table else name.lower(), custom_objects)

    def deserialize(self, config, custom_objects=None, **kwargs):
        if isinstance(config, dict) and isinstance(config.get("class_name"), str):
            name = config["class_name"]
            if not (own(name, custom_objects) or name in self.table) and name.lower() in self.table:
                config = {**config, "class_name": name.lower()}
        return super().deserialize(config, custom_objects)

    def made(self, found, settings, custom_objects):
        settings = dict(settings)
        if isinstance(settings.get("learning_rate"), dict):
            settings["learning_rate"] = SCHEDULES.deserialize(settings["learning_rate"], custom_objects)
        if found not in keras_parts.OPTIMIZERS.values():
            return found.from_config(settings)
        known = {*found.known(), "lr"}
        return found(**{key: value for key, value in settings.items() if key in known or not (
            key in self.of_others or value is None or value is False or (key == "weight_decay" and value == 0))})


def _both_cases(table):
    return {**table, **{snake_case(name): made for name, made in table.items()}}


def _relu(x, alpha=0.0, max_value=None, threshold=0.0):
    from .layers import LAYERS
    if alpha or max_value is not None or threshold:
        return LAYERS["ReLU"](max_value=max_value, negative_slope=float(alpha), threshold=float(threshold))(x)
    return operations.relu(x)


def _activations():
    unary = {name: operations.UNARY_MORE[name] for name in ("hard_sigmoid", "mish")}
    unary.update(softsign=operations.MATH["softsign"], exponential=operations.MATH["exp"])
    unary.update({name: nn_operations.NN[name] for name in ("sigmoid", "tanh", "softplus", "selu", "swish")})
    made = {name: _named(name, lambda x, function=function: function(x)) for name, function in unary.items()}
    made.update(relu=_named("relu", _relu), linear=_named("linear", lambda x: x),
                softmax=_named("softmax", lambda x, axis=-1: operations.softmax(x, axis)),
                elu=_named("elu", lambda x, alpha=1.0: operations.lifted(_elu)(x, alpha)),
                gelu=_named("gelu", lambda x, approximate=False: nn_operations.NN["gelu"](x, approximate)))
    return made


def _elu(x, alpha):
    from ..tracing.graph import apply
    return apply("elu", [x], {"alpha": float(alpha)})[0]


def _named(name, function):
    function.__name__ = name
    return operations.lifted(function)


def _functions_of_losses():
    made = {snake_case(name): keras_parts.function_of(snake_case(name), kind) for name, kind in keras_parts.LOSSES.items()}
    short = {"mean_squared_error": "mse MSE", "mean_absolute_error": "mae MAE", "mean_absolute_percentage_error": "mape MAPE",
             "mean_squared_logarithmic_error": "msle MSLE", "kl_divergence": "kld KLD kullback_leibler_divergence", "log_cosh": "logcosh"}
    return {**made, **{each: made[name] for name, names in short.items() for each in names.split()}}


def _accuracy(y_true, y_pred):
    return operations.cast(operations.equal(operations.cast(y_true, "float32"), operations.cast(y_pred, "float32")), "float32")


_accuracy.__name__ = "accuracy"
_LOSS_FUNCTIONS = _functions_of_losses()
_ACCURACIES = {name: keras_parts.metric_function(name) for name in (
    "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy", "top_k_categorical_accuracy",
    "sparse_top_k_categorical_accuracy")}
_ACCURACIES["accuracy"] = _accuracy
INITIALIZERS = Kind("initializer", {**_both_cases(keras_parts.INITIALIZERS), **keras_parts.ALIASES})
REGULARIZERS = Kind("regularizer", {**keras_parts.REGULARIZERS, "l1": keras_parts.REGULARIZERS["L1"], "l2": keras_parts.REGULARIZERS["L2"],
                                    "l1_l2": keras_parts.REGULARIZERS["L1L2"]})
CONSTRAINTS = Kind("constraint", _both_cases(keras_parts.CONSTRAINTS))
SCHEDULES = Kind("schedule", keras_parts.SCHEDULES)
OPTIMIZERS = _Optimizers("optimizer", {**addons.OPTIMIZERS, **keras_parts.OPTIMIZERS,
                                       **{name.lower(): made for name, made in keras_parts.OPTIMIZERS.items()}})
LOSSES = Kind("loss", {**keras_parts.LOSSES, **_LOSS_FUNCTIONS})
METRICS = Kind("metric", {**keras_parts.METRICS, **keras_counts.COUNTED, **_LOSS_FUNCTIONS, **_ACCURACIES})
_ACTIVATIONS = _activations()
ENGINE_ACTIVATIONS = {*_ACTIVATIONS, "relu6", "silu"}
ACTIVATIONS = Kind("activation", _ACTIVATIONS, _ACTIVATIONS["linear"])


def is_known_activation(given):
    """Whether an activation is one of Keras', by its name; a function of the script's own may have such a name, too."""
    return (getattr(given, "__module__", None) or "").startswith("tilescope_front") and getattr(given, "__name__", "") in ENGINE_ACTIVATIONS
