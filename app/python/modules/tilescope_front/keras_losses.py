# SPDX-License-Identifier: GPL-3.0-or-later
"""What layers and models add to a loss themselves: add_loss()."""
import contextlib

import numpy as np

from . import failures, graph, keras_metrics
from .structure import flatten

_depth = 0  # of calls of models within calls of models


def add(layer, losses):
    """Takes losses of a layer or a model: tensors of the step that is being traced, or of Keras, or functions, which each step
    calls."""
    from .keras_layers import KerasTensor
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


def add_of_activity(layer, output):
    """What a layer's activity_regularizer makes of its output, of a sample."""
    from . import keras_objects, operations
    total = keras_objects.REGULARIZERS.get(layer.settings["activity_regularizer"])(output)
    add(layer, operations.multiply(total, 1.0 / output.dims[0]))


def _number(layer, loss):
    tensor = graph.symbolic(loss)
    if tensor.dims:
        raise failures.refused(f"{type(layer).__name__}.add_loss() of a tensor of shape {tensor.shape}",
                               "give it one number, as tf.reduce_mean makes it")
    return tensor


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
    """A model, and the layers and models in it."""
    yield model
    for layer in getattr(model, "layers", ()):
        yield from parts_of(layer) if hasattr(layer, "layers") else [layer]


def _shard_of(layer):
    """Where the step that is being traced reads the variables of a layer: in a pipeline, its stage."""
    reads = [op for op in graph.current().operations_ if op.kind == "read" and getattr(op.attributes["variable"], "layer", None)
             == layer.name]
    return reads[0].shard if reads else graph.current().shard


def has_any(model):
    """Whether parts of a model may add to its loss, or show values beside it, as far as it can be known before a step is traced."""
    return any(each.__dict__.get("loss_functions") or each.__dict__.get("loss_tensors") or each.__dict__.get("metric_tensors") for each in parts_of(model))


def of_model(model):
    """What parts of a model have added in the step that is being traced: numbers, all of one element type."""
    from . import operations
    parts = list(dict.fromkeys(parts_of(model)))
    made = []
    for layer in parts:
        for function in layer.__dict__.get("loss_functions", ()):
            with graph.current().with_(shard=_shard_of(layer)):
                made.append(_number(layer, function()))
    known = {id(each) for each in parts}
    made += [tensor for layer, tensor in _of_step() if id(layer) in known]
    return [operations.cast(each, np.float32) if each.dtype.name != "float32" else each for each in made]


def at_hand(model):
    """What parts of a model add to a loss outside of a step that is traced: regularisers of weights, and what the last call within the
    tape has added."""
    from . import keras_objects, keras_within
    layers = getattr(model, "layers", [model])
    for _, layer in keras_within.parts(layers):
        if getattr(layer, "settings", {}).get("activity_regularizer") is not None:
            raise failures.refused(f"Model.losses with {type(layer).__name__}(activity_regularizer=…) outside of a step",
                                   "read it in train_step, or add the term to the loss")
    given = keras_within.of_weights(layers, "_regularizer", lambda each: each is not None)
    terms = [keras_objects.REGULARIZERS.get(given[each.key])(each) for each in model.weights if each.key in given]
    return terms + of_model(model) if graph.current().of_tape else terms
