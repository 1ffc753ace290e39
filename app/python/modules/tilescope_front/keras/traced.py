# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are Python: subclasses, Lambda layers, layers, losses and metrics of the script's own, weights of
samples. What their calls do with the symbolic tensors of one batch is a graph, which becomes one program."""
import contextlib
import inspect
import itertools
import json

import numpy as np

import tilescope_engine as engine

from . import (
    layers as keras_layers, losses as keras_losses, masks as keras_masks, metrics as keras_metrics, outputs as keras_outputs,
    tables as keras_tables, tensors as keras_tensors)
from ..optimizers import slots
from .. import host
from ..ipu import pipelining
from ..tracing import gradients, like_named, lowering, model_weights
from ..tensors import graph, open_shapes
from ..tracing.owner import owned_by, owner
from ..dtypes import as_dtype
from ..structure import flatten, pack_like

_calls = None  # what its own call() has called
_training = False
SCRATCH = "keras_scratch_graph"  # the name of graphs that are made for shapes alone


def stand_apart(layer):
    """Gives a layer another name where a graph, or what a model calls within its own call() or its layers', has one of that name: weights
    are by the names of their layers."""
    if hasattr(layer, "subclassed") or (graph.executing_eagerly() if owner() is None else not hasattr(owner(), "store") or any(
            layer is each for each in ([] if owner().subclassed else owner().layers))):
        return
    known = vars(graph.current().outermost() if owner() is None else owner()).setdefault("layers_by_name", {})
    from . import model as keras_model
    model = getattr(layer, "model_", None)
    of_another = model is not owner() and keras_model._has_weights(model, layer)  # by the name that it has
    if known.setdefault(layer.name, layer) is layer or of_another or layer.built:
        return
    layer._name = next(name for name in (f"{layer.name}_{number}" for number in itertools.count(1)) if name not in known)
    known[layer._name] = layer


class _Calls:
    """The calls of layers that a model's own call() makes while it is traced: (layer, the layers that it reads, its stage)."""

    def __init__(self):
        self.made, self.depth, self.made_by = [], 0, {}

    def note(self, layer, inputs):
        tensors = [each for each in flatten(inputs) if isinstance(each, graph.GraphTensor)]
        self.made.append((layer, [self.made_by[id(t.op)] for t in tensors if id(t.op) in self.made_by], keras_layers.stage_of_call(layer)))

    def gives(self, layer, results):
        self.made_by.update((id(t.op), layer) for t in flatten(results) if isinstance(t, graph.GraphTensor))


@contextlib.contextmanager
def noted(layer, inputs):
    """Notes a call that a model's own call() makes; gives the stage that it was assigned, or None, and what takes its results."""
    if _calls is None or not getattr(owner(), "subclassed", False):
        yield None, lambda results: results
        return
    stage, calls = None, _calls
    if calls.depth == 0:
        stages = owner().stages_
        stage = stages[len(calls.made) % len(stages)] if stages else None
        calls.note(layer, inputs)
    calls.depth += 1

    def gives(results):
        if calls.depth == 1:
            calls.gives(layer, results)
        return results
    try:
        yield stage, gives
    finally:
        calls.depth -= 1


def training_now(given):
    return _training if given is None else bool(given)


def set_training(value):
    """From here on layers that are called train, or do not, where nothing says that."""
    global _training
    _training = bool(value)


@contextlib.contextmanager
def tracing(model, training):
    """What is called within it belongs to `model`."""
    global _training, _calls
    before = _training, _calls
    _calls, _training = _Calls() if owner() is None else _calls, training
    try:
        with owned_by(model):
            yield _calls
    finally:
        _training, _calls = before


@contextlib.contextmanager
def _trains(training):
    """What layers within take where they are not told whether they train."""
    global _training
    before, _training = _training, training
    try:
        yield
    finally:
        _training = before


class _Place:
    """Stands for a tensor among the arguments of a call."""

    def __init__(self, number):
        self.number = number


def gathered(inputs, args, kwargs, kind=keras_tensors.KerasTensor):
    """A call with tensors of a kind beside its first argument: all tensors as the first one, with their places in the others."""
    given = flatten([list(args), kwargs])
    beside = [each for each in given if isinstance(each, kind)]
    places = iter(map(_Place, range(len(beside))))
    args, kwargs = pack_like([list(args), kwargs], [next(places) if isinstance(each, kind) else each for each in given])
    return {"first": inputs, "others": beside}, tuple(args), kwargs


