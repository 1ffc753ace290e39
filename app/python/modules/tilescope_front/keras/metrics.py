# SPDX-License-Identifier: GPL-3.0-or-later
"""What layers and models show beside a loss themselves: add_metric()."""
import inspect
import itertools

from .. import configured, failures
from ..tensors import graph
from ..structure import flatten
from ..operations import keras_initializers

_numbers = itertools.count()


def add(layer, value, name=None, aggregation="mean"):
    """Takes a value of the step that is being traced, or a tensor of Keras, which is shown as the mean over the steps."""
    from .layers import KerasTensor
    if getattr(getattr(value, "op", None), "kind", "") == "metric_result":  # which is shown without that, too
        return
    if name is None:
        raise ValueError("Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), name='mean_activation')`")
    if aggregation not in ("mean", None):
        raise ValueError(f"We currently support only `mean` sample-wise metric aggregation. You provided aggregation=`{aggregation}`")
    if isinstance(value, KerasTensor):
        if not hasattr(layer, "metric_tensors"):
            raise failures.refused(f"{type(layer).__name__}.add_metric() of a Keras tensor outside of call()",
                                   "give it to the model's add_metric()")
        layer.add_metric_tensor(name, value)
    elif not graph.values_at_hand():
        _take(layer, name, graph.symbolic(value))


def _take(layer, name, tensor):
    if getattr(graph.current(), "observed", None) is not None:  # a step of the script's own
        from .parts import Mean
        means = layer.__dict__.setdefault("added_metrics", {})
        return means.setdefault(name, Mean(name=name)).update_state(tensor)
    return _of_step().append((layer, name, tensor))


def _of_step():
    return graph.current().__dict__.setdefault("added_metrics", [])


def forget(parts):
    """What the last call of these has shown, the next one takes the place of."""
    _of_step()[:] = [each for each in _of_step() if id(each[0]) not in parts]


def mean_tensor():
    """keras.metrics.MeanTensor, which is of values that are at hand."""
    import numpy as np
    from .parts import Metric

    class MeanTensor(Metric):
        """The mean of tensors of one shape, element by element."""

        parameters = "name=None, dtype=None, shape=None"

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.reset_state()

        def reset_state(self):
            shape = self.settings["shape"]
            self.sums = self.weights_seen = None if shape is None else np.zeros(tuple(shape), np.float32)

        reset_states = reset_state
        def kept_names(self):
            return () if self.sums is None else ("total", "count")

        def keep_value(self, name, value):
            setattr(self, {"total": "sums", "count": "weights_seen"}[name], value)

        total = property(lambda self: None if self.sums is None else graph.EagerTensor(self.sums), lambda self, value: None)
        count = property(lambda self: None if self.sums is None else graph.EagerTensor(self.weights_seen), lambda self, value: None)

        def update_state(self, values, sample_weight=None):
            if not graph.values_at_hand():
                raise failures.refused("keras.metrics.MeanTensor.update_state within a step or a compiled function", "return the tensor, and "
                                       "update the metric with its values")
            array = np.asarray(graph.convert(values).value, np.float32)
            if self.sums is not None and self.sums.shape != array.shape:
                raise ValueError(f"MeanTensor input values must always have the same shape. Expected shape (set during the first call): "
                                 f"{self.sums.shape}. Got: {array.shape}")
            weights = np.ones_like(array) if sample_weight is None else np.asarray(graph.convert(sample_weight).value, np.float32)
            weights = np.broadcast_to(weights.reshape(weights.shape + (1,) * (array.ndim - weights.ndim)), array.shape)
            before = (0, 0) if self.sums is None else (self.sums, self.weights_seen)
            self.sums, self.weights_seen = before[0] + array * weights, before[1] + weights

        def result(self):
            if self.sums is None:
                raise ValueError("MeanTensor does not have any result yet. Please call the MeanTensor instance or use `.update_state(value)` "
                                 "before retrieving the result.")
            with np.errstate(divide="ignore", invalid="ignore"):
                return graph.EagerTensor(np.where(self.weights_seen == 0, 0, self.sums / self.weights_seen).astype(np.float32))
    return MeanTensor


