# SPDX-License-Identifier: GPL-3.0-or-later
"""Regularisers, losses, metrics and optimisers of Keras: their names and settings, which the engine knows what to do with."""
import numpy as np

from . import metric_variables
from ..operations import schedules
from ..optimizers import own_updates, updates
from ..configured import Configured, bind, family, plain, signature_of, snake_case
from .loss_parts import REDUCTION, Loss, Reduction, along_last, function_of, has_own_axis, loss_of, on_any


class Regularizer(Configured):
    def __call__(self, x):
        """What it adds to a loss for a tensor."""
        from ..operations import elementary as operations
        sizes = {"l1": operations.abs_, "l2": operations.MATH["square"]}
        terms = [operations.multiply(operations.reduce_sum(sizes[kind](x)), float(share)) for kind, share in self.settings.items() if share]
        return operations.add_n(terms) if terms else operations.constant(np.float32(0))


REGULARIZERS = family(Regularizer, {"L1": "l1=0.01", "L2": "l2=0.01", "L1L2": "l1=0.0, l2=0.0"}, "Keras' regulariser")


def metric_function(name):
    """keras.metrics' function: the metric of each sample."""
    kind = next(each for each in METRICS.values() if snake_case(each.__name__) == name)
    own = signature_of(", ".join(["y_true", "y_pred", *(each for each in kind.parameters.split(", ") if each.startswith(("threshold", "k=")))]))

    def metric(*args, **kwargs):
        given = bind(name, own, args, kwargs)
        return kind(**{key: given[key] for key in given if key not in ("y_true", "y_pred")}).values(given["y_true"], given["y_pred"])
    metric.__name__ = metric.__qualname__ = name
    metric.__signature__ = own
    metric.workload_name = lambda: name
    return metric


def is_python(given):
    """Whether a loss or a metric is a function or a class of the script's own, or has settings that the engine's
    workloads have not."""
    if isinstance(given, Loss):
        return hasattr(given, "call") or given.calls_itself or given.summed or given.unreduced or given.settings.get("label_smoothing", 0) != 0 or \
            given.settings.get("delta", 1) != 1 or has_own_axis(given)
    if isinstance(given, Metric) and hasattr(given, "workload_name"):
        return hasattr(given, "of_counts") or given.is_own or given.own_k or given.of_loss or given.settings.get("threshold", 0.5) != 0.5 or \
            given.kind_name == "Accuracy" or has_own_axis(given)
    return callable(given) and not hasattr(given, "workload_name")


def _accuracy(labels, output):
    """Which accuracy Keras means by "accuracy": by the shapes."""
    if output.dims[-1] == 1:
        return "binary_accuracy"
    classes = len(labels.dims) < len(output.dims) or labels.dims[-1] == 1
    return "sparse_categorical_accuracy" if classes else "categorical_accuracy"


def in_one_rank(labels, output):
    """Labels and an output, of which Keras leaves out a last extent of 1 that the other has not."""
    from ..operations import elementary as operations
    from ..tensors import graph
    labels, output = graph.convert(labels), graph.convert(output)
    if labels.dims[-1:] == (1,) and len(labels.dims) == len(output.dims) + 1:
        labels = operations.squeeze(labels, [-1])
    elif output.dims[-1:] == (1,) and len(output.dims) == len(labels.dims) + 1:
        output = operations.squeeze(output, [-1])
    return labels, output


def metric_values(metric, labels, output):
    """A metric of each sample of a batch."""
    from . import traced as keras_traced
    if isinstance(metric, Metric):
        return metric.values(labels, output)
    if is_python(metric):
        return metric(labels, output)
    name = plain_name(metric)
    return keras_traced.compared(_accuracy(labels, output) if name in ("accuracy", "acc") else name, True, labels, output)


def metric_of(metric, labels, output):
    """A metric of one batch, as one number."""
    from ..operations import elementary as operations
    return operations.reduce_mean(metric_values(metric, labels, output))


def sums_of(values, weights):
    """Of values of samples and their weights (None: all 1), a tensor [2]: the sum of the weighted values, and of the weights."""
    from ..operations import elementary as operations
    from ..tensors import graph
    values = operations.cast(graph.convert(values), "float32")
    weights = operations.cast(graph.convert(np.float32(1) if weights is None else weights), "float32")
    if len(weights.dims) > len(values.dims) and weights.dims[-1] == 1:
        weights = operations.squeeze(weights, [-1])
    weights = operations.reshape(weights, list(weights.dims) + [1] * (len(values.dims) - len(weights.dims)))
    values, weights = operations.broadcast_together(values, weights)
    return operations.stack([operations.reduce_sum(operations.multiply(values, weights)), operations.reduce_sum(weights)])


