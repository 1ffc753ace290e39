# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of models whose extents are open beside that of the batch, as Input((None,)) makes them: a program is of those of the data that it
takes, and what is said of shapes before is open where it follows from them."""
import contextlib

_TRIALS = (64, 96)  # extents, where only weights or shapes are asked for
_trial = _TRIALS[0]


def is_open(layer):
    """Whether an input leaves extents open, beside that of the batch."""
    return None in layer.first_shape[1:]


def closed(layer):
    """The shape of an input for the engine: with the extents of the data that it takes, else such as would do."""
    taken = vars(layer).get("extents_") or [_trial] * len(layer.first_shape)
    return [layer.first_shape[0], *(taken[i] if extent is None else extent for i, extent in enumerate(layer.first_shape[1:]))]


def close(model, shapes):
    """From here on programs of a model are of data of these shapes; gives them where they count."""
    inputs = [each.layer for each in model.inputs or ()]
    if len(inputs) > len(shapes) or not any(map(is_open, inputs)):
        return ()
    for layer, shape in zip(inputs, shapes):
        layer.extents_ = [int(each) for each in shape]
    return tuple(map(tuple, shapes[:len(inputs)]))


@contextlib.contextmanager
def _tried(layers, extent):
    global _trial
    before, _trial = _trial, extent
    kept = [vars(layer).pop("extents_", None) for layer in layers]
    try:
        yield
    finally:
        _trial = before
        for layer, extents in zip(layers, kept):
            layer.extents_ = extents


def merged(layers, shapes):
    """What `shapes` gives, a list of shapes that the engine works out, open where they follow from open extents of these inputs."""
    return tried(any(map(is_open, layers)), shapes, layers)


def trial():
    """The extent that stands for an open one now."""
    return _trial


def tried(has_open, shapes, layers=()):
    """The same of shapes that follow from trial()."""
    if not has_open:
        return shapes()
    found = []
    for extent in _TRIALS:
        with _tried(layers, extent):
            found.append(shapes())
    return [tuple(a if a == b else None for a, b in zip(*pair)) for pair in zip(*found)]


def check_weights(layers, counts):
    """Errors: ValueError where the weights of a layer follow from an open extent. `counts`: gives (layer, how many weights it has)."""
    if not any(map(is_open, layers)):
        return
    tried = []
    for extent in _TRIALS:
        with _tried(layers, extent):
            tried.append(counts())
    for (name, count), (_, other) in zip(*tried):
        if count != other:
            raise ValueError(f"The weights of the layer {name} follow from an extent that an Input leaves open: the last dimension of its inputs "
                             "should be defined. Found `None`.")
