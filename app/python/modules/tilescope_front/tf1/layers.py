# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.layers' classes of TensorFlow 1: each is its function, whose variables are those of its first call."""
import inspect

from . import train as train_1
from .. import names
from ..tensors import graph
from ..tracing import variable_scopes


class Layer:
    """A layer that makes its variables when it is first called, and has them in all calls."""

    function, base = None, ""

    def __init__(self, *args, **kwargs):
        own = inspect.signature(self.function)
        taken = [each for name, each in own.parameters.items() if name not in ("inputs", "training", "reuse")]
        bound = own.replace(parameters=taken).bind(*args, **kwargs)
        self.settings = dict(bound.arguments)
        self.settings.update(self.settings.pop("unused", {}))
        self._parameters, self._scope, self._full = own.parameters, None, None

    def __call__(self, inputs, training=None):
        settings = dict(self.settings)
        if training is not None and "training" in self._parameters:
            settings["training"] = training
        if "reuse" not in self._parameters:
            return self.function(inputs, **settings)
        first = self._scope is None
        if first:
            self._scope, name = variable_scopes.get_variable_scope(), train_1._layer_name(self.settings.get("name"), self.base)
            self.name, self._full = name, variable_scopes.full_name(self._scope.name, name)
            variable_scopes.note_opened(self._full)
        settings["name"] = self.name
        with variable_scopes.variable_scope(self._scope):
            return self.function(inputs, reuse=self._scope.reuse if first else True, **settings)

    apply = __call__

    @property
    def variables(self):
        """Those that it has made, in the order of their making."""
        made = graph.current().outermost().variables
        return [each for name, each in made.items() if self._full is not None and name.startswith(self._full + "/")]

    weights = variables
    trainable_variables = trainable_weights = property(lambda self: [each for each in self.variables if each.trainable])

    def _weight(self, name):
        found = [each for each in self.variables if each.key == f"{self._full}/{name}"]
        if not found:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}': it is made when the layer is called")
        return found[0]

    kernel = property(lambda self: self._weight("kernel"))
    bias = property(lambda self: self._weight("bias"))
    gamma = property(lambda self: self._weight("gamma"))
    beta = property(lambda self: self._weight("beta"))


LAYERS = {kind: type(kind, (Layer,), {"function": staticmethod(train_1.LAYERS[name]), "base": name, "__doc__": f"tf.layers.{name} as a class"})
          for kind, name in (("Dense", "dense"), ("Conv2D", "conv2d"), ("MaxPooling2D", "max_pooling2d"), ("AveragePooling2D", "average_pooling2d"),
                             ("BatchNormalization", "batch_normalization"), ("Flatten", "flatten"), ("Dropout", "dropout"))}


def add_names():
    names.module("tensorflow.compat.v1.layers", LAYERS)
