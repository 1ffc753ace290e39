# SPDX-License-Identifier: GPL-3.0-or-later
"""Automatic loss scaling: keras.ipu.optimizers.ALSOptimizer. The loss is scaled before it is differentiated, by a factor that
grows while few gradients of float16 are beyond an edge, and shrinks else. All of it is part of the program."""
import numpy as np

from .. import failures, host
from ..operations import elementary as operations
from ..tracing import gradients
from ..tensors import graph
from ..tracing.functions import EagerVariable
from .layers import LAYERS, Layer
from .parts import Optimizer
from ..structure import flatten
from ..tracing.owner import owner

_NAMES = ("initial_loss_scaling_factor=1, update_frequency=8, increase_factor=2, max_loss_scaling_factor=32768, "
          "accumulate_statistics_over_update_period=True, ratio_threshold=1e-5, captured_grads_only=False, lpf_alpha=0.0, "
          "histogram_bin_edge=8192")


def _need_powers_of_two(settings, *names):
    for name in names:
        value = int(settings[name])
        if value != settings[name] or value < 1 or value & (value - 1):
            raise ValueError(f"{name} must be a power of two")


def _state(name, value, dtype):
    return EagerVariable(np.asarray(value, dtype), trainable=False, name=name)


class ALSOptimizer(Optimizer):
    """An optimiser around another one."""

    parameters = f"opt, {_NAMES}, name='ALSOptimizer'"
    is_python = True

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        s = self.settings
        _need_powers_of_two(s, "initial_loss_scaling_factor", "increase_factor", "max_loss_scaling_factor")
        if s["initial_loss_scaling_factor"] * s["increase_factor"] >= s["max_loss_scaling_factor"]:
            raise ValueError("initial_loss_scaling_factor x increase_factor must be less than max_loss_scaling_factor")
        if s["update_frequency"] <= 0:
            raise ValueError("update_frequency must be nonzero and positive")
        if not 0 < s["ratio_threshold"] < 1:
            raise ValueError("ratio_threshold must be greater than zero and less than one")
        self.opt = s["opt"]
        self._hist = _state("gradient_histogram", [0, 0], np.float32)
        self._n = _state("lsf_update_counter", 0, np.int32)
        self._lsf = _state("loss_scaling_factor", s["initial_loss_scaling_factor"], np.float32)
        self._prev_lsf = _state("prev_loss_scaling_factor", s["initial_loss_scaling_factor"], np.float32)

    learning_rate = property(lambda self: self.opt.learning_rate,
                             lambda self, value: setattr(self.opt, "learning_rate", value))
    lr = learning_rate
    histogram = property(lambda self: graph.convert(self._hist))
    loss_scaling_factor = property(lambda self: graph.convert(self._lsf))
    previous_loss_scaling_factor = property(lambda self: graph.convert(self._prev_lsf))
    update_counter = property(lambda self: graph.convert(self._n))
    decrease_factor = property(lambda self: 1.0 / self.settings["increase_factor"])

    def __getattr__(self, name):
        settings = self.__dict__.get("settings", {})
        if name in settings:
            return settings[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def normalized_histogram(self):
        total = operations.reduce_sum(self._hist)
        return operations.divide(self._hist, operations.maximum(total, 1.0))

    def workload(self):
        return {"name": type(self).__name__, "of": self.opt.workload(),
                **{key: value for key, value in self.settings.items() if key not in ("opt", "name")}}

    def get_scaled_loss(self, loss):
        loss = graph.convert(loss)
        return operations.multiply(operations.cast(self._lsf, loss.dtype), loss)

    def get_gradients(self, loss, params):
        return self.opt.get_gradients(self.get_scaled_loss(loss), params)

    def update(self, loss):
        """The update of a model that is being traced."""
        from ..tf1 import train as train_1
        if owner().accumulation > 1:
            host.tell_once("tilescope: note: ALSOptimizer counts the gradients of each micro-batch, and scales anew between them; on "
                           "hardware, those that are accumulated")
        scaled = self.get_scaled_loss(loss)
        marked = getattr(graph.current(), "captured", {})
        captured = dict(zip(marked, gradients.raw_gradients(scaled, list(marked.values()), "zeros"))) if marked else None
        return self.apply_gradients(train_1.Optimizer.compute_gradients(self, scaled), captured)

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        if callable(loss):
            raise failures.refused(f"{type(self).__name__}.minimize() of a function", "give it the loss and the tape")
        if tape is not None:
            with tape:
                loss = self.get_scaled_loss(loss)
        return super().minimize(loss, var_list, grad_loss, name, tape)

    def apply_gradients(self, grads_and_vars, captured_grads=None, name=None, experimental_aggregate_gradients=True):
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        lsf = self._lsf.read_value()
        unscaled = [(operations.divide(gradient, operations.cast(lsf, gradient.dtype)), variable) for gradient, variable in pairs]
        due = self._is_due()
        for gradient, _ in pairs:
            self._count([] if self.settings["captured_grads_only"] else [gradient], due)
        self._scale_anew(lsf, due, self._captured(captured_grads))
        return self.opt.apply_gradients(unscaled)

    @staticmethod
    def _captured(given):
        return flatten(dict(given)) if given else []

    def _is_due(self):
        frequency = self.settings["update_frequency"]
        n = self._n.read_value()
        if frequency == 1:
            return operations.equal(n, n)
        return operations.logical_and(operations.greater(n, 0), operations.equal(operations.floormod(n, int(frequency)), 0))

    def _counts(self, gradient):
        """How many of its numbers are below the edge and how many are not; none of another type than float16."""
        edge = float(self.settings["histogram_bin_edge"])
        beyond = operations.cast(operations.greater_equal(operations.abs_(operations.cast(gradient, "float32")), edge), "float32")
        count = operations.reduce_sum(beyond)
        return operations.stack([operations.subtract(float(np.prod(gradient.dims)), count), count])

    def _counted(self, hist, found, due):
        """The histogram with what is to be counted now."""
        made = hist
        for each in found:
            if each.dtype.name == "float16":
                made = operations.add(made, self._counts(each))
        if self.settings["accumulate_statistics_over_update_period"] or made is hist:
            return made
        return operations.where(due, made, hist)

    def _count(self, found, due):
        self._keep(self._counted(self._hist.read_value(), found, due), self._hist.read_value())

    def _keep(self, hist, before):
        alpha = float(self.settings["lpf_alpha"])
        if alpha:
            hist = operations.add(operations.multiply(before, alpha), operations.multiply(hist, 1 - alpha))
        self._hist.assign(hist)

    def _scale_anew(self, lsf, due, captured):
        s, before = self.settings, self._hist.read_value()
        hist = self._counted(before, captured, due)
        factor, n = float(s["increase_factor"]), self._n.read_value()
        ratio = operations.divide(hist[1], operations.maximum(operations.reduce_sum(hist), 1.0))  # 0 where nothing was counted
        found = operations.where(operations.greater(ratio, float(s["ratio_threshold"])), operations.divide(lsf, factor),
                                 operations.multiply(lsf, factor))
        fits = operations.logical_and(operations.less(found, float(s["max_loss_scaling_factor"])),
                                      operations.greater_equal(found, 1.0))
        made = operations.where(operations.logical_and(due, fits), found, lsf)
        previous = operations.where(operations.not_equal(made, lsf), lsf, self._prev_lsf.read_value())
        alpha = float(s["lpf_alpha"])
        mixed = hist if not alpha else operations.add(operations.multiply(before, alpha), operations.multiply(hist, 1 - alpha))
        self._hist.assign(operations.where(due, operations.zeros_like(hist), mixed))
        self._n.assign(operations.where(due, operations.zeros_like(n), operations.add(n, 1)))
        self._lsf.assign(made)
        self._prev_lsf.assign(previous)

    def reset(self):
        self._hist.assign(np.zeros(2, np.float32))
        self._n.assign(np.int32(0))
        self._lsf.assign(np.float32(self.settings["initial_loss_scaling_factor"]))


class GradientAccumulationOptimizer(Optimizer):
    """keras.ipu.optimizers': an update after each `num_mini_batches` steps of a loop."""

    parameters = ("opt, num_mini_batches, offload_weight_update_variables=None, replicated_optimizer_state_sharding=False, "
                  "dtype=None, reduction_method='sum', name='GradientAccumulationOptimizer'")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        s = self.settings
        if s["num_mini_batches"] < 1:
            raise ValueError(f"num_mini_batches must be a positive number, got {s['num_mini_batches']}.")
        self.opt = s["opt"]
        self.exchange = {"accumulation": int(s["num_mini_batches"]),
                         "reduction": getattr(s["reduction_method"], "name", str(s["reduction_method"])).lower(),
                         "places": gradients.state_places(s["offload_weight_update_variables"],
                                                          s["replicated_optimizer_state_sharding"])}

    learning_rate = ALSOptimizer.learning_rate

    def workload(self):
        return {"name": type(self).__name__, "of": self.opt.workload()}

    def update(self, loss):
        raise failures.refused(f"keras.ipu.optimizers.{type(self).__name__} in Model.compile()",
                               "use set_gradient_accumulation_options()")

    is_python = True

    def get_gradients(self, loss, params):
        return self.opt.get_gradients(loss, params)

    def apply_gradients(self, grads_and_vars, captured_grads=None, name=None, experimental_aggregate_gradients=True):
        more = {"captured_grads": captured_grads} if captured_grads else {}
        with gradients.exchanged(**self.exchange):
            return self.opt.apply_gradients(grads_and_vars, **more)


class ALSGradientAccumulationOptimizer(GradientAccumulationOptimizer):
    """The same of an ALSOptimizer, which counts the gradients of each mini-batch."""

    def __init__(self, als_optimizer, num_mini_batches, **settings):
        if not isinstance(als_optimizer, ALSOptimizer):
            raise ValueError("ALSGradientAccumulationOptimizer can only be used with instances of ALSOptimizer.")
        super().__init__(als_optimizer, num_mini_batches, **settings)

    def __getattr__(self, name):
        return getattr(self.__dict__["opt"], name)


class CaptureUpstreamGradients(Layer):
    """keras.ipu.layers': a layer whose output's gradient an ALSOptimizer counts."""

    ending = "cug"

    def __init__(self, layer, tag=None):
        super().__init__(name=tag or f"{layer.name}_{self.ending}")
        self.layer = layer

    def call(self, inputs, training=None):
        return self._captured_output(self.layer(inputs))

    def _captured_output(self, tensor):
        graph.current().__dict__.setdefault("captured", {})[self.name] = tensor
        return tensor


class CaptureActivationGradients(CaptureUpstreamGradients):
    """The same of what the layer's activation takes."""

    ending = "cag"

    def __init__(self, layer, tag=None):
        activation = layer.settings.get("activation")
        if activation is None or "recurrent_activation" in layer.settings:
            raise ValueError(f"Layer {layer.name} does not use an activation function so is not supported by "
                             "keras.ipu.layers.CaptureActivationGradients")
        super().__init__(layer, tag)
        layer.settings["activation"] = None
        self.activation = LAYERS["Activation"](activation, dtype=layer.policy_)

    def call(self, inputs, training=None):
        return self.activation(self._captured_output(self.layer(inputs)))


LAYER_NAMES = {each.__name__: each for each in (CaptureUpstreamGradients, CaptureActivationGradients)}
NAMES = {each.__name__: each for each in (ALSOptimizer, GradientAccumulationOptimizer, ALSGradientAccumulationOptimizer)}