def call(layer, inputs, training, args=(), kwargs=None):
    """The script's own call(), with what it takes."""
    if any(isinstance(each, _Place) for each in flatten([list(args), kwargs or {}])):
        beside, inputs = inputs["others"], inputs["first"]
        args, kwargs = pack_like([list(args), kwargs], [beside[each.number] if isinstance(each, _Place) else each
                                                        for each in flatten([list(args), kwargs])])
    if not layer.built and not hasattr(layer, "subclassed"):
        shapes = [graph.TensorShape([None] + list(each.dims[1:])) for each in flatten(inputs)]
        layer.build(shapes[0] if len(shapes) == 1 else shapes)
        layer.built = True
    if not layer.trainable:  # as it was made
        layer.trainable = False
    signature = inspect.signature(layer.call)
    takes = signature.parameters
    try:
        told = signature.bind_partial(inputs, *args, **(kwargs or {})).arguments
    except TypeError:  # which the call itself says
        told = {}
    training = training if told.get("training") is None else bool(told["training"])
    named = {"training": training} if "training" not in told and ( "training" in takes or \
        any(p.kind is p.VAR_KEYWORD for p in takes.values()) and not hasattr(layer, "settings")) else {}
    masks = [keras_masks.of(each) for each in flatten(inputs)]
    mask = None if all(each is None for each in masks) else masks[0] if len(masks) == 1 else masks
    if "mask" in takes and mask is not None and "mask" not in told:
        named["mask"] = mask
    from . import autocast as keras_autocast
    casting, inputs = keras_autocast.of_call(layer, inputs)
    with _trains(training), casting:
        result = layer.call(inputs, *args, **{**named, **(kwargs or {})})
    made = layer.compute_mask(inputs, mask)
    for tensor, each in zip(flatten(result), flatten(made) if isinstance(made, (list, tuple)) else [made]):
        if each is not None and isinstance(tensor, graph.GraphTensor):
            tensor._keras_mask = each
    return result


def _one_layer(layer, tensors, masked=(), told=None):
    """The text of a model of one layer. `masked`: of which tensors some steps are marked as masked; `told`: what else its call says."""
    names = [f"into_{layer.name}" + (f"_{i}" if i else "") for i in range(len(tensors))]
    inputs = [{"class_name": "InputLayer", "name": name, "inbound_nodes": [],
               "config": {"batch_input_shape": [None] + list(t.dims[1:]), "dtype": t.dtype.in_engine, "name": name}}
              for name, t in zip(names, tensors)]
    for i, (name, is_masked) in enumerate(zip(names, masked)):
        if is_masked:
            names[i] = f"mask_{name}"
            inputs.append({"class_name": "Masking", "name": names[i], "config": {"name": names[i], "mask_value": keras_masks.MARK},
                           "inbound_nodes": [[[name, 0, 0, {}]]]})
    own = {**layer.document(), "inbound_nodes": [layer.inbound([[name, 0, 0] for name in names], told)]}
    outputs = [[layer.name, 0, i] for i in range(layer.count_outputs(told))]
    return json.dumps({"class_name": "Functional", "config": {
        "name": layer.name, "layers": inputs + [own], "input_layers": [[name.removeprefix("mask_"), 0, 0] for name in names],
        "output_layers": outputs}})


def layer_in_graph(layer, inputs, training, told=None):
    """A layer of the engine, called on tensors of a graph."""
    given = [keras_masks.kept(each, graph.symbolic(each)) for each in flatten(inputs)]
    tensors, masked = keras_masks.marked(layer, given)
    document = _one_layer(layer, tensors, masked, told)
    types = keras_types(document, tensors, training)
    op = graph.current().add("keras", tensors, {"document": document, "model": owner(), "training": training,
                                                "layer": layer}, types, layer.name)
    keras_masks.hand_on(layer, given, op.outputs)
    return op.outputs[0] if len(op.outputs) == 1 else op.outputs


