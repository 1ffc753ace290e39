# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' models: layers, their weights and their JSON, which the engine reads."""
import collections
import json

import numpy as np

import tilescope_engine as engine

from . import (
    losses as keras_losses, open as keras_open, order as keras_order, saving as keras_saving, stateful as keras_stateful, within as keras_within)
from .. import failures, host, strategies
from ..ipu import pipelining
from ..tensors import graph
from .layers import InputLayer, KerasTensor, Layer, input_layer, layers_in, policy, unique_name
from .outputs import Outputs
from ..configured import plain
from .training import Training
from ..tracing.model_weights import Variable
from ..structure import flatten, map_structure, pack_like
from ..tracing.owner import owner


def calls_of(outputs):
    """The calls of layers that outputs need, (layer, call), each after those that it reads."""
    order, seen = [], set()

    def visit(tensor):
        call = tensor.layer.calls[tensor.call]
        if id(call) in seen:
            return
        seen.add(id(call))
        for before in call.inputs:
            visit(before)
        order.append((tensor.layer, call))

    for output in outputs:
        visit(output)
    return order


def _reached(outputs):
    """(the layers that outputs need, in the order in which Keras lists them: those of most depth first; their calls)."""
    order, depths, of_layers = calls_of(outputs), {}, {}  # depth: how many calls follow at most, up to an output
    for layer, call in reversed(order):
        depth = max(depths.get(id(call), 0), of_layers.get(layer, 0))
        of_layers[layer] = depths[id(call)] = depth
        for before in (tensor.layer.calls[tensor.call] for tensor in call.inputs):
            depths[id(before)] = max(depth + 1, depths.get(id(before), 0))
    met = {layer: number for number, layer in enumerate(_met(outputs))}
    return sorted(of_layers, key=lambda layer: (-of_layers[layer], met[layer])), {id(call) for _, call in order}


def _met(outputs):
    """The layers that outputs need, as they are met on the way from the outputs to the inputs."""
    met, seen, rest = {}, set(), list(reversed(outputs))
    while rest:
        tensor = rest.pop()
        call = tensor.layer.calls[tensor.call]
        if id(call) not in seen:
            seen.add(id(call))
            met[tensor.layer] = None
            rest += reversed(call.inputs)
    return met


def functional_config(name, inputs, outputs, described=False):
    """The configuration of a Functional model for the engine, or as files have it."""
    layers, calls = _reached(outputs)
    written = []
    numbers = {}
    for layer in layers:
        kept = [call for call in layer.calls if id(call) in calls]
        numbers.update({(layer.name, layer.calls.index(call)): i for i, call in enumerate(kept)})
    for layer in layers:
        nodes = [layer.inbound([[t.layer.name, numbers[(t.layer.name, t.call)], t.index] for t in call.inputs],
                               {**({} if call.training is None else {"training": call.training}), **({} if layer.traced else call.kwargs)})
                 for call in layer.calls if id(call) in calls and call.inputs]
        written.append({**(layer.described() if described else layer.document()), "inbound_nodes": nodes})
    ends = [[t.layer.name, numbers[(t.layer.name, t.call)], t.index] for t in outputs]
    begins = [[t.layer.name, 0, 0] for t in inputs]
    return {"class_name": "Functional", "config": {"name": name, "layers": written, "input_layers": begins,
                                                   "output_layers": ends}}, layers


def _unnamed(value):
    raise ValueError(f"Cannot serialize {value}: it has no name and no get_config()")


def shape_of(tensor):
    """The shape of a Keras tensor, with the batch as its inputs have it: worked out by the engine."""
    if isinstance(tensor.layer, InputLayer):
        return tuple(tensor.layer.first_shape)
    inputs = inputs_of([tensor])
    def shapes():
        document, _ = functional_config("shape", inputs, [tensor])
        if tensor.index > 0:  # states and scores, which summaries do not list
            from . import traced as keras_traced
            return [keras_traced.keras_types(json.dumps(document), [keras_traced.Taken(each) for each in inputs], False)[0][1]]
        rows = host.run().keras_summary(json.dumps({"name": "shape", "model": {"keras": document}}))[1]
        return [next(row[2] for row in rows if row[0] == tensor.layer.name)]
    return (inputs[0].layer.first_shape[0],) + tuple(keras_open.merged([each.layer for each in inputs], shapes)[0][1:])


