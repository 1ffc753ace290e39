# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' schedules of the learning rate, and the rates that they give."""
from . import recipes
from ..configured import Configured, family
from ..identifiers import Kind


class LearningRateSchedule(Configured):
    """A rate by the number of updates so far; the engine has Keras' own, and a program computes those of the script's."""

    def __call__(self, step):
        return rate_of(self, step)

    computed = property(lambda self: type(self).__call__ is not LearningRateSchedule.__call__)

    def workload(self):
        return {"name": type(self).__name__, **{k: v for k, v in self.get_config().items() if v is not None and k != "name"}}


SCHEDULES = family(LearningRateSchedule, {
    "ExponentialDecay": "initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None",
    "PiecewiseConstantDecay": "boundaries, values, name=None",
    "PolynomialDecay": "initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None",
    "InverseTimeDecay": "initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None",
    "CosineDecay": "initial_learning_rate, decay_steps, alpha=0.0, name=None",
    "CosineDecayRestarts": "initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None"}, "Keras' schedule of the rate")
KIND = Kind("schedule", SCHEDULES)


def rate_of(schedule, step):
    """The rate of a schedule at a step, a number or a tensor."""
    numbers = {name: [float(each) for each in value] if isinstance(value, (list, tuple)) else value if isinstance(value, bool) else float(value)
               for name, value in schedule.settings.items() if name != "name" and value is not None}
    return recipes.rate(type(schedule).__name__, numbers, step)