class OfCall:
    """A metric object that a model's call updates: what it makes of what it has seen since the epoch began."""

    def __init__(self, metric):
        self.metric = metric

    def of_counts(self, counts):
        if hasattr(self.metric, "of_counts"):
            self.metric.total = counts
        else:
            self.metric.total, self.metric.count = map(float, counts)
        return self.metric.made()


def of_model(model):
    """(name, number) of what parts of a model show in the step that is being traced: the mean of those of one name."""
    from . import losses as keras_losses
    from ..operations import elementary as operations
    known = {id(each) for each in keras_losses.parts_of(model)}
    named = {}
    for layer, name, tensor in _of_step():
        if id(layer) in known:
            named.setdefault(name, []).append(operations.reduce_mean(operations.cast(tensor, "float32")))
    return [(name, operations.divide(operations.add_n(values), float(len(values))) if len(values) > 1 else flatten(values)[0])
            for name, values in named.items()]


def variable_of(metric, name, shape, initializer, dtype):
    """A variable of a metric of the script's own: beside the weights of a model, and none of them."""
    from ..tracing import functions
    listed = metric.__dict__.setdefault("variables_", [])
    key = f"{metric.settings.get('name') or configured.snake_case(type(metric).__name__)}/{next(_numbers)}/{name or len(listed)}"
    shape = tuple(shape) if isinstance(shape, (list, tuple)) else tuple(graph.TensorShape(shape))
    values = keras_initializers.first_values(keras_initializers.KIND.get(initializer or "zeros"), shape, dtype or "float32", key)
    made = functions.EagerVariable(values, trainable=False, name=name or key, key=key)
    made.hidden = True
    listed.append(made)
    return made


def own_variables(model):
    """Those of the metrics of the script's own that a model has."""
    from . import layers as keras_layers, parts as keras_parts
    given = [each for each in [*model.metrics_, *keras_layers.found(model, keras_parts.Metric)] if isinstance(each, keras_parts.Metric)]
    return list({id(each): each for metric in given for each in metric.__dict__.get("variables_", ())}.values())


class VariablesOfReplicas:
    """The variables of metrics of the script's own, of which each replica has its own; replicas follow each other here."""

    def __init__(self, model, replicas):
        self.variables, self.values = own_variables(model) if replicas > 1 else [], {}
        self.first = [each.array for each in self.variables]

    def take(self, replica, program):
        """Before a step of a replica, and before its values are looked at."""
        if self.variables and program.lanes > 1:
            raise failures.refused("a metric with variables of its own, in a step in which replicas exchange values",
                                   "use one of keras.metrics, or one IPU")
        for variable, value in zip(self.variables, self.values.get(replica, self.first)):
            variable.array = value

    def keep(self, replica):
        self.values[replica] = [each.array for each in self.variables]


def update_own(metric, label, output, weight):
    """What a step that is being traced does to a metric of the script's own."""
    takes = inspect.signature(metric.update_state).parameters
    more = {"sample_weight": weight} if weight is not None and "sample_weight" in takes else {}
    metric.update_state(label, output, **more)


def of_outputs(metrics):
    """(metric, the output that it is of) of what compile() is given: metrics of all outputs, or those of each."""
    def several(given):
        return [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    if isinstance(metrics, dict):
        return [(each, name) for name, given in metrics.items() for each in several(given)]
    metrics = several(metrics)
    if any(isinstance(each, (list, tuple)) for each in metrics):
        return [(each, number) for number, given in enumerate(metrics) for each in several(given)]
    return [(each, None) for each in metrics]


def shown_names(metrics, outputs, unweighted):
    """As they are shown; ValueError where two of an output have the same. Weighted ones come after `unweighted` others."""
    from . import parts as keras_parts
    names = []
    for i, (metric, output) in enumerate(zip(metrics, outputs)):
        name = getattr(metric, "name", None) or (metric if isinstance(metric, str) else keras_parts.plain_name(metric))
        if i >= unweighted and (name, output) in names:
            name = "weighted_" + name
        if (name, output) in names:
            raise ValueError(f"Found two metrics with the same name: {name}")
        names.append((name, output))
    return [name for name, _ in names]
