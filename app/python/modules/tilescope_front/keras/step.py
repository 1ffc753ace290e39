# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a model that are the script's own: train_step, test_step and predict_step, which take a batch and give the values
that are shown. They are traced into the program of a step, like a model's call()."""
import contextlib

import numpy as np

from . import layers as keras_layers, losses as keras_losses, masks as keras_masks, outputs as keras_outputs
from .. import failures
from ..operations import control_flow, elementary as operations
from ..tensors import graph
from .parts import Mean, Metric, Optimizer, loss_of, metric_values, sums_of
from ..structure import flatten

STEPS = {"train": "train_step", "evaluate": "test_step", "predict": "predict_step"}
FUNCTIONS = {"train": "make_train_function", "evaluate": "make_test_function", "predict": "make_predict_function"}


def unpack_x_y_sample_weight(data):
    """keras.utils' (x, y, weights of samples) of a batch; None for what it has not."""
    parts = tuple(data) if isinstance(data, (tuple, list)) else (data,)
    if isinstance(data, list):
        parts = (data,)
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: {data}")
    return parts + (None,) * (3 - len(parts))


def pack_x_y_sample_weight(x, y=None, sample_weight=None):
    """keras.utils' batch of them."""
    if y is None:
        return (x,) if isinstance(x, (tuple, list)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def expand_1d(data):
    """keras.engine.data_adapter's: numbers of samples as columns."""
    from ..structure import map_structure
    return map_structure(lambda each: each if each is None or len(each.dims) != 1 else operations.expand_dims(each, -1), data)


class _Updates:
    """Takes what the steps of a loop update a metric by, as an outfeed queue does; of replicas that of the first."""

    summed = 1

    def __init__(self, metric):
        self.metric = metric

    def receive(self, arrays, replicas):
        self.metric.add(arrays[0][0] if replicas > 1 else arrays[0])


def observe(metric, values):
    """Takes what a metric is to be updated by, of each step of the program that is being traced."""
    if graph.current().guards:  # sums and counts, of which nothing is added where a branch is not taken
        values = control_flow.taken(control_flow.counts(graph.current()), values, operations.zeros_like(values), "tf.cond")
    if graph.current().of_loop and graph.current().in_order:  # of each of its steps
        graph.current().add("enqueue", [values], {"queue": _Updates(metric)}, [], "update_state")
        return
    seen = getattr(graph.current(), "observed", None)
    seen = getattr(graph.current(), "of_call", None) if seen is None else seen  # which the loop around the step shows
    if seen is None:
        raise failures.refused(f"keras.metrics.{type(metric).__name__}.update_state within a function that is compiled",
                               "let the function return the values, and update the metric with those")
    seen[metric] = operations.add(seen[metric], values) if metric in seen else values


def result_of(metric):
    """The place of a metric's value in what a step gives."""
    return graph.current().add("metric_result", [], {"metric": metric}, [("float32", ())], metric.name).outputs[0]


class _OfModel(Mean):
    """A mean that a model keeps itself: of its loss, or of a metric by its name or function."""

    def __init__(self, name, given=None):
        super().__init__(name=name)
        self.given = given

    def update_state(self, labels, output, sample_weight=None):
        """Takes the values of a batch, of which each counts as its sample weighs."""
        observe(self, sums_of(metric_values(self.given, labels, output), sample_weight))


class CompiledLoss:
    """model.compiled_loss: what compile() says of the losses."""

    def __init__(self, model):
        self.model, self.parts = model, {}  # means of the losses of outputs, once it has been called
        self.total = _OfModel("loss")

    metrics = property(lambda self: [self.total, *(self.parts.values() if len(self.parts) > 1 else [])] if self.parts else [])

    def __call__(self, y_true, y_pred, sample_weight=None, regularization_losses=None):
        model, outputs = self.model, flatten(y_pred)
        if model.loss is None:
            raise ValueError("The model has no loss to compute: give `loss` to compile(), or compute it in train_step.")
        form = keras_outputs.form_of(y_pred)
        names, keys = keras_outputs.names_of(model, form), keras_outputs.keys_of(model, form)
        losses, shares, weights = (keras_outputs.by_output(given, keys, what) for given, what in (
            (model.loss, "loss"), (model.loss_weights, "loss_weights"), (sample_weight, "sample_weight")))
        parts, samples = [], float(outputs[0].dims[0])
        for i, (output, loss, label) in enumerate(zip(outputs, losses, keras_outputs.labels_of(y_true, keys, losses))):
            if loss is None or label is None:
                continue
            value = loss_of(loss, expand_1d(label), output, keras_masks.weights_of(output, weights[i]))
            own = self.parts.setdefault(names[i], _OfModel(f"{names[i]}_loss"))
            parts.append(value if shares[i] in (None, 1) else operations.multiply(value, float(shares[i])))
            value = operations.reduce_mean(value) if value.dims else value  # as it is shown
            observe(own, operations.stack([operations.multiply(value, samples), operations.constant(np.float32(samples))]))
        total = operations.add_n(parts + list(regularization_losses or []))
        shown = operations.reduce_mean(total) if total.dims else total
        observe(self.total, operations.stack([operations.multiply(shown, samples), operations.constant(np.float32(samples))]))
        return total


class CompiledMetrics:
    """model.compiled_metrics: what compile() says of the metrics."""

    def __init__(self, model):
        self.model = model
        self.given = [each if isinstance(each, Metric) else _OfModel(name, each)
                      for each, name in zip(model.metrics_, model.metric_names_)]

    metrics = property(lambda self: list(self.given))

    def update_state(self, y_true, y_pred, sample_weight=None):
        if not self.given:
            return
        label, output = expand_1d(flatten(y_true)[0]), flatten(y_pred)
        if len(output) > 1:
            raise failures.refused("compiled_metrics of a model of several outputs", "update a keras.metrics object for each")
        keras_outputs.check_metrics(self.model.metric_outputs_, keras_outputs.keys_of(self.model, keras_outputs.form_of(y_pred)))
        for number, metric in enumerate(self.given):
            given = sample_weight if number >= self.model.unweighted_metrics_ else None
            metric.update_state(label, output[0], keras_masks.weights_of(output[0], given))


class Steps:
    """What a model's own steps find in it, and the steps of Keras, which they may call."""

    def has_own_step(self, mode):
        names = (STEPS[mode],) if mode == "predict" else (STEPS[mode], "compute_loss", "compute_metrics")
        own = any(getattr(getattr(self, name), "__func__", None) is not getattr(Steps, name) for name in names)
        if hasattr(self, FUNCTIONS[mode]):
            raise failures.refused(f"{type(self).__name__}.{FUNCTIONS[mode]}", f"write {STEPS[mode]}: the loop around it is the "
                                   "device's")
        return own

    def train_step(self, data):
        from ..tracing.tape import GradientTape
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x, y, y_pred, sample_weight)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data):
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        self.compute_loss(x, y, y_pred, sample_weight)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data):
        return self(unpack_x_y_sample_weight(data)[0], training=False)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
        """The loss that compile() says, with what regularisers add."""
        return self.compiled_loss(y, y_pred, sample_weight, regularization_losses=self.losses)

    def compute_metrics(self, x, y, y_pred, sample_weight):
        """The values that are shown, with those of the metrics that compile() says."""
        self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return {metric.name: metric.result() for metric in self.metrics}

    @property
    def losses(self):
        """What regularisers and add_loss() add: of regularisers one number, while a step is traced, else one for each weight."""
        if graph.values_at_hand():
            return keras_losses.at_hand(self)
        parts = {id(each) for each in (self, *self.leaves(), *(inner for inner, _ in self._models()))}
        calls = [op.outputs[0] for op in graph.current().operations_
                 if op.kind == "keras" and id(op.attributes.get("layer") or op.attributes["model"]) in parts]
        zero = graph.symbolic(np.float32(0))
        return graph.current().add("regularised", [zero, *calls], {"parts": parts}, [(zero.dtype, zero.dims)],
                                   "regularised").outputs + keras_losses.of_model(self)

    @property
    def metrics(self):
        """What is set to 0 as an epoch begins."""
        found = self.compiled_loss.metrics + self.compiled_metrics.metrics if self.loss is not None or self.metrics_ else []
        return list(dict.fromkeys(found + keras_layers.found(self, Metric)))

    def reset_metrics(self):
        for metric in self.metrics:
            metric.reset_state()

    def sums_means(self):
        """Whether an update takes the sum over replicas of the means of their micro-batches."""
        return self.reduction != "sum" and self.accumulation > 1 and self.of_replicas is None and \
            getattr(self.optimizer, "reduction", None) is None and self.replicas() > 1

    def step_optimizers(self):
        """Those that a step of the script's own may apply."""
        return keras_layers.found(self, Optimizer)


