# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' objects out of their configurations, of Keras 2 and 3: layers, models, optimisers and the rest; and the classes of the
script's own that they name."""
import difflib
import json

from . import addons, failures, keras_parts, names
from .keras_layers import LAYERS, InputLayer, TFOpLambda
from .keras_model import Model, Sequential, calls_of
from .structure import flatten, pack_like

_custom = {}  # classes and functions of the script's own, by name
_registered = {}  # their registered names
_OF_LAMBDA = ("function_type", "module", "output_shape_type", "output_shape_module", "dynamic")
_MODELS = ("Functional", "Model", "Sequential")


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


def _class_of(name, what, *tables):
    """The class that a configuration calls `name`, with or without the package that it was registered in."""
    table = {}
    for each in tables:
        table.update(each or {})
    table.update({**_custom, **(tables[-1] or {})})
    for known in (name, name.rpartition(">")[2]):
        if known in table:
            return table[known]
    near = difflib.get_close_matches(name, table, 1)
    raise failures.refused(f"the {what} {name}", (f"the nearest that is there is {near[0]}; " if near else "") +
                           "a class of the script's own goes into custom_objects")


def _checked(config, what):
    if not isinstance(config, dict) or not {"class_name", "config"} <= set(config):
        raise ValueError(f"Improper config format for {what}: {config}. Expecting python dict contains `class_name` and `config` "
                         "as keys")
    return config["class_name"], config["config"]


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
    _checked(config, "a layer")
    return layer_from(config, custom_objects)


def serialize_layer(layer):
    return {key: value for key, value in layer.document().items() if key in ("class_name", "config")}


def layer_from(description, custom=None):
    kind, config = _checked(description, "a layer")
    if kind in _MODELS:
        return model_of(Sequential if kind == "Sequential" else Model, config, custom)
    config = dict(config)
    dtype = config.get("dtype")
    if isinstance(dtype, dict):
        config["dtype"] = dtype["config"]["name"]
    if kind == "InputLayer":
        shape = config.get("batch_input_shape", config.get("batch_shape"))
        return InputLayer(shape, config.get("dtype"), config.get("name"))
    made = _class_of(kind, "layer class", LAYERS, custom)
    if kind == "Lambda":
        config["function"] = _function_of(config.get("function"), custom)
    if made is LAYERS.get(kind):
        made = _layer_of(made, config, custom)
    else:
        made = made.from_config(config)
    made.of_keras3 = isinstance(dtype, dict) and "module" in dtype
    return made


def _function_of(given, custom):
    found = {**_custom, **(custom or {})}.get(given) if isinstance(given, str) else None
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
    for key in _OF_LAMBDA if "function" in config else ("dynamic",):
        config.pop(key, None)
    return kind(**{key: value for key, value in config.items() if value is not None})


def from_config(kind, config, custom=None):
    """Layer.from_config."""
    return kind(**config) if hasattr(kind, "call") else _layer_of(kind, dict(config), custom)


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
        ends = [InputLayer(list(model._input.first_shape), model._input.dtype, model._input.name)] if hasattr(model, "_input") else []
        if input_tensors is not None:
            ends = flatten(input_tensors)
        made = Sequential(ends + [_copy_within(layer, copied) for layer in model.layers], name=model.name)
        if model.built and not made.built:
            made.build(model.first_shape)
        return made
    given = flatten(input_tensors) if input_tensors is not None else [
        InputLayer(list(each.layer.first_shape), each.dtype.name, each.layer.name).calls[0].outputs[0] for each in model.inputs]
    tensors, layers = {id(old): new for old, new in zip(model.inputs, given)}, {}
    for layer, call in calls_of(model.outputs):
        if isinstance(layer, InputLayer):
            continue
        if layer not in layers:
            layers[layer] = _copy_within(layer, copied)
        inputs = pack_like(call.structure, [tensors[id(each)] for each in call.inputs])
        result = layers[layer](inputs, *call.args, training=call.training, **call.kwargs)
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
    config = layer.get_config()
    try:
        made = layer_from({"class_name": type(layer).__name__, "config": config}, {type(layer).__name__: type(layer)})
    except TypeError as error:
        raise NotImplementedError(f"Layer {type(layer).__name__} has arguments in `__init__()` and therefore must override "
                                  f"`get_config()`: {error}") from None
    made.settings.update(layer.own_initializers())
    made.stage, made.of_keras3, made.first_weights = layer.stage, layer.of_keras3, layer.first_weights
    return made


