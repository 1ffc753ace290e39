# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call of a model takes beside its inputs: of one of layers that are connected whether it trains, and a mask; of a class of the
script's own what its call() takes."""
import contextlib
import inspect

import numpy as np

from . import traced as keras_traced
from ..operations import elementary as operations
from ..tensors import graph
from .tensors import KerasTensor
from ..structure import flatten


def _of_connected(training=None, mask=None):
    return training, mask


_of_connected.__qualname__ = "call"  # as mistakes are told


def taken(model, args, training, mask, kwargs):
    """(whether it trains, its mask, further arguments, those by name). Errors: TypeError for what a model of connected layers does not take."""
    if not model.subclassed:
        given = {"training": training, "mask": mask}
        return (*_of_connected(*args, **{name: each for name, each in given.items() if each is not None}, **kwargs), (), {})
    if mask is not None and "mask" in inspect.signature(model.call).parameters:
        mask, kwargs = None, {**kwargs, "mask": mask}
    return training, mask, args, kwargs


def connected(model, inputs, given, training, args, kwargs):
    """A call on Keras tensors, some of which may be among the further arguments."""
    if any(isinstance(each, KerasTensor) for each in flatten([list(args), kwargs])):
        inputs, args, kwargs = keras_traced.gathered(inputs, args, kwargs)
        given = flatten(inputs)
    return model.connect(inputs, given, training, args, kwargs)


def example(inputs, args, kwargs):
    """What a model of the script's own is called on, tensors among the further arguments with it."""
    if any(isinstance(each, graph.GraphTensor) for each in flatten([list(args), kwargs])):
        inputs, args, kwargs = keras_traced.gathered(inputs, args, kwargs, graph.GraphTensor)
    return keras_traced.Example([(each.dims[1:], each.dtype.as_numpy_dtype) for each in flatten(inputs)], inputs, args, kwargs)


@contextlib.contextmanager
def taken_as_example(model, inputs, args, kwargs, anew=False):
    """What a model of the script's own is called on, its first call says that comes to its end; or `anew` this one."""
    before = model.example_, model.built
    if model.example_ is None or anew:
        model.example_, model.built = example(inputs, args, kwargs), True
    try:
        yield
    except BaseException:
        model.example_, model.built = before
        raise


def _change(shape, wanted):
    """By how many axes, of one number and at the end, what is given differs from what a model of connected layers takes."""
    more = len(shape) - len(wanted)
    return more if abs(more) == 1 and (shape if more == 1 else wanted)[-1] == 1 else 0


def fitted_array(array, wanted):
    array = np.asarray(array)
    return {1: lambda: array[..., 0], -1: lambda: array[..., None], 0: lambda: array}[_change(array.shape, list(wanted))]()


def fitted(model, tensors):
    """Tensors as a model takes them."""
    if model.subclassed or len(model.inputs) != len(tensors):
        return tensors
    changes = [_change(each.dims, list(of.shape)) for each, of in zip(tensors, model.inputs)]
    return [operations.squeeze(each, [-1]) if change == 1 else operations.expand_dims(each, -1) if change else each
            for each, change in zip(tensors, changes)]
