# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' schedules of the learning rate, and the rates that they give."""
import numpy as np

from . import elementary as operations
from ..configured import Configured, family
from ..identifiers import Kind


class LearningRateSchedule(Configured):
    """A rate by the number of updates so far; the engine has Keras' own, and a program computes those of the script's."""

    def __call__(self, step):
        return rate_of(self, step, bool(self.settings.get("cycle")))

    computed = property(lambda self: type(self).__call__ is not LearningRateSchedule.__call__ or bool(self.settings.get("cycle")))

    def workload(self):
        return {"name": type(self).__name__, **{k: v for k, v in self.get_config().items()
                                                if v is not None and k not in ("name", "cycle")}}


SCHEDULES = family(LearningRateSchedule, {
    "ExponentialDecay": "initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None",
    "PiecewiseConstantDecay": "boundaries, values, name=None",
    "PolynomialDecay": "initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None",
    "InverseTimeDecay": "initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None",
    "CosineDecay": "initial_learning_rate, decay_steps, alpha=0.0, name=None",
    "CosineDecayRestarts": "initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None"}, "Keras' schedule of the rate")
KIND = Kind("schedule", SCHEDULES)


def rate_of(schedule, step, cycles=False):
    """The rate of a schedule at a step, a number or a tensor. `cycles`: a polynomial one rises again at its end."""
    ops, s = operations, schedule.settings
    t = ops.cast(step, "float32")
    kind = type(schedule).__name__
    if kind == "PiecewiseConstantDecay":
        rate = ops.constant(np.float32(s["values"][0]))
        for boundary, value in zip(s["boundaries"], s["values"][1:]):
            rate = ops.where(ops.greater(t, float(boundary)), ops.constant(np.float32(value)), rate)
        return rate
    if kind == "CosineDecayRestarts":
        return _restarting(t, s)
    share = ops.divide(t, float(s["decay_steps"]))
    share = ops.MATH["floor"](share) if s.get("staircase") else share
    first = float(s["initial_learning_rate"])
    if kind == "ExponentialDecay":
        return ops.multiply(ops.MATH["exp"](ops.multiply(share, float(np.log(s["decay_rate"])))), first)
    if kind == "InverseTimeDecay":
        return ops.divide(first, ops.add(ops.multiply(share, float(s["decay_rate"])), 1.0))
    share = ops.divide(share, ops.maximum(ops.MATH["ceil"](share), 1.0)) if cycles else ops.minimum(share, 1.0)
    if kind == "CosineDecay":
        wave = ops.add(ops.multiply(ops.MATH["cos"](ops.multiply(share, float(np.pi))), 0.5), 0.5)
        return ops.multiply(ops.add(ops.multiply(wave, 1 - float(s["alpha"])), float(s["alpha"])), first)
    end = float(s["end_learning_rate"])
    left = ops.pow_(ops.subtract(1.0, share), float(s["power"]))
    return ops.add(ops.multiply(left, first - end), end)


def _restarting(t, s):
    """A wave of first_decay_steps, then of t_mul times as many each, which begin at m_mul times the rate."""
    ops, longer = operations, float(s["t_mul"])
    at = ops.divide(t, float(s["first_decay_steps"]))
    if longer == 1:
        before = ops.MATH["floor"](at)
        at = ops.subtract(at, before)
    else:
        power = ops.add(ops.multiply(at, longer - 1), 1.0)
        before = ops.MATH["floor"](ops.divide(ops.MATH["log"](power), float(np.log(longer))))
        length = ops.pow_(longer, before)
        at = ops.divide(ops.subtract(at, ops.divide(ops.subtract(length, 1.0), longer - 1)), length)
    wave = ops.multiply(ops.add(ops.MATH["cos"](ops.multiply(at, float(np.pi))), 1.0), 0.5)
    share = ops.multiply(ops.multiply(wave, ops.pow_(float(s["m_mul"]), before)), 1 - float(s["alpha"]))
    return ops.multiply(ops.add(share, float(s["alpha"])), float(s["initial_learning_rate"]))