def weight_of(layer, name):
    """A weight of a layer of the engine, by the name that it has there; None where there is none, or not yet. Every
    program that reads it, beside the layer or in its place, has it once."""
    from . import model as keras_model
    key = f"{layer.name}/{name}"
    if owner() is None:
        model = getattr(layer, "model_", None)
        rows = [] if model is None else [row for row in model.variables_list() if row[0] == key]
        return keras_model.Variable(model, *rows[0][::2]) if rows else None
    calls = [op for op in graph.current().operations_ if op.kind == "keras" and op.attributes.get("layer") is layer]
    if calls:
        document = calls[-1].attributes["document"]
    elif layer.calls:
        document = _one_layer(layer, [Taken(each) for each in layer.calls[0].inputs])
    else:
        return None
    model = owner() if hasattr(owner(), "store") else _Scratch()
    text = json.dumps({"name": "layer", "model": {"keras": json.loads(document)}, "seed": getattr(model, "seed", 1)})
    rows = [row for row in host.run().keras_variables(text, model.store) if row[0] == key]
    return keras_model.Variable(model, key, rows[0][2] and layer.trainable) if rows else None


class Taken:
    """What a layer was called on, as a tensor of a graph."""

    def __init__(self, tensor):
        self.dims, self.dtype = list(tensor.shape), tensor.dtype


class _Scratch:
    """Where weights are while only shapes are worked out."""

    def __init__(self):
        self.store, self.layers = engine.Weights(), []


def keras_types(document, tensors, training):
    def of_extent(extent):
        build = host.run().graph("types")
        numbers = [build.feed(f"x{i}", t.dtype.in_engine, open_shapes.closed(t.dims, extent)) for i, t in enumerate(tensors)]
        return [build.type(number) for number in build.keras_model(document, numbers, training, 1)[0]]
    if not any(map(open_shapes.is_open, tensors)):
        return of_extent(1)
    return open_shapes.merged(of_extent) or of_extent(1)


def functional(model, inputs, training):
    """A model of layers that are connected, called again on tensors of a graph."""
    from . import model as keras_model
    known = {id(t): keras_masks.kept(value, graph.symbolic(value)) for t, value in zip(model.inputs, flatten(inputs))}
    for each, value in zip(model.inputs, list(known.values())):
        if each.dtype != value.dtype:
            from ..operations import elementary as operations
            known[id(each)] = keras_masks.kept(value, operations.cast(value, each.dtype))
    for layer, made in keras_model.calls_of(model.all_outputs()):
        if not made.inputs or id(made.outputs[0]) in known:
            continue
        given = pack_like(made.structure, [known[id(each)] for each in made.inputs])
        stage = model.stage_of(layer, made)
        with pipelining.in_stage(layer, stage):
            now = training if made.training is None else made.training
            more = (made.args, made.kwargs) if made.args or made.kwargs else ()  # models take none
            results = layer.in_graph(given, now, *more)
        for tensor, result in zip(made.outputs, flatten(results)):
            known[id(tensor)] = result
    for each in model.loss_tensors:
        keras_losses.add(model, known[id(each)])
    for name, each in model.metric_tensors:
        keras_metrics.add(model, known[id(each)], name)
    results = [known[id(each)] for each in model.outputs]
    return model.in_form(results)


def infer(layer, structure, tensors, args=(), kwargs=None):
    """What a call of the script's own layer on Keras tensors gives: its structure, and (dtype, shape, numbers) of each part. An
    extent that follows the batch is open. `numbers`: of whole numbers that follow from shapes alone, what they are for each of two
    batches; None of others."""
    from ..operations import elementary as operations
    found, known = [], []
    for trial, batch in enumerate((6, 10)):
        inner = graph.Graph()
        inner.name, inner.of_call = SCRATCH, {}
        with inner.as_default(), tracing(layer, False):
            given = [operations.constant(t.numbers[trial]) if t.numbers is not None else
                     inner.add("argument", [], {"index": i}, [(t.dtype, [batch if d is None else d for d in t.shape])], f"x{i}").outputs[0]
                     for i, t in enumerate(tensors)]
            result = layer.in_graph(pack_like(structure, given), False, *((args, kwargs) if args or kwargs else ()))
            known.append([operations.known_or_none(each) if each.dtype.is_integer else None for each in flatten(result)])
        found.append(result)
    types = [(a.dtype, tuple(None if m != n else m for m, n in zip(a.dims, b.dims)), None if numbers[0] is None else numbers)
             for a, b, *numbers in zip(flatten(found[0]), flatten(found[1]), *known)]
    return found[0], types