LOSSES = family(Loss, {
    "SparseCategoricalCrossentropy": "from_logits=False, " + REDUCTION,
    "CategoricalCrossentropy": "from_logits=False, label_smoothing=0, " + REDUCTION,
    "BinaryCrossentropy": "from_logits=False, label_smoothing=0, axis=-1, " + REDUCTION,
    **{name: REDUCTION for name in (
        "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError",
        "KLDivergence", "Poisson", "LogCosh", "Hinge", "SquaredHinge", "CategoricalHinge")},
    "CosineSimilarity": "axis=-1, " + REDUCTION,
    "Huber": "delta=1.0, " + REDUCTION}, "Keras' loss")


class Metric(Configured):
    """A metric by name, which the engine computes; updated by hand it is a mean over what it has seen. One of the script's own has
    variables, which its update_state() changes."""

    parameters = "name=None, dtype=None"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        from . import placed as keras_placed
        self.total, self.count = 0.0, 0.0
        keras_placed.note(self)

    is_own = property(lambda self: not type(self).update_state.__module__.startswith("tilescope_front"))
    weights = variables = non_trainable_weights = non_trainable_variables = property(lambda self: metric_variables.of(self))
    trainable_weights = trainable_variables = property(lambda self: [])

    def get_weights(self):
        return [each.numpy() for each in self.weights]

    def set_weights(self, weights):
        metric_variables.set_values(self, weights)

    def kept_names(self):
        """By which Keras has what it keeps itself: nothing, where a class of the script's own keeps all."""
        ours = next(each for each in type(self).__mro__ if each.__module__.startswith("tilescope_front"))
        return () if ours is Metric else ("total", "count")

    def kept_value(self, name):
        return getattr(self, name)

    def keep_value(self, name, value):
        setattr(self, name, float(value))

    def add_weight(self, name=None, shape=(), aggregation=None, synchronization=None, initializer="zeros", dtype=None):
        from . import metrics as keras_metrics
        return keras_metrics.variable_of(self, name, shape, initializer, dtype)

    name = property(lambda self: self.settings.get("name") or _NAMED_OTHERWISE.get(self.kind_name) or self.workload_name())

    def workload_name(self):
        return snake_case(self.kind_name)

    def reset_state(self):
        if type(self).reset_states is not Metric.reset_states and type(self).reset_state is Metric.reset_state:
            return self.reset_states()  # as it was called before Keras 2.5
        self.total, self.count = 0.0, 0.0
        for variable in self.__dict__.get("variables_", ()):
            variable.assign(np.zeros(variable.shape, variable.dtype.as_numpy_dtype))
        return None

    def reset_states(self):
        return self.reset_state()

    def update_state(self, y_true, y_pred, sample_weight=None):
        self._update(self.values(y_true, y_pred), sample_weight)

    def _update(self, values, sample_weight):
        from . import step as keras_step
        from ..tensors import graph
        if not graph.values_at_hand():
            return keras_step.observe(self, sums_of(values, sample_weight))
        values = np.asarray(graph.convert(values).value, np.float32)
        weights = np.asarray(1 if sample_weight is None else sample_weight, np.float32)
        if weights.ndim > values.ndim and weights.shape[-1] == 1:
            weights = weights[..., 0]
        weights = weights.reshape(weights.shape + (1,) * (values.ndim - weights.ndim))
        values, weights = np.broadcast_arrays(values, weights)
        return self.add((float((values * weights).sum()), float(weights.sum())))

    def add(self, found):
        """Takes the sum of values, and that of their weights."""
        self.total += float(found[0])
        self.count += float(found[1])

    # A metric that is a loss with settings of its own.
    of_loss = property(lambda self: bool(self.settings.get("from_logits")) or bool(self.settings.get("label_smoothing")))
    # The engine has hits among the first five of labels like the output.
    own_k = property(lambda self: self.settings.get("k", 5) != 5 or self.kind_name == "SparseTopKCategoricalAccuracy")

    def values(self, y_true, y_pred):
        """Of each sample, at once or in a graph."""
        from . import traced as keras_traced
        from ..operations import nn as nn_operations, elementary as operations
        from ..tensors import graph
        y_true, y_pred = along_last(self, y_true, y_pred)
        if self.kind_name == "Accuracy":
            return operations.cast(operations.equal(*(operations.cast(each, "float32") for each in in_one_rank(y_true, y_pred))), "float32")
        if self.of_loss:
            settings = {name: self.settings[name] for name in ("from_logits", "label_smoothing") if name in self.settings}
            return LOSSES[self.kind_name](**settings).values(y_true, y_pred)
        threshold = self.settings.get("threshold", 0.5)
        if threshold != 0.5:
            y_true, y_pred = in_one_rank(y_true, y_pred)
            above = operations.cast(operations.greater(y_pred, float(threshold)), "float32")
            hits = operations.cast(operations.equal(operations.cast(y_true, "float32"), above), "float32")
            return operations.reduce_mean(hits, -1)
        if not self.own_k:
            return keras_traced.compared(self.workload_name(), True, y_true, y_pred)
        classes = y_true if self.kind_name == "SparseTopKCategoricalAccuracy" else operations.argmax(y_true, -1)
        scores = graph.convert(y_pred)
        found = nn_operations.in_top_k(operations.reshape(classes, [-1]), operations.reshape(scores, [-1, scores.dims[-1]]), self.settings["k"])
        return operations.cast(found, "float32")

    def result(self):
        """Its value; in a step that is being traced, the place where it is shown."""
        from . import step as keras_step
        from ..tensors import graph
        return graph.EagerTensor(np.float32(self.made())) if graph.values_at_hand() else keras_step.result_of(self)

    def made(self):
        return self.total / self.count if self.count else 0.0

    def __call__(self, *values, **named):
        self.update_state(*values, **named)
        return self.result()


