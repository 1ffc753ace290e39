# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which Keras lists the weights of models and layers that are Python: that in which their parts were made."""
from .layers import Layer, found
from ..tracing.variable_base import HostVariable


def _names_in(layer):
    """The names under which variables of a layer are listed, its own first."""
    yield layer.name
    for each in getattr(layer, "layers", None) or found(layer, Layer):
        yield from _names_in(each)


def places(part, path=()):
    """(path, number, name) of each layer and model with variables: in one path, what is trained comes first."""
    if not hasattr(part, "layers"):
        yield from ((path, number, name) for number, name in enumerate(_names_in(part)))
        return
    for number, layer in enumerate(part.layers):
        yield from places(layer, path + (number,))
    yield path + (len(part.layers),), 0, part.name


def names_of(part):
    return {name for _, _, name in places(part)}


def beginnings(part, before=""):
    """(layer or model, what the names of its weights begin with): the names of layers of the script's own and of models with a
    call() that call it. Models of Keras' own make their layers before they are called."""
    yield part, before
    is_model = hasattr(part, "layers")
    if is_model and not part.traced or not is_model and part.of_engine:
        before = ""
    elif not is_model or part.subclassed:
        before += part.name + "/"
    for each in part.layers if is_model else [] if part.of_engine else found(part, Layer):
        yield from beginnings(each, before)


def named(model):
    """What the names of weights begin with, by the names of their layers; variables of the script's own layers are given theirs."""
    made = {}
    for part, before in beginnings(model):
        if made.setdefault(part.name, before) is before and before:
            for each in part.own_variables():
                if each.key.startswith(part.name + "/"):
                    each.name = f"{before}{each.key}:0"
    return made


def renamed(model):
    """What parts of layers are called in Keras' names of weights, by the names of the layers."""
    return {part.name: part.renamed for part, _ in reversed(list(beginnings(model))) if getattr(part, "renamed", None)}


def in_order(model, rows):
    """(name, layer, trainable) of the variables of a model: layer by layer, and what is its own last."""
    known = {}
    for path, number, name in places(model):
        known.setdefault(name, (path, number))
    last = ((len(model.layers) + 1,), 0)
    made = {}  # the script's own, in the order of their making
    for each in found(model, HostVariable):
        made.setdefault(each.key, len(made))

    def place(row):
        path, number = known.get(row[1].split("/")[0], last)
        return path, not row[2], number, made.get(row[0], 0)
    return sorted(rows, key=place)