class Example:
    """What a model is called on: (shape of a sample, element type) of each input, and their structure; `more`: further arguments, and those
    by name."""

    labels, own_step, more = 0, False, ()

    def __init__(self, types, structure, *more):
        self.more = more
        self.sample_shapes, self.sample_dtypes = [t[0] for t in types], [t[1] for t in types]
        self.inputs, self.input_structure = len(types), structure


class Traced:
    """The graph of one step of a model."""

    def __init__(self, model, data, mode, batch, scratch=False):
        self.model, self.mode, self.fetches, self.total = model, mode, [], None
        self.form = None  # of what the script's own call() or step gives
        self.plan = None  # of a step of the script's own: where the values are that it gives
        self.counted = {}  # metrics that are made of counts, by the number of the fetch
        self.inner = graph.Graph()
        self.inner.device = "/device:IPU:0" if model.on_ipu else ""
        self.inner.seed, self.inner.of_program = model.seed, True
        self.inner.name = SCRATCH if scratch else self.inner.name
        own_step = data.own_step and model.has_own_step(mode)
        with self.inner.as_default(), tracing(model, mode == "train" and not own_step) as calls:
            self.called = calls.made
            self.arguments = [self.inner.add("argument", [], {"index": i}, [(as_dtype(dtype).in_engine, (batch,) + tuple(shape))],
                                             f"column_{i}").outputs[0]
                              for i, (shape, dtype) in enumerate(zip(data.sample_shapes, data.sample_dtypes))]
            if own_step:
                self._step(data)
                return
            given = self.arguments[:data.inputs]
            self.inner.of_call = {}  # what metric objects are updated by
            self.outputs = model.in_graph(pack_like(data.input_structure, given), mode == "train", *getattr(data, "more", ()))
            if model.subclassed:
                self.form = model.form_ = keras_outputs.form_of(self.outputs)
            self.stages = [op.shard for op in self.inner.operations_ if op.shard >= 0]
            with self.inner.with_(shard=self.stages[-1] if self.stages else -1):
                self.added = keras_losses.of_model(model) if mode != "predict" else []
                if mode == "predict" or (model.loss is None and not self.added):
                    self.fetches = [(f"output_{i}", t, "output") for i, t in enumerate(flatten(self.outputs))]
                else:
                    self._compare(self.arguments[data.inputs:data.inputs + data.labels],
                                  self.arguments[data.inputs + data.labels:], data.label_structure)

    def _step(self, data):
        """The graph of a step of the script's own."""
        from . import step as keras_step
        self.inner.observed, self.inner.in_order, self.outputs, self.trained = {}, True, [], None
        with gradients.exchanged(**_exchange(self.model)):
            if self.mode == "predict":
                self.outputs = self.model.predict_step(pack_like(data.input_structure, self.arguments[:data.inputs]))
                self.form = keras_outputs.form_of(self.outputs)
                self.values, observed = {}, {}
            else:
                self.values, observed = keras_step.trace(self.model, self.mode, data, self.arguments)
        self.stages = [op.shard for op in self.inner.operations_ if op.shard >= 0]
        self.fetches = [(f"output_{i}", graph.symbolic(t), "output") for i, t in enumerate(flatten(self.outputs))]
        plan = {"values": {}, "observed": {},
                "optimizers": [op.attributes["optimizer"] for op in self.inner.operations_ if "optimizer" in op.attributes]}
        losses = {key if isinstance(value, graph.GraphTensor) else value: key for key, value in self.values.items() if _is_loss(key)}
        for kind, found in (("observed", observed), ("values", self.values)):
            for key, value in found.items():
                if not isinstance(value, graph.GraphTensor):
                    plan[kind][key] = value
                    continue
                plan[kind][key] = len(self.fetches)
                self.fetches.append((losses.get(key, key if kind == "values" else key.name), value, "loss" if key in losses else "output"))
        if not self.fetches:
            self.fetches.append(("nothing", graph.symbolic(np.float32(0)), "output"))
        self.plan = plan

    def _compare(self, labels, weights, label_structure):
        from . import counts as keras_counts, parts as keras_parts
        from ..operations import elementary as operations
        labels = [operations.expand_dims(each, -1) if len(each.dims) == 1 else each for each in labels]
        outputs = flatten(self.outputs)
        names, keys = keras_outputs.names_of(self.model, self.form), keras_outputs.keys_of(self.model, self.form)
        losses = keras_outputs.by_output(self.model.loss, keys, "loss")
        shares = keras_outputs.by_output(self.model.loss_weights, keys, "loss_weights")
        keras_outputs.check_metrics(self.model.metric_outputs_, keys)
        labels = keras_outputs.labels_of(pack_like(label_structure, labels) if isinstance(label_structure, dict) else labels, keys, losses)
        parts, unreduced = [], []
        for i, (output, loss, label) in enumerate(zip(outputs, losses, labels)):
            if loss is None or label is None:
                if loss is not None:  # as Keras shows the mean of nothing
                    self.fetches.append((names[i] + "_loss", operations.identity(graph.symbolic(np.float32(0))), "metric"))
                continue
            weight = weights[min(i, len(weights) - 1)] if weights else None
            values = keras_parts.loss_of(loss, label, output, keras_masks.weights_of(output, weight))
            value = operations.reduce_mean(values) if values.dims else values  # as it is shown
            if len(outputs) > 1:
                self.fetches.append((names[i] + "_loss", value, "metric"))
            share = 1.0 if shares[i] is None else float(shares[i])
            parts.append(value if share == 1 else operations.multiply(value, share))
            if values.dims:  # what is differentiated is the sum of its numbers
                unreduced.append(operations.multiply(operations.subtract(operations.reduce_sum(values), value), share))
            for number, (metric, name) in enumerate(zip(self.model.metrics_, self.model.metric_names_)):
                if self.model.metric_outputs_[number] not in (None, i, keys[i]):
                    continue
                name = names[i] + "_" + name if len(outputs) > 1 else name
                given = keras_masks.weights_of(output, weight if number >= self.model.unweighted_metrics_ else None)
                weighs = given is not None
                if isinstance(metric, keras_parts.Metric) and metric.is_own:
                    keras_metrics.update_own(metric, label, output, given)
                    continue
                if weighs or isinstance(metric, keras_counts.CountedMetric):
                    counted = keras_counts.WeightedMetric(metric) if weighs else metric
                    self.counted[len(self.fetches)] = counted
                    self.fetches.append((name, counted.counts(label, output, given), "output"))
                else:
                    self.fetches.append((name, keras_parts.metric_of(metric, label, output), "metric"))
        self.fetches += [(name, value, "metric") for name, value in keras_metrics.of_model(self.model)]
        for metric, value in self.inner.of_call.items():
            self.counted[len(self.fetches)] = keras_metrics.OfCall(metric)
            self.fetches.append((metric.name, value, "output"))
        total = operations.add_n(parts + self.added)
        self.total = self.inner.add("regularised", [total], {}, [(total.dtype, total.dims)], "regularised").outputs[0]
        whole = operations.add_n([self.total] + unreduced) if unreduced else self.total
        self.updates_itself = self.mode == "train" and (self.model.optimizer.is_python or self.model.has_own_constraints())
        if self.updates_itself:
            with gradients.exchanged(**_exchange(self.model)):
                self.model.optimizer.update(whole)
        if self.mode == "train" and self.model.sums_means():
            whole = operations.multiply(whole, 1 / self.model.accumulation)
        self.trained = gradients.with_own_gradients(whole) if self.mode == "train" else self.total

    def variables(self):
        """(key, layer, trainable) of each variable, which the model's store has from here on."""
        rows = _rows_of(self.model, self.inner.operations_)
        self.model.__dict__.setdefault("step_rows_", {}).update((row[0], row) for row in rows)
        return rows