# Numbers of optimisers of later versions that mean nothing without another of their settings.
_OF_OTHERS = ("ema_momentum", "ema_overwrite_frequency", "jit_compile", "is_legacy_optimizer")


def deserialize_optimizer(config, custom_objects=None, **kwargs):
    """keras.optimizers.deserialize."""
    kind, settings = _checked(config, "an optimizer")
    named = {name.lower(): each for name, each in keras_parts.OPTIMIZERS.items()}
    made = _class_of(kind if kind in (custom_objects or ()) or kind.lower() not in named else kind.lower(), "optimizer", addons.OPTIMIZERS, named,
                     keras_parts.OPTIMIZERS, custom_objects)
    settings = dict(settings)
    rate = settings.get("learning_rate")
    if isinstance(rate, dict):
        settings["learning_rate"] = deserialize_schedule(rate, custom_objects)
    if made not in keras_parts.OPTIMIZERS.values():
        return made.from_config(settings)
    known = {*made.known(), "lr"}
    return made(**{key: value for key, value in settings.items() if key in known or not (
        key in _OF_OTHERS or value is None or value is False or (key == "weight_decay" and value == 0))})


def _maker(what, *tables):
    """deserialize of the objects of a module: by name, or by class and settings."""
    def deserialize(config, custom_objects=None):
        if config is None or (not isinstance(config, (str, dict)) and callable(config)):
            return config
        if isinstance(config, str):
            found = _class_of(config, what, *tables, custom_objects)
            return found() if isinstance(found, type) else found
        kind, settings = _checked(config, what)
        found = _class_of(kind, what, *tables, custom_objects)
        return found.from_config(settings) if hasattr(found, "from_config") else found
    return deserialize


def serialize(value):
    """The configuration of an object, or the name of a function."""
    return value.document() if hasattr(value, "document") else value.__name__ if callable(value) else value


def _both_cases(table):
    return {**{keras_parts.snake_case(name): made for name, made in table.items()}, **table}


deserialize_schedule = _maker("schedule", keras_parts.SCHEDULES)
deserialize_initializer = _maker("initializer", keras_parts.ALIASES, _both_cases(keras_parts.INITIALIZERS))
deserialize_regularizer = _maker("regularizer", {"l1_l2": keras_parts.REGULARIZERS["L1L2"]}, _both_cases(keras_parts.REGULARIZERS))
deserialize_constraint = _maker("constraint", _both_cases(keras_parts.CONSTRAINTS))


_NO_NAMES = ("get", "serialize", "deserialize", "Loss", "Metric", "Reduction")


def _of_module(module, what):
    def deserialize(name, custom_objects=None):
        table = {key: value for key, value in names.names_in(module).items() if key not in _NO_NAMES}
        return _maker(what, table)(name, custom_objects)
    return deserialize


deserialize_loss = _of_module("tensorflow.keras.losses", "loss")
deserialize_metric = _of_module("tensorflow.keras.metrics", "metric")


def serialize_keras_object(instance):
    return serialize(instance)


def deserialize_keras_object(identifier, module_objects=None, custom_objects=None, printable_module_name="object"):
    return _maker(printable_module_name, module_objects or {})(identifier, custom_objects)


def add_names():
    keras = "tensorflow.keras"
    names.module(keras + ".models", model_from_json=model_from_json, model_from_config=model_from_config, clone_model=clone_model)
    names.module(keras + ".layers", deserialize=deserialize_layer, serialize=serialize_layer)
    for below, made in (("optimizers", deserialize_optimizer), ("optimizers.schedules", deserialize_schedule),
                        ("initializers", deserialize_initializer), ("regularizers", deserialize_regularizer),
                        ("constraints", deserialize_constraint), ("losses", deserialize_loss),
                        ("metrics", deserialize_metric),
                        ("activations", _of_module(keras + ".activations", "activation"))):
        names.module(f"{keras}.{below}", deserialize=made, serialize=serialize)
    names.module(keras + ".utils", custom_object_scope=CustomObjectScope, CustomObjectScope=CustomObjectScope,
                 get_custom_objects=get_custom_objects, register_keras_serializable=register_keras_serializable,
                 get_registered_name=get_registered_name, get_registered_object=get_registered_object,
                 serialize_keras_object=serialize_keras_object, deserialize_keras_object=deserialize_keras_object)
