# SPDX-License-Identifier: GPL-3.0-or-later
"""What layers and models add to a loss themselves: add_loss(), and regularisers of the script's own."""
import contextlib
import functools

import numpy as np

from . import layers as keras_layers, metrics as keras_metrics, parts as keras_parts
from .. import failures
from ..tensors import graph
from ..tracing import tape
from ..structure import flatten

_depth = 0  # of calls of models within calls of models


class AddLoss(keras_layers.Layer):
    """What add_loss() of a functional model makes of a tensor of Keras: a layer that hands it on."""

    def call(self, inputs):
        return inputs


class AddMetric(AddLoss):
    """The same of add_metric()."""


def as_layer(kind, tensor):
    """The tensor as a layer of this kind hands it on, in the stage that it is made in."""
    layer = kind()
    layer.stage = tensor.layer.calls[tensor.call].stage
    return layer(tensor)


def add(layer, losses):
    """Takes losses of a layer or a model: tensors of the step that is being traced, or of Keras, or functions, which each step
    calls."""
    from .layers import KerasTensor
    for loss in flatten(losses):
        if isinstance(loss, KerasTensor):
            if not hasattr(layer, "loss_tensors"):
                raise failures.refused(f"{type(layer).__name__}.add_loss() of a Keras tensor outside of call()",
                                       "give it to the model's add_loss()")
            layer.add_loss_tensor(loss)
        elif callable(loss) and not hasattr(loss, "dims"):
            layer.__dict__.setdefault("loss_functions", []).append(loss)
        elif not graph.values_at_hand() or graph.current().of_tape:
            _of_step().append((layer, _number(layer, loss)))
        else:
            layer.__dict__.setdefault("added_now_", []).append(loss)


def add_of_activity(layer, output):
    """What a layer's activity_regularizer makes of its output, of a sample."""
    from . import objects as keras_objects
    from ..operations import elementary as operations
    total = keras_objects.REGULARIZERS.get(layer.settings["activity_regularizer"])(output)
    add(layer, operations.multiply(total, 1.0 / output.dims[0]))


def is_own(regularizer):
    """Whether a regulariser is a function or a class of the script's own, which the engine does not know."""
    return callable(regularizer) and type(regularizer) not in keras_parts.REGULARIZERS.values()


def own_regularizers(layer):
    """Those of a layer of the engine, by the names of its settings."""
    settings = getattr(layer, "settings", {}) if layer.of_engine else {}
    return {key: each for key, each in settings.items() if key.endswith("_regularizer") and is_own(each)}


def _of_weight(layer, key, regularizer):
    from . import traced as keras_traced
    kind = key.removesuffix("_regularizer")
    weights = [each for each in (keras_traced.weight_of(layer, name) for name in (kind, f"{kind}_kernel")) if each is not None]
    if not weights:
        raise failures.refused(f"{type(layer).__name__}({key}=…) of a function of the script's own", "use keras.regularizers.L1, L2 or L1L2")
    return regularizer(weights[0])


def _functions(layer):
    """What makes a term of the loss in each step."""
    return [*layer.__dict__.get("loss_functions", ()), *(functools.partial(_of_weight, layer, key, each)
                                                         for key, each in own_regularizers(layer).items() if key != "activity_regularizer")]


def _number(layer, loss):
    tensor = graph.symbolic(loss)
    if tensor.dims:
        raise failures.refused(f"{type(layer).__name__}.add_loss() of a tensor of shape {tensor.shape}",
                               "give it one number, as tf.reduce_mean makes it")
    return tensor


def begin_now(layer):
    """A call of a layer on values: what its last call has added, this one takes the place of."""
    for each in parts_of(layer):
        vars(each).pop("added_now_", None)


def _of_step():
    return graph.current().__dict__.setdefault("added_losses", [])


@contextlib.contextmanager
def called(model):
    """A call of a model in a graph: what its last call has added, this one takes the place of."""
    global _depth
    if _depth == 0:
        parts = {id(each) for each in parts_of(model)}
        _of_step()[:] = [each for each in _of_step() if id(each[0]) not in parts]
        keras_metrics.forget(parts)
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


def parts_of(model):
    """A model, and the layers and models in it and in layers of the script's own."""
    found = {}

    def visit(part):
        if id(part) not in found:
            found[id(part)] = part
            for each in part.layers if hasattr(part, "layers") else () if part.of_engine else keras_layers.layers_in(part):
                visit(each)
    visit(model)
    return list(found.values())


def _shard_of(layer):
    """Where the step that is being traced reads the variables of a layer: in a pipeline, its stage."""
    reads = [op for op in graph.current().operations_ if op.kind == "read" and getattr(op.attributes["variable"], "layer", None)
             == layer.name]
    return reads[0].shard if reads else graph.current().shard


def has_any(model):
    """Whether parts of a model may add to its loss, or show values beside it, as far as it can be known before a step is traced."""
    return any(each.__dict__.get("loss_functions") or own_regularizers(each) or each.__dict__.get("loss_tensors") or each.__dict__.get("metric_tensors") for each in parts_of(model))


def of_model(model):
    """What parts of a model have added in the step that is being traced: numbers, all of one element type."""
    from ..operations import elementary as operations
    parts, made = parts_of(model), []
    for layer in parts:
        for function in _functions(layer):
            with graph.current().with_(shard=_shard_of(layer)):
                made.append(_number(layer, function()))
    made += added(model)
    return [operations.cast(each, np.float32) if each.dtype.name != "float32" else each for each in made]


def added(model):
    """What parts of a model have added while they were called in the graph that is being made."""
    known = {id(each) for each in parts_of(model)}
    return [tensor for layer, tensor in _of_step() if id(layer) in known]


def with_added(model, function):
    """What a call of a model on values gives. Keeps what its parts add to a loss."""
    made, model.added_ = tape.at_hand(lambda: [function(), added(model)])
    return made


def _added_by_values(model):
    """What the last call on values has added: a call that has only predicted is made once more for that."""
    if not hasattr(model, "layers"):  # a layer
        return [each for layer in parts_of(model) for each in vars(layer).get("added_now_", ())]
    if model.added_ is None:
        with_added(model, lambda: model.in_graph(model.called_, False))
    return model.added_


def at_hand(model):
    """What parts of a model add to a loss outside of a step that is traced: regularisers of weights, and what the last call within the
    tape, or on values, has added."""
    from . import objects as keras_objects, within as keras_within
    layers = getattr(model, "layers", [model])
    for _, layer in keras_within.parts(layers):
        if getattr(layer, "settings", {}).get("activity_regularizer") is not None and layer.own_activation is None:
            raise failures.refused(f"Model.losses with {type(layer).__name__}(activity_regularizer=…) outside of a step",
                                   "read it in train_step, or add the term to the loss")
    given = keras_within.of_weights(layers, "_regularizer", lambda each: each is not None and not is_own(each))
    there = not hasattr(model, "example_") or model.built or model.example_ is not None  # else nothing has made the weights yet
    terms = [keras_objects.REGULARIZERS.get(given[each.key])(each) for each in (model.weights if there else ()) if each.key in given]
    if graph.current().of_tape:
        return terms + of_model(model)
    terms += [graph.convert(function()) for layer in parts_of(model) for function in _functions(layer)]
    return terms + _added_by_values(model)