def _exchange(model):
    """How gradients are exchanged that a step of the script's own, or its optimiser, applies."""
    if model.sums_means():
        return {"reduction": "sum", "share": 1 / model.accumulation}
    return {"reduction": model.gradient_reduction()}


def rows_of_step(model):
    """The variables of layers that a step of the script's own has called, also of the one that is being traced."""
    rows = dict(model.__dict__.get("step_rows_", {}))
    if owner() is model:
        own = {id(layer) for layer in model.leaves()}
        calls = [op for op in graph.current().operations_ if op.kind == "keras" and id(op.attributes["layer"]) in own]
        rows.update((row[0], row) for row in _rows_of(model, calls))
    return list(rows.values())


def rows_of_parts(model, models):
    """The variables of a model whose own step calls the models and the layers in it."""
    model.prefixes_ = prefixes = like_named.Prefixes()
    common = model_weights.common_store(models, prefixes) if models else engine.Weights()
    for name in common.names():
        model.store.share(name, common, name)
    rows = {prefixes(inner) + row[0]: (prefixes(inner) + row[0], *row[1:]) for inner in models for row in inner.variables_list()}
    prefixes.of[model] = ""
    return [*rows.values(), *(row for row in rows_of_step(model) if row[0] not in rows)]


def _rows_of(model, operations):
    store, rows, owners = model.store, {}, {}
    for op in operations:
        if op.kind == "keras":
            layer = op.attributes["layer"]
            if owners.setdefault(layer.name, layer) is not layer:
                raise ValueError(f'The name "{layer.name}" is used 2 times in the model. All layer names should be unique.')
            model.take_shared(layer)
            document = json.dumps({"name": "layer", "model": {"keras": json.loads(op.attributes["document"])}, "seed": model.seed})
            for name, own, trainable in host.run().keras_variables(document, store):
                rows.setdefault(name, (name, own, trainable and layer.trainable))
            model.claim(layer)
        elif op.kind in ("read", "assign"):
            variable = op.attributes["variable"]
            variable.adopt(store)
            if not getattr(variable, "hidden", False):
                model.trainable_of_[variable.key] = variable.trainable
                rows.setdefault(variable.key, (variable.key, getattr(variable, "layer", model.name), variable.is_trained))
    return list(rows.values())


