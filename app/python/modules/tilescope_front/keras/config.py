# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' layers and models out of their configurations, of Keras 2 and 3; and where get, serialize and deserialize stand."""
import json

from . import losses as keras_losses, objects as keras_objects, parts as keras_parts
from .. import failures, identifiers, names
from .layers import LAYERS, InputLayer, Layer, TFOpLambda, input_layer
from .model import Model, Sequential, calls_of
from ..identifiers import checked, class_of, own, serialize
from ..structure import flatten, pack_like
from ..operations import constraints, keras_initializers, schedules

_OF_LAMBDA = ("function_type", "module", "output_shape_type", "output_shape_module", "dynamic")
_KINDS = {"_initializer": keras_initializers.KIND, "_constraint": constraints.KIND, "_regularizer": keras_objects.REGULARIZERS}
_MODELS = ("Functional", "Model", "Sequential")


def model_from_json(json_string, custom_objects=None):
    try:
        document = json.loads(json_string)
    except ValueError as error:
        raise ValueError(f"model_from_json takes the text that model.to_json() gives, and this is no JSON: {error}") from None
    if not isinstance(document, dict) or not {"class_name", "config"} <= set(document):
        raise ValueError("model_from_json takes the text that model.to_json() gives, and this has no \"class_name\" and "
                         "\"config\"")
    return layer_from(document, custom_objects)


def model_from_config(config, custom_objects=None):
    return layer_from(config, custom_objects)


def deserialize_layer(config, custom_objects=None):
    """keras.layers.deserialize: a layer or a model."""
    checked(config, "a layer")
    return layer_from(config, custom_objects)


def serialize_layer(layer):
    return {key: value for key, value in layer.described().items() if key in ("class_name", "config")}


def layer_from(description, custom=None):
    kind, config = checked(description, "a layer")
    if kind in _MODELS:
        return model_of(Sequential if kind == "Sequential" else Model, config, custom)
    config = dict(config)
    dtype = config.get("dtype")
    if isinstance(dtype, dict):
        config["dtype"] = dtype["config"]["name"]
    if kind == "InputLayer":
        shape = config.get("batch_input_shape", config.get("batch_shape"))
        return input_layer(shape, config.get("dtype"), config.get("name"))
    made = class_of(kind, "layer class", LAYERS, custom)
    if kind == "Lambda":
        config["function"] = _function_of(config.get("function"), custom)
    if made is LAYERS.get(kind):
        made = _layer_of(made, config, custom)
    else:
        made = made.from_config(config)
    made.of_keras3 = isinstance(dtype, dict) and "module" in dtype
    return made


def _function_of(given, custom):
    found = own(given, custom) if isinstance(given, str) else None
    if found is None:
        raise failures.refused("a layer Lambda in a file", "Python code in files is not run; give its function by name in "
                               "custom_objects")
    return found


def _layer_of(kind, config, custom=None):
    """A layer of ours; what is null in a configuration is as if it were not there."""
    if "batch_shape" in config:
        config["batch_input_shape"] = config.pop("batch_shape")
    for key in ("layer", "backward_layer", "cell"):
        if isinstance(config.get(key), dict):
            config[key] = layer_from(config[key], custom)
    if isinstance(config.get("activation"), str):
        config["activation"] = own(config["activation"], custom) or config["activation"]
    elif isinstance(config.get("activation"), dict):
        config["activation"] = layer_from(config["activation"], custom)
    for key, value in config.items():
        name = value.get("class_name") if isinstance(value, dict) else value
        table = next((table for ending, table in _KINDS.items() if key.endswith(ending)), None)
        if table is None or not isinstance(name, str):
            continue
        if own(name, custom) is not None or isinstance(value, dict) and isinstance(value.get("config", {}).get("value"), list):
            config[key] = table.deserialize(value, custom)
        elif isinstance(value, str) and key.endswith("_initializer"):
            class_of(name, table.what, table.table, custom)  # which tells of one that is not known
    for key in _OF_LAMBDA if "function" in config else ("dynamic",):
        config.pop(key, None)
    return kind(**{key: value for key, value in config.items() if value is not None})


def from_config(kind, config, custom=None):
    """Layer.from_config."""
    return kind(**config) if kind.call is not Layer.call and kind not in LAYERS.values() else _layer_of(kind, dict(config), custom)