def inputs_of(outputs):
    layers, _ = _reached(outputs)
    return [layer.calls[0].outputs[0] for layer in layers if isinstance(layer, InputLayer)]


def _check_connected(inputs, outputs):
    """That outputs are made of no other inputs than these."""
    for each in inputs + outputs:
        if not isinstance(each, KerasTensor):
            raise TypeError(f"keras.Model takes tensors that keras.Input() and layers give, and got {each!r}")
    if all(isinstance(each.layer, InputLayer) for each in inputs):
        for needed in inputs_of(outputs):
            if not any(needed is each for each in inputs):
                raise ValueError(f"Graph disconnected: the outputs need the input \"{needed.layer.name}\", which is not among "
                                 f"the inputs of the model ({', '.join(each.layer.name for each in inputs)}).")


def _has_weights(model, layer):
    """Whether a model has the weights of a layer already."""
    return model is not None and any(name.startswith(layer.name + "/") for name in model.store.names())


_OF_LAYERS = ("name", "trainable", "dtype", "dynamic", "autocast")  # arguments that every layer of Keras takes


class Model(Outputs, Training, Layer):
    """keras.Model(inputs, outputs)."""

    parameters = ""
    kind = "model"

    def __new__(cls, *args, **kwargs):
        if cls is Model:
            failures.check_arguments("keras.Model()", kwargs, ("inputs", "outputs", *_OF_LAYERS))
            if not (args or "inputs" in kwargs) or not (args[1:] or "outputs" in kwargs):
                raise failures.refused("keras.Model without inputs and outputs", "give it both")
        return super().__new__(cls)

    def __init__(self, inputs=None, outputs=None, name=None, **kwargs):
        failures.check_arguments(f"{type(self).__name__}()", kwargs, _OF_LAYERS)
        if inputs is None or outputs is None:
            self._begin(name or unique_name(type(self).__name__), kwargs.get("trainable", True), kwargs.get("dtype"))
            self.subclassed, self.inputs, self.outputs = True, None, None
            return
        self._begin(name or unique_name("model"), kwargs.get("trainable", True), kwargs.get("dtype"))
        self.inputs, self.outputs = flatten(inputs), flatten(outputs)
        _check_connected(self.inputs, self.outputs)
        self.input, self.output = inputs, outputs
        self._layers = _reached(self.outputs)[0]
        counts = collections.Counter(each.name for each in self._layers)
        for name in (each for each, count in counts.items() if count > 1):
            raise ValueError(f'The name "{name}" is used {counts[name]} times in the model. All layer names should be unique.')
        self.built = True
        self._claim()

    def _begin(self, name, trainable=True, dtype=None):
        self._name, self._begun = name, False
        self.trainable = trainable
        self.policy_ = plain(dtype) or policy()
        self.calls, self.stage, self.first_shape = [], None, None
        self.ran_outside_ = False
        self.take_strategy(strategies.current())
        self.extended = getattr(self.made_in_, "keras_extensions", False)
        self.built, self._layers, self.example_ = False, None, None
        self.store = engine.Weights()
        self._variables, self._begun, self.beginnings_, self.renamed_ = None, True, {}, {}
        self.trainable_of_ = {}  # by its key, as the script made a variable of its own
        self.called_, self.added_ = None, []  # what it was last called on, and what its parts added to a loss then; None: not worked out
        self.loss_tensors = []  # of Keras, that are added to the loss
        self.metric_tensors = []  # the same, that are shown: (name, tensor)
        self.begin_training()

    def take_strategy(self, given):
        """Runs on the devices of this strategy, else on the host."""
        self.made_in_, self.on_ipu, self.programs = given, given is not None, {}
        self.of_replicas = getattr(given, "gradient_reduction", None)

    def add_loss_tensor(self, loss):
        _check_connected(self.inputs, [loss])
        self.loss_tensors.append(keras_losses.as_layer(keras_losses.AddLoss, loss))
        self._reach_more()

    def add_metric_tensor(self, name, value):
        _check_connected(self.inputs, [value])
        self.metric_tensors.append((name, keras_losses.as_layer(keras_losses.AddMetric, value)))
        self._reach_more()

    def example_batch(self):
        """That of its inputs, where they say it: what a trace without data has."""
        return next((tensor.shape[0] for tensor in ([] if self.subclassed else self.inputs) if tensor.shape[0]), 2)

    def all_outputs(self):
        """What is made in a step: outputs, and what is added to the loss or shown beside it."""
        return self.outputs + self.loss_tensors + [value for _, value in self.metric_tensors]

    def _reach_more(self):
        self._layers = list(dict.fromkeys([*self.layers, *_reached(self.all_outputs())[0]]))  # new ones come last
        self._variables = None
        self._claim()

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        """Of all layers as well."""
        self._trainable = bool(value)
        for layer in self.layers if self._begun else []:
            layer.trainable = self._trainable
        self._variables, self.listed_with_ = None, []  # and what `trainable` of the layers said then

    name = property(lambda self: self._name)
    layers = property(lambda self: layers_in(self) if self._layers is None else list(self._layers))
    subclassed = False
    input_shape = property(lambda self: self._shape_of(self.inputs))
    output_shape = property(lambda self: self._shape_of(self.outputs))

    def _shape_of(self, tensors):
        """The shape of one, a list of those of several."""
        if not tensors:
            raise AttributeError(f'The layer "{self.name}" has never been called and thus has no defined output shape.')
        shapes = [tuple(each.shape) for each in tensors]
        return shapes[0] if len(shapes) == 1 else shapes
    traced = property(lambda self: self.subclassed or keras_losses.has_any(self) or any(layer.traced for layer in self.layers))

    is_described = property(lambda self: not self.subclassed and not keras_losses.has_any(self) and all(each.is_described for each in self.layers))

    def document(self):
        if self.traced:
            raise self._refused_document()
        return functional_config(self.name, self.inputs, self.outputs)[0]

    def described(self):
        if not self.is_described:
            raise self._refused_document()
        return functional_config(self.name, self.inputs, self.outputs, True)[0]

    def _refused_document(self):
        return failures.refused(f"the configuration of the model {self.name}", "part of it is Python; save its weights")

    def count_outputs(self, told=None):
        return len(self.outputs)

    def input_keys(self):
        """What dictionaries call the inputs, in their order; None where the script's own call() takes them."""
        if self.subclassed or not self.inputs:
            return None
        return sorted(self.input) if isinstance(self.input, dict) else [t.layer.name for t in self.inputs]

    input_names = property(lambda self: [t.layer.name for t in self.inputs or []])
    stateful = property(lambda self: any(getattr(layer, "stateful", False) for layer in self.leaves()))

    def get_config(self):
        return self.described()["config"]

    @classmethod
    def from_config(cls, config, custom_objects=None):
        from . import config as keras_config
        return keras_config.model_of(cls, config, custom_objects)

    def to_json(self, **kwargs):
        return json.dumps({**self.described(), "keras_version": "2.6.0", "backend": "tensorflow"}, default=_unnamed, **kwargs)

    def to_dict(self):
        return {"name": self.name, "model": {"keras": self.document()}}

    def initialise_own(self, store, before=()):
        """Gives variables their first values by initialisers of the script's own, but for those that were there `before`."""
        keras_within.initialise_own(self.layers, store, before)

    def variables_list(self):
        """(name, layer, trainable) of each variable; the engine gives them their first values."""
        trained = [layer.trainable for layer in self.all_layers()]
        if self._variables is None or trained != self.listed_with_ or (self.subclassed and not self.has_call):
            if not self.traced:
                keras_open.check_weights([each.layer for each in self.inputs], lambda: [(row[0], row[3]) for row in host.run().keras_summary(
                    json.dumps(self.to_dict()))[1]])
            self._take_shared()
            before, self.listed_with_ = self.store.names(), trained
            self._variables = self._traced_variables() if self.traced else host.run().keras_variables(
                json.dumps({**self.to_dict(), "seed": self.seed}), self.store)
            self.initialise_own(self.store, before)
            self._give_first_weights(before)
            self._give_shared()
            self._claim()
            self.beginnings_, self.renamed_ = keras_order.named(self), keras_order.renamed(self)
            keras_saving.load_awaited(self)
        return self._variables

    def _give_first_weights(self, before):
        """Those that layers were given as an argument, but for variables that were there `before`."""
        for inner, inside in [(self, ""), *self._models()]:
            for layer in (each for each in inner.layers if each.first_weights is not None):
                made = [Variable(self, name, True) for name, of, _ in self._sorted_variables() if of == inside + layer.name]
                if not set(before) & {each.key for each in made}:
                    set_all(made, layer.first_weights, layer.name)

    def leaves(self):
        """The layers, those of models within it in their place."""
        for layer in self.layers:
            yield from layer.leaves() if isinstance(layer, Model) else [layer]

    def all_layers(self):
        """The leaves, and what layers of the script's own have in them."""
        rest = list(self.leaves())
        while rest:
            layer = rest.pop(0)
            yield layer
            rest += layers_in(layer)

    def _claim(self):
        for layer in self.layers:
            self.claim(layer)
            for each in layers_in(layer) if layer.traced and not isinstance(layer, Model) else ():
                self.claim(each)

    def claim(self, layer):
        if not _has_weights(getattr(layer, "model_", None), layer):
            layer.model_ = self

    def _models(self, inside=""):
        """(model, beginning of the names that its weights have here) of each model within this one."""
        for layer in self.layers:
            if isinstance(layer, Model):
                within = "" if self.traced else f"{inside}{layer.name}/"
                yield layer, within
                yield from layer._models(within)

    def name_of_traced(self, key):
        """The name of a weight where layers are called one by one, and not models within this one."""
        return key[max((len(inside) for _, inside in self._models() if key.startswith(inside)), default=0):]

    def shown_name(self, key):
        """The name of a weight as Keras has it: with the layers of the script's own around its layer, and those and cells within it."""
        layer, _, own = self.name_of_traced(key).partition("/")
        for part, name in self.renamed_.get(layer, {}).items():
            if own.startswith(part):
                own = name + own[len(part):]
                break
        return f"{self.beginnings_.get(layer, '')}{layer}/{own}" if own else self.beginnings_.get(layer, "") + layer

    def _take_shared(self):
        """Weights that layers have in another model are theirs here as well, in the same memory."""
        for inner, inside in [(self, ""), *self._models()]:
            for layer in inner.layers:
                self.take_shared(layer, inside)

    def take_shared(self, layer, inside=""):
        owner = getattr(layer, "model_", None)
        if owner is not self and not isinstance(layer, Model) and _has_weights(owner, layer):
            for name in owner.store.names():
                if name.startswith(layer.name + "/"):
                    self.store.share(inside + name, owner.store, name)

    def _give_shared(self):
        """The models within have the weights of this one."""
        for inner, inside in self._models():
            for name in self.store.names():
                own = name[len(inside):]
                if name.startswith(inside) and own not in inner.store and \
                        any(own.startswith(layer.name + "/") for layer in inner.layers):
                    inner.store.share(own, self.store, name)
            inner._claim()

    def _traced_variables(self):
        from . import traced as keras_traced
        if self.subclassed and not self.has_call:  # its own step calls the models and the layers in it
            return keras_traced.rows_of_parts(self, [inner for inner in self.layers if isinstance(inner, Model) and inner.built])
        if self.example_ is None and self.subclassed:
            raise ValueError(f"Weights for model {self.name} have not yet been created. Weights are created when the Model "
                             "is first called on inputs or `build()` is called with an `input_shape`.")
        example = self.example_ or keras_traced.Example(
            [(tuple(keras_open.closed(t.layer)[1:]), t.dtype.as_numpy_dtype) for t in self.inputs], self.input)
        return keras_traced.Traced(self, example, "predict", self.example_batch(), scratch=True).variables()

    def _sorted_variables(self):
        """As get_weights() has them: layer by layer, in each what is trained before the rest."""
        rows = self.variables_list()
        if self.traced:
            return keras_order.in_order(self, rows)
        order = list(dict.fromkeys(layer.split("/")[0] for _, layer, _ in rows))
        return [row for name in order for row in sorted((r for r in rows if r[1].split("/")[0] == name),
                                                        key=lambda r: not r[2])]

    weights = property(lambda self: [Variable(self, n, t) for n, _, t in self._sorted_variables()])
    variables = weights
    trainable_variables = trainable_weights = property(
        lambda self: [Variable(self, n, t) for n, _, t in self._sorted_variables() if t])

    def variables_of(self, layer):
        inner = next((each for each in self.layers if each.name == layer and (isinstance(each, Model) or not each.of_engine)), None)
        names = keras_order.names_of(inner) if inner is not None and self.traced else [layer]
        return [Variable(self, n, t) for n, l, t in self._sorted_variables() if l.split("/")[0] in names]

    def weights_of(self, layer):
        return [v.numpy() for v in self.variables_of(layer)]

    def set_weights_of(self, layer, weights):
        set_all(self.variables_of(layer), weights, layer)

    def get_weights(self):
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights):
        set_all(self.weights, weights, self.name)

    save_weights, load_weights, save = (keras_saving.save_weights, keras_saving.load_weights, keras_saving.save)

    def get_layer(self, name=None, index=None):
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}. Existing layers are {[layer.name for layer in self.layers]}.")

    def count_params(self):
        return sum(int(np.prod(v.shape)) for v in self.weights)

    def summary(self, line_length=None, positions=None, print_fn=None):
        from . import summary as keras_summary
        keras_summary.print_summary(self, line_length, positions, print_fn or print)

    def __call__(self, inputs, *args, training=None, mask=None, **kwargs):
        from . import calls as keras_calls, data as keras_data, input_spec as keras_spec, masks as keras_masks, traced as keras_traced
        training, mask, args, kwargs = keras_calls.taken(self, args, training, mask, kwargs)
        inputs = keras_data.by_name(inputs, self.input_keys())
        given = flatten(inputs)
        keras_spec.check_model(self, given)
        if any(isinstance(each, KerasTensor) for each in given):
            if self._layers is not None and not self.built:  # a Sequential without an input's shape
                self.build([None] + list(given[0].shape[1:]))
            return keras_calls.connected(self, inputs, given, training, args, kwargs)
        if mask is not None:
            masks = flatten(mask) if isinstance(mask, (list, tuple)) else [mask]
            given = [each if mask is None else keras_masks.given(each, mask) for each, mask in zip(given, masks)] + given[len(masks):]
        tensors = keras_calls.fitted(self, [keras_masks.kept(each, graph.convert(each)) for each in given])
        if any(graph.is_symbolic(t) for t in tensors) or not graph.executing_eagerly():
            tensors = [keras_masks.kept(t, graph.symbolic(t)) for t in tensors]
            return self.in_graph(pack_like(inputs, tensors), keras_traced.training_now(training), args, kwargs)
        if self._layers is not None:
            self.build([None] + list(tensors[0].dims[1:]))
        if training or args or kwargs or keras_masks.concern(self, tensors):
            return keras_losses.with_added(self, lambda: self(pack_like(inputs, tensors), *args, training=training, **kwargs))
        self.called_, self.added_ = (pack_like(inputs, tensors), None) if self.traced else (None, [])
        with keras_calls.taken_as_example(self, pack_like(inputs, tensors), (), {}, True):
            return map_structure(graph.EagerTensor, self.predict_now([t.value for t in tensors]))

    def in_graph(self, inputs, training, args=(), kwargs=None):
        """The model's operations in a graph; the engine makes them where it is compiled."""
        from . import calls as keras_calls, masks as keras_masks, traced as keras_traced
        tensors = flatten(inputs)
        if self._layers is not None:
            self.build([None] + list(tensors[0].dims[1:]))
        if owner() is None and not self.traced and keras_masks.concern(self, tensors):
            self.variables_list()
            for layer in self.leaves():  # by whose names alone they are read
                self.take_shared(layer)
        if self.traced or owner() is not None or keras_masks.concern(self, tensors):
            with keras_traced.tracing(self, training), keras_losses.called(self):
                if not self.subclassed:
                    with keras_traced.noted(self, inputs) as (stage, gives), pipelining.in_stage(self, stage):
                        return gives(keras_traced.functional(self, inputs, training))
                with keras_calls.taken_as_example(self, inputs, args, kwargs or {}):
                    return keras_traced.call(self, inputs, training, args, kwargs)
        document = json.dumps(self.document())
        types = keras_traced.keras_types(document, tensors, training)
        op = graph.current().add("keras", tensors, {"document": document, "model": self, "training": training}, types,
                                 self.name)
        return self.in_form(op.outputs)

    def reset_states(self):
        """Stateful layers begin anew."""
        keras_stateful.reset_states(self)

    def build(self, input_shape=None):
        from . import traced as keras_traced
        if self.subclassed and input_shape is not None and self.example_ is None:
            several = isinstance(input_shape, list) and isinstance(input_shape[0], (list, tuple))
            shapes = input_shape if several else [input_shape]
            self.example_ = keras_traced.Example([(tuple(s)[1:], np.float32) for s in shapes],
                                                 list(range(len(shapes))) if several else 0)
        self.built = True


