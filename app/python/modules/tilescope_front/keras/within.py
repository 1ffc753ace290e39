# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers within layers and models, and which weights their initialisers, regularisers and constraints are of."""
from . import layers as keras_layers
from ..operations import keras_initializers


def parts(layers):
    """(beginning of the names of its weights, layer) of layers and of those within them. A model that is traced calls the layers
    of models within it as if they were its own: there names begin with the layer's alone."""
    told = [part for layer in layers for part in _parts(layer, "", False)]
    taken = {begin for begin, _ in told}
    return told + [part for layer in layers for part in _parts(layer, "", True) if part[0] not in taken]


def _parts(layer, before, flat):
    begin = f"{before}{layer.name}/"
    if hasattr(layer, "layers"):
        for each in layer.layers:
            yield from _parts(each, before if flat else begin, flat)
        return
    yield begin, layer
    settings = getattr(layer, "settings", {})
    if not layer.of_engine:
        for each in keras_layers.layers_in(layer):
            yield from _parts(each, "", True)
    elif isinstance(layer, keras_layers.Bidirectional):
        yield begin + "forward/", settings["layer"]
        yield begin + "backward/", settings.get("backward_layer") or settings["layer"]
    elif isinstance(layer, keras_layers.LAYERS["MultiHeadAttention"]):
        for part in ("query", "key", "value", "attention_output"):
            yield f"{begin}{part}/", layer
    elif isinstance(settings.get("cell"), keras_layers.Layer):
        yield begin, settings["cell"]
    elif isinstance(settings.get("layer"), keras_layers.Layer):
        yield from _parts(settings["layer"], begin, False)


def of_weights(layers, ending, wanted):
    """The settings whose names end so, as `wanted`, by the names that weights have."""
    found = {}
    for begin, layer in parts(layers):
        for key, value in getattr(layer, "settings", {}).items():
            if key.endswith(ending) and wanted(value):
                kind = key[:-len(ending)]
                found[begin + kind] = found[f"{begin}{kind}_kernel"] = value
    return found


def initialise_own(layers, store, before):
    """Gives variables their first values by initialisers of the script's own, but for those that were there `before`."""
    own = of_weights(layers, "_initializer", keras_initializers.is_own)
    for name in own.keys() & set(store.names()) - set(before):
        array = store.get(name)
        store.set(name, keras_initializers.first_values(own[name], array.shape, array.dtype, name).astype(array.dtype))
