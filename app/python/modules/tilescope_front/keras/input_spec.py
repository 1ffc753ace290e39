# SPDX-License-Identifier: GPL-3.0-or-later
"""What layers and models take, told where they are called, as Keras 2.6 does: ranks, extents that weights have been made for, and what the
engine says of shapes beside."""
import json
import math

import tilescope_engine as engine

from . import open as keras_open
from .. import host
from ..dtypes import TensorShape
from ..structure import flatten

_RANKED = {"1D": 3, "2D": 4, "3D": 5}
_OF_RANK = ("MaxPooling", "AveragePooling", "GlobalMaxPooling", "GlobalAveragePooling", "UpSampling", "ZeroPadding", "Cropping", "SpatialDropout",
            "LocallyConnected")
_AT_LEAST = ("Conv", "DepthwiseConv", "SeparableConv")  # and with the channels that they were first called on
_RANKS = (2, 3, 4, 5)  # which layers take
_MERGES = ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot")


def _kind(layer):
    return layer.document()["class_name"]


def _split(kind):
    """"Conv2DTranspose" as ("Conv", 4, "Transpose"); the rank is None where a name has none."""
    for end, rank in _RANKED.items():
        begin, found, rest = kind.partition(end)
        if found:
            return begin, rank, rest
    return kind, None, ""


def _rank_of(kind, settings):
    """(the rank of what a layer takes, the least of it); None: any."""
    begin, rank, rest = _split(kind)
    if rank is not None and (begin in _OF_RANK or rest == "Transpose"):
        return rank, None
    if rank is not None and begin in _AT_LEAST:
        return None, rank
    if kind in ("LSTM", "GRU", "SimpleRNN", "Bidirectional"):
        return 3, None
    if kind == "Permute":
        return len(settings["dims"]) + 1, None
    return {"RepeatVector": (2, None), "Dense": (None, 2), "Flatten": (None, 1)}.get(kind, (None, None))


def _axes(layer, kind, rank):
    """The axes whose extents weights follow from."""
    begin, ranked, _ = _split(kind)
    if kind == "Dense":
        return (-1,)
    if kind == "BatchNormalization":
        axis = layer.settings.get("axis", -1)
        return tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
    if ranked is not None and begin in _AT_LEAST:
        return (1 if layer.settings.get("data_format") == "channels_first" else -1,)
    return (rank - 1,) if kind in ("LSTM", "GRU", "SimpleRNN") else ()


def _shown(shape):
    return str(tuple(shape))


def _check(layer, kind, shapes):
    """Errors: ValueError where the shapes are none that a layer takes."""
    rank, least = _rank_of(kind, layer.settings)
    if kind in _MERGES:
        return _check_merged(layer, kind, shapes)
    if (rank or least) and len(shapes) > 1 and kind not in ("LSTM", "GRU", "SimpleRNN", "Bidirectional"):  # which take states, too
        raise ValueError(f"Layer {layer.name} expects 1 input(s), but it received {len(shapes)} input tensors.")
    found, shape = len(shapes[0]), list(shapes[0])
    begin = f"Input 0 of layer {layer.name} is incompatible with the layer: expected"
    if rank is not None and found != rank:
        raise ValueError(f"{begin} ndim={rank}, found ndim={found}. Full shape received: {_shown(shape)}")
    if least is not None and found < least:
        raise ValueError(f"{begin} min_ndim={least}, found ndim={found}. Full shape received: {_shown(shape)}")
    if kind == "TimeDistributed" and found < 3:
        raise ValueError(f"`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 dimensions, received: {shape}")
    if kind == "Reshape" and None not in shape[1:]:
        target, count = list(layer.settings["target_shape"]), math.prod(shape[1:])
        if count % (math.prod(each for each in target if each != -1) or 1) if -1 in target else count != math.prod(target):
            raise ValueError(f"total size of new array must be unchanged, input_shape = {shape[1:]}, output_shape = {target}")
    first = vars(layer).get("first_called_on_")
    if first is not None and kind == "BatchNormalization" and found != len(first):
        raise ValueError(f"{begin} ndim={len(first)}, found ndim={found}. Full shape received: {_shown(shape)}")
    for axis in _axes(layer, kind, found):
        if first is None or not -len(first) <= axis < len(first) or None in (first[axis], shape[axis]) or first[axis] == shape[axis]:
            continue
        if kind in ("LSTM", "GRU", "SimpleRNN"):
            wanted = _shown([None, None, first[axis]])
            raise ValueError(f"Input 0 is incompatible with layer {layer.name}: expected shape={wanted}, found shape={_shown(shape)}")
        raise ValueError(f"{begin} axis {axis} of input shape to have value {first[axis]} but received input with shape {_shown(shape)}")
    vars(layer).setdefault("first_called_on_", shape)
    return None


