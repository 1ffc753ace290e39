# SPDX-License-Identifier: GPL-3.0-or-later
"""What metrics of Keras keep between updates, as variables by Keras' names."""
import numpy as np

from .. import failures
from ..tensors import graph
from ..tracing.variable_base import HostVariable


class Kept(HostVariable):
    """A number of a metric, or its counts, as a variable: kept_value() gives and keep_value() takes them."""

    trainable = False

    def __init__(self, metric, kept):
        self.metric, self.kept = metric, kept

    name = property(lambda self: self.kept + ":0")
    key = property(lambda self: f"{self.metric.name}/{self.kept}")
    dims = property(lambda self: self.first_values().shape)
    dtype = property(lambda self: graph.as_dtype("float32"))

    def first_values(self):
        return np.asarray(self.metric.kept_value(self.kept), np.float32)

    def put(self, value):
        self.metric.keep_value(self.kept, np.asarray(value, np.float32))

    def tensor_of_variable(self):
        if not graph.values_at_hand():
            raise failures.refused(f"{self.metric.name}.{self.kept} in a step or a compiled function", "use result() of the metric")
        return graph.EagerTensor(self.first_values())

    def __eq__(self, other):
        return super().__eq__(other) if not isinstance(other, Kept) else (self.metric is other.metric and self.kept == other.kept)

    def __hash__(self):
        return hash((id(self.metric), self.kept))


def of(metric):
    """The variables of a metric: what it keeps itself, and what add_weight() made."""
    return [*(Kept(metric, each) for each in metric.kept_names()), *metric.__dict__.get("variables_", ())]


def set_values(metric, values):
    """Errors: ValueError where they do not fit."""
    from . import model as keras_model
    keras_model.set_all(of(metric), values, metric.name)
