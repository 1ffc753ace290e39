# SPDX-License-Identifier: GPL-3.0-or-later
"""TensorFlow 1's initialisers, and the values that they give, which come from the engine."""
import json

import numpy as np

from .. import failures, host
from ..dtypes import TensorShape, as_dtype, float32
from ..tensors import draws, graph


class Initializer:
    """One of Keras' initialisers, by class and settings."""

    def __init__(self, class_name, **config):
        self.class_name, self.config = class_name, config

    def get_config(self):
        return dict(self.config)

    def document(self):
        return {"class_name": self.class_name, "config": self.config}

    def __call__(self, shape, dtype=float32, partition_info=None):
        return graph.EagerTensor(first_values(self, tuple(TensorShape(shape)), as_dtype(dtype),
                                              values_name(self.class_name, self.config)))


def array_of(initializer):
    """The values of a Constant that is more than one number; else None."""
    config = getattr(initializer, "config", None) or getattr(initializer, "settings", None) or {}
    value = config.get("value")
    return None if value is None or np.ndim(value) == 0 else np.asarray(value)


def values_name(class_name, config):
    """The name of what an initialiser gives that is called: with a seed the same each time."""
    return class_name if config.get("seed") is not None else f"{class_name}_{draws.name()}"


def first_values(initializer, shape, dtype, name):
    array = array_of(initializer)
    if array is not None:
        if array.size != np.prod(shape, dtype=int):
            raise ValueError(f"an initializer of {array.size} values cannot give a variable of shape {list(shape)}: {name}")
        return array.reshape(shape).astype(dtype.as_numpy_dtype)
    seed = graph.current().seed if graph.current().seed is not None else 1
    made = host.run().initial_values(json.dumps(initializer.document()), dtype.in_engine, list(shape), seed, name)
    return made.astype(dtype.as_numpy_dtype, copy=False)


def _initializer(class_name, **defaults):
    def make(*args, **kwargs):
        failures.check_arguments(f"{class_name}()", kwargs, [*defaults, "seed", "dtype"])
        given = dict(zip(defaults, args))
        given.update({k: v for k, v in kwargs.items() if k in defaults or k == "seed"})
        return Initializer(class_name, **{**defaults, **{k: v for k, v in given.items() if k != "dtype"}})
    make.__name__ = class_name
    make.makes_initializer = True
    return make


INITIALIZERS = {
    "zeros": _initializer("Zeros"), "ones": _initializer("Ones"), "constant": _initializer("Constant", value=0),
    "random_uniform": _initializer("RandomUniform", minval=0.0, maxval=1.0),
    "random_normal": _initializer("RandomNormal", mean=0.0, stddev=1.0),
    "truncated_normal": _initializer("TruncatedNormal", mean=0.0, stddev=1.0),
    "variance_scaling": _initializer("VarianceScaling", scale=1.0, mode="fan_in", distribution="truncated_normal"),
    "orthogonal": _initializer("Orthogonal", gain=1.0), "glorot_uniform": _initializer("GlorotUniform"),
    "glorot_normal": _initializer("GlorotNormal"), "he_normal": _initializer("HeNormal"),
    "he_uniform": _initializer("HeUniform"), "lecun_normal": _initializer("LecunNormal"),
    "lecun_uniform": _initializer("LecunUniform")}
