# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of classes of the script's own that are derived from those that the engine has."""
from .. import failures
from ..dtypes import TensorShape

WEIGHTS = {"kernel", "bias", "embeddings", "gamma", "beta", "moving_mean", "moving_variance", "depthwise_kernel",
           "pointwise_kernel", "alpha"}  # as layers of the engine call them, and Keras their attributes


class Derived:
    """What all layers have of that."""

    has_call = property(lambda self: type(self).call is not Derived.call)
    of_table = False  # whether a class is one of the engine's
    part_ = None  # the layer of the engine that one has with a call() of its own which is derived from it

    @classmethod
    def engine_class(cls):
        """The class of ours that it is of, or is derived from."""
        return next(each for each in cls.__mro__ if each.__module__.startswith("tilescope_front"))

    def call(self, inputs, training=None):
        """What the layer of the engine makes that a class of the script's own is derived from, as super().call() in its call()."""
        return self._part()(inputs, training=training) if self._is_derived() else inputs

    def _is_derived(self):
        kind = self.engine_class()
        return self.has_call and kind.of_table and kind.call is Derived.call

    def _part(self):
        if self.part_ is None:
            self.part_ = self.engine_class()(**self.settings, name=self.name, trainable=self.trainable, dtype=self.policy_)
        return self.part_

    def _build_as_told(self, given):
        """Calls build() of a class of the script's own that is derived from a layer of the engine, once. Errors: refused where it makes
        weights that the engine's layer has itself."""
        if self.built or not self.of_engine or "is_told_" in vars(self) or type(self).build.__module__.startswith("tilescope_front"):
            return
        self.is_told_ = True
        shapes = [TensorShape([None, *tuple(each.shape)[1:]]) for each in given]
        self.build(shapes[0] if len(shapes) == 1 else shapes)
        self.built = True
        for name in sorted(WEIGHTS & set(vars(self))):
            raise failures.refused(f"{type(self).__name__}.build() that makes {name} of a layer which is called as {self.engine_class().__name__}",
                                   "write its call(), too, or leave the weights to super().build()")
