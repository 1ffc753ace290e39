# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks of steps in models that are Python: tensors of their graphs carry them from layer to layer as in Keras. Which steps of an
output are masked, its loss and its metrics leave out."""
import numpy as np

from ..operations import elementary as operations
from ..tensors import graph

# Layers that hand the mask of their input on.
_MASKED = {"Activation", "ActivityRegularization", "Add", "AlphaDropout", "Average", "BatchNormalization", "Concatenate", "Dense",
           "Dropout", "ELU", "GaussianDropout", "GaussianNoise", "LayerNormalization", "LeakyReLU", "Maximum", "Minimum", "Multiply",
           "PReLU", "ReLU", "Softmax", "SpatialDropout1D", "Subtract", "ThresholdedReLU", "TimeDistributed"}
_MERGING = {"Add", "Average", "Concatenate", "Maximum", "Minimum", "Multiply", "Subtract"}
_HEEDING = {"LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional", "GlobalAveragePooling1D", "Attention", "AdditiveAttention"}
MARK = -60000.0  # what a masked step is full of, on its way into a layer that heeds masks; float16 has it


def is_masked(tensor, known):
    """Whether steps of a Keras tensor are masked, by Embedding(mask_zero=True) or Masking. `known`: of which tensors that is known,
    by their ids."""
    if id(tensor) not in known:
        layer, call = tensor.layer, tensor.layer.calls[tensor.call]
        kind, settings = layer.engine_class().__name__, getattr(layer, "settings", {})
        if kind == "Masking" or kind == "Embedding" and settings.get("mask_zero"):
            known[id(tensor)] = True
        elif getattr(layer, "outputs", None) and not layer.subclassed:  # a model
            within = {id(end): is_masked(each, known) for end, each in zip(layer.inputs, call.inputs)}
            known[id(tensor)] = is_masked(layer.outputs[tensor.index], within)
        else:
            known[id(tensor)] = _hands_on(layer) and any([is_masked(each, known) for each in call.inputs])
    return known[id(tensor)]


def has_masked_outputs(model):
    if model.subclassed or not model.outputs:
        return False
    outputs, known = model.outputs, {}
    before, found = model.__dict__.get("masked_", ((), False))  # asked for at each call, and found once
    if len(before) != len(outputs) or any(a is not b for a, b in zip(before, outputs)):
        found = any(is_masked(each, known) for each in outputs)
        model.masked_ = tuple(outputs), found
    return found


def concern(model, tensors):
    """Whether masks go into a model or come out of it."""
    return any(of(each) is not None for each in tensors) or has_masked_outputs(model)


def _kind(layer):
    return layer.document()["class_name"]


def _hands_on(layer):
    settings = getattr(layer, "settings", {})
    recurrent = settings.get("layer", layer)
    return layer.engine_class().__name__ in _MASKED or bool(getattr(recurrent, "settings", {}).get("return_sequences"))


def of(tensor):
    """The mask of a tensor of a graph, [batch, steps]; None where it has none."""
    return getattr(tensor, "_keras_mask", None)


def kept(tensor, made):
    """What is made of a tensor, with the same mask."""
    if made is not tensor and of(tensor) is not None:
        made._keras_mask = of(tensor)
    return made


def given(tensor, mask):
    """The same tensor with a mask."""
    made = operations.identity(tensor)
    made._keras_mask = graph.convert(mask)
    return made


def marked(layer, tensors):
    """(what a layer of the engine is called on, whether each is masked): where it heeds masks, masked steps are full of MARK."""
    if _kind(layer) not in _HEEDING:
        return tensors, [False] * len(tensors)
    masks = [of(each) if len(each.dims) == 3 else None for each in tensors]
    made = [each if mask is None else operations.where(operations.broadcast_to(operations.expand_dims(mask, -1), each.dims), each,
                                                       np.full(each.dims, MARK, each.dtype.as_numpy_dtype))
            for each, mask in zip(tensors, masks)]
    return made, [mask is not None for mask in masks]


def hand_on(layer, tensors, outputs):
    """Gives what a layer of the engine has made the mask that Keras does."""
    made = made_by(layer, tensors)
    if made is not None:
        outputs[0]._keras_mask = made


def made_by(layer, tensors):
    """The mask of what a layer makes of tensors; None where it has none."""
    kind, masks = _kind(layer), [of(each) for each in tensors]
    if kind == "Embedding" and layer.settings.get("mask_zero"):
        return operations.not_equal(operations.cast(tensors[0], "int32"), 0)
    if kind == "Masking":
        value = np.asarray(layer.settings["mask_value"], tensors[0].dtype.as_numpy_dtype)
        apart = operations.cast(operations.not_equal(tensors[0], value), "float32")
        return operations.greater(operations.reduce_max(apart, -1), 0.0)
    if all(each is None for each in masks):
        return None
    if kind in ("Attention", "AdditiveAttention"):
        return masks[0]
    if not _hands_on(layer):
        return None
    if kind == "Concatenate" and layer.settings["axis"] == 1:
        return operations.concat([operations.constant(np.ones(each.dims[:2], bool)) if mask is None else mask
                                  for each, mask in zip(tensors, masks)], 1)
    known = [each for each in masks if each is not None]
    total = known[0]
    for each in known[1:] if kind in _MERGING else ():
        total = operations.logical_and(total, each)
    return total


def weights_of(output, weights=None):
    """The weights of samples, or of steps, of an output: 0 where a step is masked."""
    mask = of(output)
    if mask is None:
        return weights
    mask = operations.cast(mask, "float32")
    if weights is None:
        return mask
    weights = operations.cast(graph.convert(weights), "float32")
    shape = list(weights.dims) + [1] * (len(mask.dims) - len(weights.dims))
    return operations.multiply(mask, operations.reshape(weights, shape))