def set_all(variables, weights, place):
    if len(variables) != len(weights):
        raise ValueError(f"You called `set_weights(weights)` on layer \"{place}\" with a weight list of length "
                         f"{len(weights)}, but the layer was expecting {len(variables)} weights.")
    for variable, values in zip(variables, weights):
        if tuple(np.shape(values)) != tuple(variable.shape):
            raise ValueError(f"Layer weight shape {tuple(variable.shape)} not compatible with provided weight shape "
                             f"{tuple(np.shape(values))}.")
        getattr(variable, "put", variable.assign)(values)


def _first_shape_of(layer):
    """The shape of a layer's input where it says it, or is a model that has one; else None."""
    if layer.first_shape is not None:
        return list(layer.first_shape)
    inputs = layer.inputs if isinstance(layer, Model) else None
    return list(inputs[0].shape) if inputs and len(inputs) == 1 and inputs[0].dtype.name == "float32" else None


class Sequential(Model):
    """keras.Sequential(layers): built when its input's shape is known."""

    first_batch = None  # how many samples a batch has, where the first layer says that

    def __init__(self, layers=None, name=None, counted=True):
        self._begin(name or unique_name("sequential"))
        self._layers, self.inputs, self.outputs, self.built = [], [], [], False
        self.calls_count_ = counted  # whether the calls that it makes are its layers' nodes
        self.ends_ = []  # its input, and what each of its layers makes
        for layer in layers or []:
            self.add(layer)

    def add(self, layer):
        if isinstance(layer, KerasTensor):
            layer = layer.layer
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer!r}")
        self._variables, self.programs = None, {}
        if isinstance(layer, InputLayer):
            if self.built:
                raise ValueError(f"The input {layer.name} must be the first that is added to {self.name}, which is built already.")
            self.first_shape = list(layer.first_shape)
            self._input = layer
        else:
            if any(layer.name == each.name and each is not layer for each in self._layers):
                raise ValueError(f'All layers added to a Sequential model should have unique names. Name "{layer.name}" is already the name of '
                                 "a layer in this model. Update the `name` argument to pass a unique name.")
            if not self._layers and self.first_shape is None:
                self.first_shape = _first_shape_of(layer)
            self._layers.append(layer)
        if self.built:
            self._connect([layer])
        elif self.first_shape is not None and self._layers:
            self.build(self.first_shape)

    def pop(self):
        if not self._layers:
            raise TypeError("There are no layers in the model.")
        self._layers.pop()
        self._variables, self.programs = None, {}
        if self.built:
            self.ends_.pop()
            self.outputs, self.output, self.built = self.ends_[-1:], self.ends_[-1], bool(self._layers)

    def build(self, input_shape=None):
        if self.built:
            return
        known = self.first_shape is not None
        self.first_batch = self.first_shape[0] if known and self.first_shape[0] else self.first_batch
        self.first_shape = [self.first_batch] + list(input_shape)[1:]
        if not known:  # built when it is called: each layer object once
            self._layers = list(dict.fromkeys(self._layers))
        tensor = getattr(self, "_input", None)
        tensor = tensor.calls[0].outputs[0] if tensor is not None else input_layer(
            self.first_shape, None, self._layers[0].name + "_input").calls[0].outputs[0]
        tensor.layer.batch = self.first_batch or tensor.layer.batch
        self.inputs, self.input, self.ends_ = [tensor], tensor, [tensor]
        self._connect(self._layers)

    def _connect(self, layers):
        """Calls its last layers, each on what the one before makes."""
        for layer in layers:
            self.ends_.append(layer(self.ends_[-1]))
            layer.calls[-1].counts = self.calls_count_
        self.outputs, self.output, self.built = self.ends_[-1:], self.ends_[-1], True
        self._claim()

    def document(self):
        self._check_built()
        return super().document()

    def described(self):
        """As Keras writes it: its layers, after its input."""
        self._check_built()
        if not self.is_described:
            raise self._refused_document()
        layers = [each.described() for each in (self.inputs[0].layer, *self._layers)]
        return {"class_name": "Sequential", "config": {"name": self.name, "layers": [
            {"class_name": each["class_name"], "config": each["config"]} for each in layers]}}

    def _check_built(self):
        if not self.built:
            raise ValueError("This model has not yet been built. Build the model first by calling `build()` or by "
                             "calling the model on a batch of data.")