def _check_merged(layer, kind, shapes):
    if kind in ("Subtract", "Dot") and len(shapes) != 2:
        raise ValueError(f"A `{kind}` layer should be called on exactly 2 inputs")
    if len(shapes) < (1 if kind == "Concatenate" else 2):
        raise ValueError(f"A merge layer should be called on a list of at least 2 inputs. Got {len(shapes)} inputs.")
    if kind == "Concatenate":
        axis, rank = layer.settings.get("axis", -1), len(shapes[0])
        rests = {tuple(extent for i, extent in enumerate(shape) if i not in (0, axis % rank)) for shape in shapes}
        known = {rest for rest in rests if None not in rest}
        if any(len(shape) != rank for shape in shapes) or len(known) > 1:
            raise ValueError("A `Concatenate` layer requires inputs with matching shapes except for the concat axis. Got inputs shapes: "
                             f"{[tuple(shape) for shape in shapes]}")
    elif kind != "Dot":
        for one, other in ((one, other) for one in shapes for other in shapes):
            for a, b in zip(list(one)[:0:-1], list(other)[:0:-1]):
                if None not in (a, b) and a != b and 1 not in (a, b):
                    raise ValueError(f"Operands could not be broadcast together with shapes {_shown(one[1:])} {_shown(other[1:])}")


def _in_engine(layer, shapes, dtypes, told):
    """The shape of what a layer makes first of inputs of these shapes, as the engine works it out; the batch as in the first of them."""
    def once():
        inputs = [f"{layer.name}_of_{i}" for i in range(len(shapes))]
        rows = [{"class_name": "InputLayer", "name": name, "inbound_nodes": [], "config": {
            "name": name, "dtype": dtype, "batch_input_shape": [shape[0], *(keras_open.trial() if extent is None else extent
                                                                            for extent in shape[1:])]}}
                for name, shape, dtype in zip(inputs, shapes, dtypes)]
        rows.append({**layer.document(), "inbound_nodes": [layer.inbound([[name, 0, 0] for name in inputs], told)]})
        document = {"class_name": "Functional", "config": {"name": "shape", "layers": rows, "input_layers": [[name, 0, 0] for name in inputs],
                                                           "output_layers": [[layer.name, 0, 0]]}}
        listed = host.run().keras_summary(json.dumps({"name": "shape", "model": {"keras": document}}))[1]
        return [next(row[2] for row in listed if row[0] == layer.name)]
    return (shapes[0][0],) + tuple(keras_open.tried(any(None in shape[1:] for shape in shapes), once)[0][1:])


def shape_of_call(layer, given, told):
    """The shape of what a layer of the engine makes first of Keras tensors. Errors: ValueError where it takes none of their shapes."""
    shapes, dtypes = [tuple(each.shape) for each in given], [each.dtype.name for each in given]
    if hasattr(layer, "settings"):  # and is no model
        _check(layer, _kind(layer), shapes)
    try:
        return _in_engine(layer, shapes, dtypes, told)
    except engine.Error as error:
        if any(None in shape[1:] for shape in shapes) or not any(_takes(layer, shapes, rank, dtypes, told) for rank in _RANKS):
            return None  # other extents may do; and what is wrong with the layer itself is told where it is made
        raise ValueError(_as_told(layer, error, shapes)) from None


def _takes(layer, shapes, rank, dtypes, told):
    """Whether a layer takes as many inputs of a rank, with extents that are enough for all."""
    try:
        return bool(_in_engine(layer, [shape[:1] + (keras_open.trial(),) * (rank - 1) for shape in shapes], dtypes, told))
    except engine.Error:
        return False


def _as_told(layer, error, shapes):
    """What the engine says of a layer, with the batch as the script has it: the engine works with one of 32 where it is open."""
    text = f"layer {layer.name}: {error.message}" + (f"; {error.remedy}" if error.remedy else "")
    return text.replace("[32, ", f"[{shapes[0][0]}, ").replace("[32]", f"[{shapes[0][0]}]") if shapes[0] else text


def check_values(layer, tensors):
    """Errors: ValueError where a layer of the engine takes no tensors of these shapes."""
    if layer.of_engine and hasattr(layer, "settings"):
        _check(layer, _kind(layer), [tuple(each.shape) for each in tensors])


def check_model(model, given):
    """Errors: ValueError where what a model of connected layers is called on has not the shapes of its inputs."""
    if all(hasattr(each, "shape") for each in given):
        check_shapes(model.name, [TensorShape(each.shape) for each in given], [each.shape for each in model.inputs or ()])


def check_shapes(name, given, wanted):
    """The same of shapes, for the model of a name."""
    for i, (found, expected) in enumerate(zip(given, wanted)):
        shape, own = list(found), list(expected)
        if len(shape) == len(own) + 1 and shape[-1] == 1:
            shape = shape[:-1]
        if len(own) == len(shape) + 1 and own[-1] == 1:
            own = own[:-1]
        if len(shape) != len(own) or any(None not in (a, b) and a != b for a, b in zip(shape[1:], own[1:])):
            raise ValueError(f"Input {i} is incompatible with layer {name}: expected shape={_shown([None, *expected[1:]])}, found "
                             f"shape={_shown(found)}")


def check_inputs(inputs):
    """Errors: TypeError where a layer is called on what is no tensor."""
    for each in flatten(inputs):
        if isinstance(each, str) or not (hasattr(each, "shape") or isinstance(each, (int, float, complex, list, tuple)) or hasattr(each, "dims")):
            raise TypeError(f"Inputs to a layer should be tensors. Got: {each}")
