# SPDX-License-Identifier: GPL-3.0-or-later
"""Indices that lie outside of what they point into: on the host they are TensorFlow's InvalidArgumentError, as on a CPU. In programs nobody
looks: there they read zeros and write nothing, as in PopLibs' multi-slice and multi-update."""
import numpy as np

from .. import errors
from ..tensors import graph


def _places(indices):
    """Their numbers, where the host has them as the operation is called; None elsewhere."""
    tensor = graph.convert(indices)
    return None if graph.is_symbolic(tensor) or not graph.values_at_hand() else tensor.value


def _first(is_outside):
    place = tuple(int(each) for each in np.argwhere(is_outside)[0])
    return place, f"[{','.join(map(str, place))}]"


def of_rows(indices, extent, name="indices", least=0, text="not in"):
    """Errors where one is less than `least`, or `extent` or more."""
    places = _places(indices)
    is_outside = None if places is None else (places < least) | (places >= extent)
    if is_outside is not None and is_outside.any():
        place, shown = _first(is_outside)
        raise errors.InvalidArgumentError(message=f"{name}{shown if place else ''} = {places[place]} is {text} [0, {extent})")


def of_blocks(indices, shape, batch=0, what="shape"):
    """Errors where the last dimension points to no block of that shape, after `batch` common dimensions."""
    places = _places(indices)
    if places is None or places.ndim == 0 or shape is None or places.shape[-1] + batch > len(shape):
        return  # which the engine tells of
    extents = np.array([np.inf if each is None else each for each in shape[batch:batch + places.shape[-1]]])
    is_outside = ((places < 0) | (places >= extents)).any(-1)
    if is_outside.any():
        place, shown = _first(is_outside)
        raise errors.InvalidArgumentError(message=f"indices{shown if place else ''} = [{', '.join(map(str, places[place]))}] does not "
                                                  f"index into {what} [{','.join(map(str, shape))}]")


def of_labels(labels, classes):
    """Errors where one is no number of a class."""
    places = _places(labels)
    is_outside = None if places is None else (places < 0) | (places >= classes)
    if is_outside is not None and is_outside.any():
        raise errors.InvalidArgumentError(message=f"Received a label value of {places[is_outside].flat[0]} which is outside the valid range of "
                                                  f"[0, {classes}).  Label values: {' '.join(map(str, places.ravel()))}")
