# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' initialisers, and the values that they or functions of the script's own give."""
import numpy as np

from . import elementary as operations, initializers
from ..configured import Configured, family
from ..dtypes import TensorShape, as_dtype
from ..identifiers import Kind, both_cases
from ..tensors import graph


class Initializer(Configured):
    def __call__(self, shape, dtype=None, partition_shape=None, partition_offset=None):
        name = initializers.values_name(type(self).__name__, self.get_config())
        return graph.EagerTensor(initializers.first_values(self, tuple(TensorShape(shape)), as_dtype(dtype or "float32"), name))


INITIALIZERS = family(Initializer, {
    "Zeros": "", "Ones": "", "Constant": "value=0", "RandomUniform": "minval=-0.05, maxval=0.05, seed=None",
    "RandomNormal": "mean=0.0, stddev=0.05, seed=None", "TruncatedNormal": "mean=0.0, stddev=0.05, seed=None",
    "VarianceScaling": "scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None",
    "GlorotUniform": "seed=None", "GlorotNormal": "seed=None", "HeUniform": "seed=None", "HeNormal": "seed=None",
    "LecunUniform": "seed=None", "LecunNormal": "seed=None", "Orthogonal": "gain=1.0, seed=None",
    "Identity": "gain=1.0"}, "Keras' initialiser")

ALIASES = {"uniform": INITIALIZERS["RandomUniform"], "normal": INITIALIZERS["RandomNormal"],
           "zero": INITIALIZERS["Zeros"], "one": INITIALIZERS["Ones"]}
KIND = Kind("initializer", {**both_cases(INITIALIZERS), **ALIASES})


def is_own(given):
    """Whether the engine does not know an initialiser: a function or a class of the script's own, or given values."""
    if isinstance(given, initializers.Initializer):
        return initializers.array_of(given) is not None
    if isinstance(given, Initializer):
        return type(given).__call__ is not Initializer.__call__ or initializers.array_of(given) is not None
    return callable(given) and not hasattr(given, "document") and not hasattr(given, "makes_initializer") and \
        given not in INITIALIZERS.values()


def first_values(initializer, shape, dtype, name):
    """The array that an initialiser of Keras, or a function of the script's own, gives."""
    if isinstance(initializer, initializers.Initializer) or type(initializer).__call__ is Initializer.__call__:
        return initializers.first_values(initializer, shape, as_dtype(dtype), name)
    with graph.at_once():
        return np.asarray(operations.known(initializer(shape, dtype=as_dtype(dtype))))