def program(model, data, mode, batch, steps):
    """The device program of a model for batches of one size; `steps` of an execution, over all replicas."""
    traced = Traced(model, data, mode, batch)
    traced.variables()
    lowered = lowering.Lowering(model.name, model.seed)
    lowered.prefixes = getattr(model, "prefixes_", lowered.prefixes)
    settings = model.pipelining or {}
    lowered.stage_ipus = settings.get("device_mapping") or []
    lowered.meeting, lowered.differentiates = model.replicas(), mode == "train"
    lowered.accumulates = mode == "train" and model.accumulation > 1
    lowered.of_many = lowered.accumulates or mode == "train" and model.replicas() > 1
    again = settings.get("recomputation_mode")
    piecewise = settings and pipelining.piecewise(again and pipelining.RecomputationMode[again],
                                                  pipelining.PipelineSchedule[settings["schedule"]])
    for argument in traced.arguments:
        lowered.id_of(argument)
    roots = [tensor for _, tensor, _ in traced.fetches] + ([] if traced.total is None else [traced.total, traced.trained])
    effects = [op for op in traced.inner.operations_ if op.kind in ("assign", "minimize")]
    enqueued = [op for op in traced.inner.operations_ if op.kind == "enqueue"]
    roots += [tensor for op in enqueued for tensor in [*op.inputs, *op.attributes.get("all", ())]]
    for op in lowering.reachable(roots + effects, lambda each: True):
        if op.kind not in lowering.HOST_KINDS:
            lowered.add(op)
    summed = mode == "train" and model.accumulates_outfeed and traced.plan is None

    def fetch(name, tensor, kind):
        number = lowered.result_of(tensor)
        if summed and kind != "output" and lowered.build.type(number)[0].startswith("float"):
            number = lowered.build.accumulated(number, f"{name}/accumulated")
        lowered.build.fetch(name, number, kind)
    if traced.total is not None:
        fetch("loss", traced.total, "loss")
        if mode == "train" and not traced.updates_itself:
            lowered.build.train(lowered.id_of(traced.trained), json.dumps(model.optimizer.workload()), model.gradient_reduction(),
                                label=slots.begin(model.optimizer, model.store))
    for name, tensor, kind in traced.fetches:
        fetch(name, tensor, kind)
    queues, at = [], len(traced.fetches) + (traced.total is not None)
    for op in enqueued:
        counted = [op.attributes["counts"]] if "counts" in op.attributes else []
        for tensor in op.inputs + counted:
            lowered.build.fetch(f"{op.name}_{tensor.op.name}", lowered.result_of(tensor), "output")
        queues.append((op.attributes["queue"], at, len(op.inputs), bool(counted)))
        at += len(op.inputs) + len(counted)
    accumulation = model.accumulation if mode == "train" else 1
    pipeline = model.pipelining["schedule"] if model.pipelining and traced.stages and accumulation > 1 else ""
    from .. import ipu_config
    config = {**(ipu_config.workload_part(model.products(traced.stages), lowered.override()) if model.on_ipu else {}),
              "device": "ipu" if model.on_ipu else "cpu",
              **gradients.Exchange(places={k: v for k, v in model.places.items() if k != "offload_activations"})
              .workload_part(accumulation)}
    if mode == "train" and model.on_ipu:
        config["ipu_config"].update(ipu_config.norms_part())
    for optimizer, names in lowered.updated:
        slots.begin(optimizer, model.store)
        slots.updates(optimizer, model.store, names)
    made = host.loaded(host.run().load_graph(
        lowered.build, lowered.document(model.name, config), steps, accumulation, pipeline, lowered.stage_ipus,
        bool(piecewise), model.replicas(), batch, mode == "evaluate",
        offload_activations=bool(pipeline and mode == "train" and model.places.get("offload_activations")),
        dealt_out={lowered.name_of(each) for each in keras_metrics.own_variables(model)}, weights=model.store))
    for optimizer, _ in lowered.updated:
        slots.take_restored(optimizer)
    model.queues[id(made)] = queues
    own_loss = traced.total is not None  # the first of the fetches
    model.step_plans[id(made)], model.forms[id(made)] = traced.plan, traced.form
    model.tables[id(made)] = [] if model.on_ipu else keras_tables.of_graph(traced.inner.operations_)
    model.counted[id(made)] = {number + own_loss: metric for number, metric in traced.counted.items()}
    return made


