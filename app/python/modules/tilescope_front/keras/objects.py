# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' objects by their names and configurations: of each kind the one table of its module."""
from . import addons, counts as keras_counts, parts as keras_parts
from ..operations import activations, elementary as operations, schedules
from ..tf1 import train as train_1
from ..configured import snake_case
from ..identifiers import Kind, own


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
            settings["learning_rate"] = schedules.KIND.deserialize(settings["learning_rate"], custom_objects)
        if found not in keras_parts.OPTIMIZERS.values():
            return found.from_config(settings)
        known = {*found.known(), "lr"}
        return found(**{key: value for key, value in settings.items() if key in known or not (
            key in self.of_others or value is None or value is False or (key == "weight_decay" and value == 0))})


def _relu(x, alpha=0.0, max_value=None, threshold=0.0):
    from .layers import LAYERS
    if alpha or max_value is not None or threshold:
        return LAYERS["ReLU"](max_value=max_value, negative_slope=float(alpha), threshold=float(threshold))(x)
    return operations.relu(x)


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
REGULARIZERS = Kind("regularizer", {**keras_parts.REGULARIZERS, "l1": keras_parts.REGULARIZERS["L1"], "l2": keras_parts.REGULARIZERS["L2"],
                                    "l1_l2": keras_parts.REGULARIZERS["L1L2"]})
OPTIMIZERS = _Optimizers("optimizer", {**addons.OPTIMIZERS, **keras_parts.OPTIMIZERS,
                                       **{name.lower(): made for name, made in keras_parts.OPTIMIZERS.items()}})
LOSSES = Kind("loss", {**keras_parts.LOSSES, **_LOSS_FUNCTIONS})
METRICS = Kind("metric", {**keras_parts.METRICS, **keras_counts.COUNTED, **_LOSS_FUNCTIONS, **_ACCURACIES})
_ACTIVATIONS = {**activations.FUNCTIONS, "relu": activations.named("relu", _relu)}
ENGINE_ACTIVATIONS = {*_ACTIVATIONS, "relu6", "silu"}
ACTIVATIONS = Kind("activation", _ACTIVATIONS, _ACTIVATIONS["linear"])


def is_known_activation(given):
    """Whether an activation is one of Keras', by its name; a function of the script's own may have such a name, too."""
    return (getattr(given, "__module__", None) or "").startswith("tilescope_front") and getattr(given, "__name__", "") in ENGINE_ACTIVATIONS