class StepValues:
    """What a step of the script's own gives: metrics since they were set to 0, and the last values of tensors, of each of these
    replicas. The metrics have what the last one has seen."""

    of_replicas = None  # what metrics of the script's own have of each

    def __init__(self, model, replicas):
        self.model, self.seen, self.plan, self.program = model, max(replicas), None, None
        self.last = {replica: {} for replica in replicas}  # tensors
        self.states = {}  # of metrics, by replicas before the last
        model.reset_metrics()

    def begin(self, program):
        self.program, self.plan = program, self.model.step_plans[id(program)]
        return self.plan["values"] or self.plan["observed"]

    @contextlib.contextmanager
    def _as_of(self, replica):
        """Within it metrics have what a replica has seen."""
        metrics = [] if replica == self.seen else list(self.plan["observed"])
        kept = [(each.total, each.count) for each in metrics]
        for metric, state in zip(metrics, self.states.get(replica, [(0.0, 0.0)] * len(metrics))):
            metric.total, metric.count = state
        yield
        self.states[replica] = [(each.total, each.count) for each in metrics]
        for metric, state in zip(metrics, kept):
            metric.total, metric.count = state

    def add(self, program, replica, size):
        if replica not in self.last:
            return
        with self._as_of(replica):
            for metric, index in self.plan["observed"].items():
                metric.add(np.asarray(program.fetched(index), np.float64))
        self.last[replica] = {name: program.fetched(index) for name, index in self.plan["values"].items() if isinstance(index, int)}

    def logs_of(self, replica):
        """What one of them has seen since the epoch began; an estimate has what one of all gives."""
        replica = replica if self.program.computes else self.seen
        self.of_replicas.take(replica, self.program)
        with self._as_of(replica):
            values = {name: self.last[replica][name] if isinstance(index, int) else index.result().numpy()
                      for name, index in self.plan["values"].items()}
        return {name: float(value) if np.ndim(value) == 0 else value for name, value in values.items()}

    def logs(self):
        return self.logs_of(self.seen)


def trace(model, mode, data, arguments):
    """Calls a model's own step on the columns of a batch: (names and tensors or metrics that it gives, tensors that metrics are
    updated by)."""
    from ..structure import pack_like
    x = pack_like(data.input_structure, arguments[:data.inputs])
    labels = arguments[data.inputs:data.inputs + data.labels]
    y = pack_like(data.label_structure, labels) if labels else None
    weights = arguments[data.inputs + data.labels:]
    given = getattr(model, STEPS[mode])(pack_x_y_sample_weight(x, y, *([weights if weights[1:] else weights[0]] if weights else [])))
    name = f"{type(model).__name__}.{STEPS[mode]}"
    if not isinstance(given, dict):
        raise TypeError(f"{name} gives {type(given).__name__}: return a dictionary of names and values, as "
                        "{\"loss\": loss}")
    values = {}
    for key, value in given.items():
        tensor = graph.symbolic(value)
        values[key] = tensor.op.attributes["metric"] if tensor.op.kind == "metric_result" else tensor
    return values, graph.current().observed


NAMES = {"unpack_x_y_sample_weight": unpack_x_y_sample_weight, "pack_x_y_sample_weight": pack_x_y_sample_weight}