class Mean(Metric):
    """keras.metrics.Mean: of numbers that the script gives."""

    parameters = "name=None, dtype=None"

    def update_state(self, values, sample_weight=None):
        self._update(values, sample_weight)


class Sum(Mean):
    """keras.metrics.Sum."""

    def kept_names(self):
        return ("total",)

    def made(self):
        return self.total


_NAMED_OTHERWISE = {"KLDivergence": "kullback_leibler_divergence", "LogCoshError": "logcosh"}
METRICS = family(Metric, {
    **{name: "name=None, dtype=None" for name in (
        "Accuracy", "CategoricalAccuracy", "SparseCategoricalAccuracy", "MeanSquaredError",
        "MeanAbsoluteError",
        "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "KLDivergence", "Poisson", "Hinge", "SquaredHinge",
        "CategoricalHinge", "LogCoshError")},
    "CosineSimilarity": "name=None, dtype=None, axis=-1",
    "BinaryAccuracy": "name=None, dtype=None, threshold=0.5",
    "CategoricalCrossentropy": "name=None, dtype=None, from_logits=False, label_smoothing=0",
    "BinaryCrossentropy": "name=None, dtype=None, from_logits=False, label_smoothing=0",
    "SparseCategoricalCrossentropy": "name=None, dtype=None, from_logits=False, axis=-1",
    "TopKCategoricalAccuracy": "k=5, name=None, dtype=None",
    "SparseTopKCategoricalAccuracy": "k=5, name=None, dtype=None"}, "Keras' metric")
METRICS["LogCoshError"].workload_name = lambda self: "log_cosh"
METRICS.update(Mean=Mean, Sum=Sum)
from .metrics import mean_tensor  # noqa: E402  pylint: disable=wrong-import-position
METRICS["MeanTensor"] = mean_tensor()


def _hyper():
    from ..optimizers import hyper
    return hyper


def recorded(loss, var_list, tape, scaled=None):
    """What minimize() differentiates: (the tape, the loss on it, the variables). Errors: ValueError where a loss is on none."""
    from ..tensors import graph
    from ..tracing.tape import GradientTape
    if tape is None and not callable(loss) and graph.executing_eagerly():
        raise ValueError("`tape` is required when a `Tensor` loss is passed.")
    tape = tape or GradientTape()
    if scaled is not None or callable(loss):
        with tape:
            loss = loss() if callable(loss) else loss
            loss = loss if scaled is None else scaled(loss)
    return tape, loss, list(var_list() if callable(var_list) else var_list)