def model_of(kind, config, custom=None):
    """A model of that class, as its get_config() has it: a script's own class may have settings of its own."""
    listed = isinstance(config, list) and issubclass(kind, Sequential)  # Keras before 2.2.3
    wanted = {"layers"} if issubclass(kind, Sequential) else {"layers", "input_layers", "output_layers"}
    if not listed and not (isinstance(config, dict) and wanted <= set(config)):
        if kind not in (Model, Sequential) and isinstance(config, dict):
            return kind(**config)
        raise ValueError(f"Improper config format for a model: {config}. Expecting python dict contains "
                         f"{', '.join(f'`{each}`' for each in sorted(wanted))} as keys")
    return _sequential_from(kind, config, custom) if issubclass(kind, Sequential) else _functional_from(kind, config, custom)


def _sequential_from(kind, config, custom):
    layers = config["layers"] if isinstance(config, dict) else config
    made = [layer_from(each, custom) for each in layers]
    model = kind(made, name=config.get("name") if isinstance(config, dict) else None)
    shape = config.get("build_input_shape") if isinstance(config, dict) else None
    if shape is not None and not model.built and None not in shape[1:]:
        model.build(shape)
    return model


def _is_tensor(node):
    return isinstance(node, list) and len(node) >= 3 and isinstance(node[0], str) and isinstance(node[1], int)


class _Graph:
    """The layers of a functional model while they are called."""

    def __init__(self):
        self.tensors = {}

    def ready(self, node):
        """Whether all that a node names has been made."""
        if _is_tensor(node):
            if node[0] == "_CONSTANT_VALUE":
                raise failures.refused("a layer of a file that is called with a constant", "give it an input of the model")
            return tuple(node[:3]) in self.tensors and all(map(self.ready, node[3].values() if len(node) > 3 else ()))
        if isinstance(node, dict):
            return self.ready(node["config"]["keras_history"]) if "keras_history" in node.get("config", ()) else \
                all(map(self.ready, node.values()))
        return all(map(self.ready, node)) if isinstance(node, list) else True

    def filled(self, node):
        """A node with the tensors in the place of their names."""
        if _is_tensor(node):
            return self.tensors[tuple(node[:3])]
        if isinstance(node, dict):
            return self.filled(node["config"]["keras_history"]) if "keras_history" in node.get("config", ()) else \
                {key: self.filled(value) for key, value in node.items()}
        return [self.filled(each) for each in node] if isinstance(node, list) else node

    def call(self, layer, number, node):
        if isinstance(node, dict):  # Keras 3
            args, named = self.filled(node.get("args", [])), self.filled(node.get("kwargs", {}))
        else:
            nodes = [node] if _is_tensor(node) else node
            given = self.filled(nodes)
            args = [given[0] if len(given) == 1 else given]
            named = self.filled(next((each[3] for each in nodes if _is_tensor(each) and len(each) > 3), {}))
        while args and args[-1] is None:
            args.pop()
        named = {key: value for key, value in named.items() if value is not None and (value is not False or key == "training")}
        for index, each in enumerate(flatten(layer(*args, **named))):
            self.tensors[(layer.name, number, index)] = each


def _functional_from(kind, config, custom):
    graph, waiting = _Graph(), []
    for description in config["layers"]:
        layer = layer_from(description, custom)
        if isinstance(layer, InputLayer):
            graph.tensors[(layer.name, 0, 0)] = layer.calls[0].outputs[0]
        waiting += [(layer, number, node) for number, node in enumerate(description.get("inbound_nodes", []))
                    if not isinstance(layer, InputLayer)]
    while waiting:  # a layer that is called again may be called on what layers after it give
        later, stopped = [], set()
        for layer, number, node in waiting:
            if id(layer) not in stopped and graph.ready(node):
                graph.call(layer, number, node)
            else:
                stopped.add(id(layer))
                later.append((layer, number, node))
        if len(later) == len(waiting):
            raise ValueError(f"the layer {later[0][0].name} of the model {config.get('name')} is called on what no layer gives: "
                             f"{json.dumps(later[0][2])}")
        waiting = later
    ends = [graph.filled(config[key]) for key in ("input_layers", "output_layers")]
    ends = [each[0] if isinstance(each, list) and len(each) == 1 else each for each in ends]
    return kind(*ends, name=config.get("name"))


