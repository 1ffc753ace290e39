# SPDX-License-Identifier: GPL-3.0-or-later
"""model.summary(), in Keras' form."""
import json

import numpy as np

from . import open as keras_open
from .. import host
from .layers import InputLayer


def _sequential_like(model):
    if type(model).__name__ == "Sequential" or model.subclassed:
        return True
    layers = model.layers
    return all(len(layer.calls) == 1 and len(layer.calls[0].inputs) <= 1 for layer in layers) and \
        sum(isinstance(layer, InputLayer) for layer in layers) == 1 and _one_path(layers)


def _one_path(layers):
    read = [t.layer.name for layer in layers for t in layer.calls[0].inputs]
    return len(read) == len(set(read))


def _rows(model):
    """(shape, parameters) of each layer, by its name."""
    if not model.traced:
        counted = {}

        def shapes():
            rows = host.run().keras_summary(json.dumps(model.to_dict()))[1]
            counted.update({row[0]: row[3] for row in rows})
            return [row[2] for row in rows]
        found = keras_open.merged([each.layer for each in model.inputs], shapes)
        batch = next((layer.first_shape[0] for layer in model.layers if layer.first_shape), None)  # where the input says it
        return {name: ((batch,) + tuple(shape[1:]), count) for (name, count), shape in zip(counted.items(), found)}
    return {layer.name: (_shape_of(layer, model), sum(int(np.prod(v.shape)) for v in _weights_of(layer, model))) for layer in model.layers}


def _shape_of(layer, model):
    """That of one call; of layers of a subclass that of functional models alone is known."""
    if not model.subclassed:
        return tuple(layer.calls[0].outputs[0].shape)
    return layer.output_shape if getattr(layer, "outputs", None) else "multiple"


def _weights_of(layer, model):
    """Those of a layer, and of what is within it."""
    return model.variables_of(layer.name) if hasattr(layer, "layers") or not layer.traced else layer.weights


def _kind_of(layer):
    """The name of a layer's class; Keras makes a Functional of a Model with inputs and outputs."""
    kind = "SlicingOpLambda" if layer.name.startswith("tf.__operators__.getitem") else getattr(layer, "shown_kind", type(layer).__name__)
    return "Functional" if kind == "Model" and hasattr(layer, "layers") and not layer.subclassed else kind


def print_row(fields, ends, print_fn):
    line = ""
    for i, field in enumerate(fields):
        if i > 0:
            line = line[:-1] + " "
        line = (line + str(field))[:ends[i]]
        line += " " * (ends[i] - len(line))
    print_fn(line)


def print_summary(model, line_length, positions, print_fn):
    if not model.built:
        raise ValueError("This model has not yet been built. Build the model first by calling `build()` or calling "
                         "`fit()` with some data, or specify an `input_shape` argument in the first layer(s) for "
                         "automatic build.")
    plain = _sequential_like(model)
    width = line_length or (65 if plain else 98)
    positions = positions or ([.45, .85, 1.0] if plain else [.33, .55, .67, 1.0])
    ends = [int(width * p) for p in positions]
    model.variables_list()
    rows = _rows(model)
    print_fn(f'Model: "{model.name}"')
    print_fn("_" * width)
    print_row(["Layer (type)", "Output Shape", "Param #"] + ([] if plain else ["Connected to"]), ends, print_fn)
    print_fn("=" * width)
    layers = [layer for layer in model.layers
              if not (isinstance(layer, InputLayer) and type(model).__name__ == "Sequential")]
    for i, layer in enumerate(layers):
        shape, count = rows[layer.name]
        shape = f"[{shape}]" if isinstance(layer, InputLayer) else str(shape)
        outputs = layer.calls[0].outputs if layer.calls else []
        if len(outputs) > 1 and shape != "multiple":
            shape = str([tuple(each.shape) for each in outputs])
        fields = [f"{layer.name} ({_kind_of(layer)})", shape, count]
        read = [f"{t.layer.name}[{t.call}][{t.index}]" for call in layer.calls for t in call.inputs]
        print_row(fields + ([] if plain else read[:1] or [""]), ends, print_fn)
        for more in read[1:] if not plain else []:
            print_row(["", "", "", more], ends, print_fn)
        print_fn(("=" if i == len(layers) - 1 else "_") * width)
    weights = model.weights
    sizes = [(int(np.prod(v.shape)), v.is_trained) for v in weights]
    total, trained = sum(s for s, _ in sizes), sum(s for s, t in sizes if t)
    print_fn(f"Total params: {total:,}")
    print_fn(f"Trainable params: {trained:,}")
    print_fn(f"Non-trainable params: {total - trained:,}")
    print_fn("_" * width)