def eager_values(name, metric, y_true, y_pred, from_logits):
    build = host.run().graph("values")
    numbers = [build.constant(label, np.asarray(value)) for label, value in (("p", y_pred), ("t", y_true))]
    return build.compute([build.compared(name, metric, *numbers, from_logits)])[0]


def compared(name, metric, y_true, y_pred, from_logits=False):
    """The values of a loss or a metric, at once or in a graph, of each sample: [batch, …] without the last axis."""
    from . import parts as keras_parts
    from ..operations import elementary as operations
    tensors = list(keras_parts.in_one_rank(y_true, y_pred))[::-1]
    if _sparse(name, tensors):
        tensors[1] = operations.cast(tensors[1], "int32")
        if len(tensors[1].dims) == len(tensors[0].dims):
            tensors[1] = operations.squeeze(tensors[1], [-1])
    elif tensors[1].dtype != tensors[0].dtype:
        tensors[1] = operations.cast(tensors[1], tensors[0].dtype)
    if not _sparse(name, tensors):
        tensors = list(operations.broadcast_together(*tensors))
        if len(tensors[0].dims) == 1:  # the last axis is all that there is
            return operations.reshape(compared(name, metric, *(operations.expand_dims(each, 0) for each in tensors[::-1]), from_logits), [])
    if not any(graph.is_symbolic(each) for each in tensors) and graph.executing_eagerly():
        values = eager_values(name, metric, tensors[1].value, tensors[0].value, from_logits)
        if tensors[0].dtype.name == "float64" and not metric:
            host.tell_once("tilescope: note: losses of Keras of float64 are computed in float32")
            values = values.astype(np.float64)
        values = graph.EagerTensor(values)
    else:
        tensors = [graph.symbolic(each) for each in tensors]
        build = host.run().graph("types")
        numbers = [build.feed(label, t.dtype.in_engine, list(t.dims)) for label, t in zip("pt", tensors)]
        kind = build.type(build.compared(name, metric, *numbers, from_logits))
        values = graph.current().add("compared", tensors, {"name": name, "metric": metric, "from_logits": from_logits},
                                     [kind], name).outputs[0]
    return operations.reduce_mean(values, -1) if len(values.dims) == len(tensors[0].dims) and values.dims else values


def _is_loss(name):
    """Whether a value of a step of the script's own is a loss, which Keras knows by the name, too."""
    return name == "loss" or name.endswith("_loss")


def _sparse(name, tensors):
    if name.startswith("sparse_"):
        return True
    return name == "accuracy" and len(tensors[1].dims) < len(tensors[0].dims)