def clone_model(model, input_tensors=None, clone_function=None):
    """The same layers again, with weights of their own that are as they began."""
    if not isinstance(model, Model) or model.subclassed:
        raise ValueError("Expected `model` argument to be a functional `Model` instance, but got a subclassed model instead.")
    copied = clone_function or _copy
    if isinstance(model, Sequential):
        ends = [input_layer(list(model._input.first_shape), model._input.dtype, model._input.name)] if hasattr(model, "_input") else []
        if input_tensors is not None:
            ends = flatten(input_tensors)
        made = Sequential(ends + [_copy_within(layer, copied) for layer in model.layers], name=model.name)
        if model.built and not made.built:
            made.build(model.first_shape)
        return made
    given = flatten(input_tensors) if input_tensors is not None else [
        input_layer(list(each.layer.first_shape), each.dtype.name, each.layer.name).calls[0].outputs[0] for each in model.inputs]
    tensors, layers = {id(old): new for old, new in zip(model.inputs, given)}, {}
    for layer, call in calls_of(model.outputs):
        if isinstance(layer, InputLayer):
            continue
        if layer not in layers:
            layers[layer] = _copy_within(layer, copied)
        inputs = pack_like(call.structure, [tensors[id(each)] for each in call.inputs])
        result = layers[layer].again(inputs, call)
        tensors.update({id(old): new for old, new in zip(call.outputs, flatten(result))})
    outputs = [tensors[id(each)] for each in model.outputs]
    return Model(pack_like(model.input, given), outputs if len(outputs) > 1 else outputs[0], name=model.name)


def _copy_within(layer, copied):
    return clone_model(layer, clone_function=copied) if isinstance(layer, Model) else copied(layer)


def _copy(layer):
    if isinstance(layer, TFOpLambda):
        return layer  # it has no weights
    if type(layer) is LAYERS["Lambda"]:
        return type(layer)(**layer.settings, name=layer.name)
    config = layer.document()["config"] if type(layer) in LAYERS.values() else layer.get_config()
    try:
        made = layer_from({"class_name": type(layer).__name__, "config": config}, {type(layer).__name__: type(layer)})
    except TypeError as error:
        raise NotImplementedError(f"Layer {type(layer).__name__} has arguments in `__init__()` and therefore must override "
                                  f"`get_config()`: {error}") from None
    made.settings.update({**layer.own_initializers(), **layer.own_constraints(), **keras_losses.own_regularizers(layer), **{
        key: _copy_within(value, _copy) for key, value in layer.settings.items() if isinstance(value, Layer) and key != "activation"}})
    made.take_activation(layer.own_activation)
    made.stage, made.of_keras3, made.first_weights = layer.stage, layer.of_keras3, layer.first_weights
    return made


def serialize_keras_object(instance):
    return serialize(instance)


def deserialize_keras_object(identifier, module_objects=None, custom_objects=None, printable_module_name="object"):
    return identifiers.Kind(printable_module_name, module_objects or {}).deserialize(identifier, custom_objects)


# Where each kind of objects stands, and what stands there beside its table.
_MODULES = {"initializers": keras_initializers.KIND, "regularizers": keras_objects.REGULARIZERS, "constraints": constraints.KIND,
            "optimizers": keras_objects.OPTIMIZERS, "optimizers.schedules": schedules.KIND, "losses": keras_objects.LOSSES,
            "metrics": keras_objects.METRICS, "activations": keras_objects.ACTIVATIONS}
_BASES = {"initializers": keras_initializers.Initializer, "regularizers": keras_parts.Regularizer, "constraints": constraints.Constraint,
          "optimizers": keras_parts.Optimizer, "losses": keras_parts.Loss, "metrics": keras_parts.Metric,
          "optimizers.schedules": schedules.LearningRateSchedule}


def add_names():
    keras = "tensorflow.keras"
    names.module(keras + ".experimental", {name: schedules.SCHEDULES[name] for name in ("CosineDecay", "CosineDecayRestarts")})
    names.module(keras + ".layers.experimental", EinsumDense=LAYERS["EinsumDense"])
    names.module(keras + ".models", model_from_json=model_from_json, model_from_config=model_from_config, clone_model=clone_model)
    names.module(keras + ".layers", deserialize=deserialize_layer, serialize=serialize_layer)
    for below, kind in _MODULES.items():
        table = {name: made for name, made in kind.table.items() if below != "optimizers" or made.__name__ == name in keras_parts.OPTIMIZERS}
        names.module(f"{keras}.{below}", table, {_BASES[below].__name__: _BASES[below]} if below in _BASES else {},
                     get=kind.get, serialize=serialize, deserialize=kind.deserialize)
    names.module(keras + ".utils", custom_object_scope=identifiers.CustomObjectScope, CustomObjectScope=identifiers.CustomObjectScope,
                 get_custom_objects=identifiers.get_custom_objects, register_keras_serializable=identifiers.register_keras_serializable,
                 get_registered_name=identifiers.get_registered_name, get_registered_object=identifiers.get_registered_object,
                 serialize_keras_object=serialize_keras_object, deserialize_keras_object=deserialize_keras_object)