class Optimizer(own_updates.OfKeras, Configured):
    """An optimiser: what a workload's `compile.optimizer` says."""

    parameters = "name=None, gradient_aggregator=None, gradient_transformers=None, decay=0.0, clipnorm=None, clipvalue=None, " \
        "global_clipnorm=None"
    gradient_transformers = ()  # what changes the gradients that an update is made of, after clipping

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own_updates.take_apply_gradients(cls)

    # Numbers among the settings are variables for scripts, which may assign them between programs.
    learning_rate = property(lambda self: _hyper().setting(self, "learning_rate"),
                             lambda self, value: self.settings.update(learning_rate=_hyper().given(value)))
    lr = learning_rate
    iterations = property(lambda self: self.__dict__.setdefault("iterations_", None) or
                          self.__dict__.update(iterations_=_hyper().Iterations(self)) or self.__dict__["iterations_"])

    def __getattr__(self, name):
        if name in self.__dict__.get("settings", ()):
            return _hyper().setting(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name, value):
        if name in self.__dict__.get("settings", ()) and name != "opt" and not hasattr(type(self), name):
            self.settings[name] = _hyper().given(value)
        else:
            super().__setattr__(name, value)

    def __init__(self, *args, **kwargs):
        if "lr" in kwargs:
            from .. import host
            host.tell_once("UserWarning: The `lr` argument is deprecated, use `learning_rate` instead.")
            kwargs["learning_rate"] = kwargs.pop("lr")
        given = {name: kwargs.pop(name, None) for name in ("gradient_aggregator", "gradient_transformers")}
        super().__init__(*args, **kwargs)
        given.update((name, self.settings.pop(name)) for name in given if self.settings.get(name) is not None)  # by their places
        self.settings = {name: value for name, value in self.settings.items() if name not in given}
        self.gradient_transformers = list(given["gradient_transformers"] or ())
        if given["gradient_aggregator"] is not None:
            from .. import failures
            raise failures.refused(f"{type(self).__name__}(gradient_aggregator=…)", "replicas add up their gradients: leave it out, or change them in "
                                   "gradient_transformers")
        own_updates.check(self)
        if self.settings.get("clipnorm") is not None and self.settings.get("global_clipnorm") is not None:
            raise ValueError(f"Cannot accept both `clipnorm` and `global_clipnorm`. Received: `clipnorm`={self.settings['clipnorm']}, "
                             f"`global_clipnorm`={self.settings['global_clipnorm']}.")

    def get_config(self):
        made = {key: value for key, value in super().get_config().items() if value is not None or not key.endswith(("clipnorm", "clipvalue"))}
        first = {key: made.pop(key) for key in ("learning_rate", "decay") if key in made}
        return {"name": made.pop("name", None) or type(self).__name__, **first, **made}

    def variables(self):
        from ..optimizers import slots
        return slots.variables(self)

    weights = property(variables)

    def get_weights(self):
        from ..optimizers import slots
        return slots.get_weights(self)

    def set_weights(self, weights):
        from ..optimizers import slots
        slots.set_weights(self, weights)

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        return updates.apply_gradients(self, grads_and_vars, experimental_aggregate_gradients)

    def update(self, loss):
        """The update by the gradients of a loss, in the graph of a model that is being traced."""
        from ..tf1 import train as train_1
        if type(self).minimize is not Optimizer.minimize:
            from ..tracing.tape import GradientTape
            return self.minimize(loss, updates.trained_by(loss)[0], tape=GradientTape())
        if type(self).get_gradients is not Optimizer.get_gradients:
            trained = updates.trained_by(loss)[0]
            return self.apply_gradients(zip(self.get_gradients(loss, trained), trained))
        return self.apply_gradients(train_1.Optimizer.compute_gradients(self, loss))

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        tape, loss, variables = recorded(loss, var_list, tape)
        return self.apply_gradients(zip(tape.gradient(loss, variables, grad_loss), variables))

    def get_gradients(self, loss, params):
        from ..tracing import gradients
        return gradients.gradients_of(loss, list(params))

    is_python = property(lambda self: getattr(self.settings.get("learning_rate"), "computed", False) or own_updates.changes_gradients(self))

    def rate_tensor(self):
        """The learning rate where it is computed: a tensor or a variable of the script's, or what its schedule makes."""
        from ..tensors import graph
        rate = self.settings["learning_rate"]
        if getattr(rate, "computed", False):
            return _hyper().scheduled(self, rate)
        return graph.symbolic(rate) if isinstance(rate, graph.Tensor) and not isinstance(rate, graph.EagerTensor) else None

    def workload_settings(self):
        """Its settings, as far as they are the update's."""
        return self.get_config()

    def workload(self):
        settings = {k: v for k, v in self.workload_settings().items() if v is not None and k != "name"}
        if own_updates.gets_clipped(self):
            settings = {k: v for k, v in settings.items() if k not in ("clipnorm", "clipvalue", "global_clipnorm")}  # it gets them clipped
            if own_updates.is_own(self) and not self._is_of_engine():
                return {**{k: plain(v) for k, v in settings.items()}, "name": own_updates.engine_name(self)}
        decay = settings.pop("decay", 0)
        settings.update({name: bool(settings[name]) for name in ("centered", "amsgrad", "nesterov") if name in settings})
        rate = self.settings["learning_rate"]
        if getattr(rate, "computed", False):
            settings["learning_rate"] = 1.0
        elif isinstance(rate, schedules.LearningRateSchedule):
            settings["learning_rate"] = rate.workload()
        elif hasattr(rate, "dims"):
            settings["learning_rate"] = float(rate.value) if hasattr(rate, "value") and not callable(rate.value) else \
                float(rate.array) if hasattr(rate, "array") else 1.0
        if decay:
            if not isinstance(settings["learning_rate"], (int, float)) or self.rate_tensor() is not None:
                from .. import failures
                raise failures.refused(f"{type(self).__name__}(decay=…) with a rate that changes", "give one of the two")
            settings["learning_rate"] = {"name": "InverseTimeDecay", "initial_learning_rate": settings["learning_rate"],
                                         "decay_steps": 1, "decay_rate": decay}
        if settings.get("momentum", None) == 0:
            settings.pop("nesterov", None)
        return {"name": own_updates.engine_name(self), **settings}


