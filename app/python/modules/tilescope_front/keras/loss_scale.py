# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.mixed_precision.LossScaleOptimizer: gradients of the loss times a scale, over it. A dynamic scale doubles after some updates
of finite gradients, and is halved where one is not finite; that update does not hold. All of it is part of the program."""
import numpy as np

from . import parts as keras_parts
from .. import configured, names
from ..operations import elementary as operations
from ..tracing import gradients
from ..tensors import graph
from ..optimizers import own_updates
from ..optimizers.hyper import hidden
from .parts import Optimizer

FIRST, GROWTH, FACTOR = 2.0**15, 2000, 2.0


class LossScaleOptimizer(Optimizer):
    """An optimiser around another one."""

    parameters = "inner_optimizer, dynamic=True, initial_scale=None, dynamic_growth_steps=None"
    is_python = True

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        s = self.settings
        self.inner, self._scale, self._counter = s["inner_optimizer"], None, None
        if not isinstance(self.inner, Optimizer) or isinstance(self.inner, LossScaleOptimizer):
            raise TypeError(f'"inner_optimizer" must be an instance of `tf.keras.optimizers.Optimizer`, but got: {self.inner}.')
        if not s["dynamic"]:
            if s["initial_scale"] is None:
                raise ValueError('"initial_scale" must be specified if "dynamic" is False')
            if s["dynamic_growth_steps"] is not None:
                raise ValueError(f'"dynamic_growth_steps" must be None if "dynamic" is False, but got: {s["dynamic_growth_steps"]}')
            return
        s["initial_scale"] = FIRST if s["initial_scale"] is None else float(s["initial_scale"])
        s["dynamic_growth_steps"] = GROWTH if s["dynamic_growth_steps"] is None else int(s["dynamic_growth_steps"])
        if own_updates.is_own(self.inner):
            from .. import failures
            raise failures.refused(f"LossScaleOptimizer(dynamic=True) of {type(self.inner).__name__}, which updates variables itself", "give "
                                   "dynamic=False, or use an optimizer of Keras")
        self._scale, self._counter = hidden("current_loss_scale", s["initial_scale"], np.float32), hidden("good_steps", 0, np.int32)
        self.inner.__dict__.setdefault("taken_back_", hidden("updates_taken_back", 0, np.int32))

    inner_optimizer = property(lambda self: self.inner)
    dynamic = property(lambda self: self._scale is not None)
    initial_scale = property(lambda self: float(self.settings["initial_scale"]))
    loss_scale = property(lambda self: graph.convert(self._scale) if self.dynamic else self.initial_scale)
    dynamic_counter = property(lambda self: self._counter)
    dynamic_growth_steps = property(lambda self: self.settings["dynamic_growth_steps"])
    learning_rate = lr = property(lambda self: self.inner.learning_rate, lambda self, value: setattr(self.inner, "learning_rate", value))
    iterations = property(lambda self: self.inner.iterations)

    def __getattr__(self, name):
        settings = self.__dict__.get("settings", {})
        return getattr(self.__dict__["inner"], name) if "inner" in self.__dict__ and name not in settings else super().__getattr__(name)

    def variables(self):
        return self.inner.variables()

    weights = property(variables)

    def get_weights(self):
        return self.inner.get_weights()

    def set_weights(self, weights):
        self.inner.set_weights(weights)

    def workload(self):
        return {"name": type(self).__name__, "scale": self.initial_scale, "of": self.inner.workload()}

    def get_config(self):
        return {"inner_optimizer": configured.plain(self.inner), "dynamic": self.dynamic, "initial_scale": self.initial_scale,
                "dynamic_growth_steps": self.dynamic_growth_steps}

    def get_scaled_loss(self, loss):
        if callable(loss) and not hasattr(loss, "dims"):
            return lambda: self.get_scaled_loss(loss())
        loss = graph.convert(loss)
        return operations.multiply(loss, operations.cast(self.loss_scale, loss.dtype))

    def get_unscaled_gradients(self, grads):
        return [each if each is None else operations.divide(each, operations.cast(self.loss_scale, each.dtype)) for each in grads]

    def get_gradients(self, loss, params):
        return self.get_unscaled_gradients(gradients.gradients_of(self.get_scaled_loss(loss), list(params)))

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        if not self.dynamic or not pairs:
            return self.inner.apply_gradients(pairs, name, experimental_aggregate_gradients)
        finite = _all_finite([gradient for gradient, _ in pairs])
        scale_before = self._scale.read_value()
        if graph.executing_eagerly():
            if bool(finite):
                self.inner.apply_gradients(pairs, name, experimental_aggregate_gradients)
            return self._scale_anew(finite, scale_before, eager=True)

        def apply():
            with gradients.exchanged(holds=graph.symbolic(finite), holds_by=[gradient for gradient, _ in pairs]):
                update = self.inner.apply_gradients(pairs, name, experimental_aggregate_gradients)
            self._scale_anew(finite, scale_before)
            return update
        exchange = own_updates.exchange_of(self.inner, experimental_aggregate_gradients)
        return own_updates.by_assignments(pairs, apply, exchange) if own_updates.is_of_many(exchange) else apply()

    def _scale_anew(self, finite, scale, eager=False):
        """As keras.mixed_precision does after an update that holds where `finite`."""
        good = operations.add(self._counter.read_value(), 1)
        grows = operations.greater_equal(good, self.dynamic_growth_steps)
        grown = operations.multiply(scale, FACTOR)
        grown = operations.where(operations.MATH["less_equal"](grown, float(np.finfo(np.float32).max)), grown, scale)  # while it is finite
        less = operations.maximum(operations.divide(scale, FACTOR), 1.0)
        self._scale.assign(operations.where(finite, operations.where(grows, grown, scale), less))
        self._counter.assign(operations.where(operations.logical_and(finite, operations.MATH["logical_not"](grows)), good,
                                              operations.zeros_like(good)))
        if not eager:  # where the host counts the update in any case
            back = self.inner.__dict__["taken_back_"]
            back.assign(operations.add(back.read_value(), operations.cast(operations.MATH["logical_not"](finite), "int32")))

    def update(self, loss):
        from ..tf1 import train as train_1
        found = train_1.Optimizer.compute_gradients(self, self.get_scaled_loss(loss))
        pairs = [(gradient, variable) for gradient, variable in found if gradient is not None]
        return self.apply_gradients(list(zip(self.get_unscaled_gradients([each for each, _ in pairs]), (each for _, each in pairs))))

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        tape, scaled, listed = keras_parts.recorded(loss, var_list, tape, self.get_scaled_loss)
        return self.apply_gradients(list(zip(self.get_unscaled_gradients(tape.gradient(scaled, listed, grad_loss)), listed)))


def _all_finite(tensors):
    """Whether all numbers of all tensors are: 0 times each of them is 0 then, and no number else."""
    found = [operations.reduce_sum(operations.multiply(operations.cast(each, "float32"), 0.0)) for each in tensors]
    return operations.equal(operations.add_n(found), 0.0)


class LossScaleOptimizerV1(LossScaleOptimizer):
    """keras.mixed_precision.experimental's: the scale as a number, or "dynamic"."""

    def __init__(self, optimizer, loss_scale="dynamic"):
        scale = getattr(loss_scale, "loss_scale", loss_scale)
        dynamic = scale == "dynamic"
        super().__init__(optimizer, dynamic, None if dynamic else float(scale))


def add_names():
    module = "tensorflow.keras.mixed_precision"
    names.module(module, LossScaleOptimizer=LossScaleOptimizer)
    names.module(module + ".experimental", LossScaleOptimizer=LossScaleOptimizerV1)