class TFOptimizer(Optimizer):
    """An optimiser of TensorFlow 1, or one in a wrapper of ipu.optimizers, that a model of Keras trains with."""

    is_python = False

    def __init__(self, optimizer):
        from .. import failures
        from ..tf1 import train as train_1
        self.optimizer, self.reduction = optimizer, None
        while isinstance(self.optimizer, train_1.IpuOptimizer) and type(self.optimizer) in train_1.WRAPPERS.values():
            if isinstance(self.optimizer, train_1.GradientAccumulationOptimizerV2):
                raise failures.refused(f"ipu.optimizers.{type(self.optimizer).__name__} in Model.compile()",
                                       "use set_gradient_accumulation_options()")
            if isinstance(self.optimizer, train_1.CrossReplicaOptimizer):
                self.reduction = "mean"
            elif type(self.optimizer) not in (train_1.ShardedOptimizer, train_1.IpuOptimizer):
                break
            self.optimizer = self.optimizer._optimizer
        self.is_python = type(self.optimizer).workload is train_1.Optimizer.workload or \
            own_updates.changes_gradients(self.optimizer)  # it changes gradients, or looks at them
        self.settings = self.optimizer.settings

    def workload(self):
        return {"name": type(self.optimizer).__name__} if self.is_python else self.optimizer.workload()

    def update(self, loss):
        """What an optimizer of the script's own makes of a loss, in the graph that is being traced."""
        self.optimizer.apply_gradients(self.optimizer.compute_gradients(loss))


_CLIPS = "decay=0.0, clipnorm=None, clipvalue=None, global_clipnorm=None"
OPTIMIZERS = family(Optimizer, {
    "SGD": f"learning_rate=0.01, momentum=0.0, nesterov=False, name='SGD', {_CLIPS}",
    "RMSprop": f"learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-07, centered=False, name='RMSprop', {_CLIPS}",
    "Adam": f"learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, amsgrad=False, name='Adam', {_CLIPS}",
    "AdamW": "learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, weight_decay=0.004, name='AdamW', "
             f"{_CLIPS}",
    "Adamax": f"learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, name='Adamax', {_CLIPS}",
    "Nadam": f"learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-07, name='Nadam', {_CLIPS}",
    "Adagrad": f"learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-07, name='Adagrad', {_CLIPS}",
    "Adadelta": f"learning_rate=0.001, rho=0.95, epsilon=1e-07, name='Adadelta', {_CLIPS}",
    "Ftrl": "learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1, "
            "l1_regularization_strength=0.0, l2_regularization_strength=0.0, name='Ftrl', "
            f"l2_shrinkage_regularization_strength=0.0, beta=0.0, {_CLIPS}"}, "Keras' optimiser")


_SHORT = {"MSE": "mse", "MAE": "mae", "MAPE": "mape", "MSLE": "msle", "KLD": "kld", "kullback_leibler_divergence": "kld", "logcosh": "log_cosh"}


def plain_name(given):
    """The name of a loss or a metric, however it is given."""
    if isinstance(given, str):
        return _SHORT.get(given) or (snake_case(given) if given in LOSSES or given in METRICS else given)
    return given.workload_name() if hasattr(given, "workload_name") else getattr(given, "__name__", type(given).__name__)
