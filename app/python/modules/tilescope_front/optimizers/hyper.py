# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts see of an optimiser as variables: its rate and other numbers, and how often it has updated."""
import itertools

import numpy as np

from .. import errors, failures
from ..tensors import graph
from ..tracing.functions import EagerVariable

NUMBERS = ("learning_rate", "momentum", "beta_1", "beta_2", "rho", "decay")  # which are variables in Keras
_TENSOR = "a tensor of a program, which changes as it runs"


class Hyper(EagerVariable):
    """A number among the settings of an optimiser, which may be assigned between programs."""

    def __init__(self, optimizer, name):  # pylint: disable=super-init-not-called
        self.optimizer, self.setting = optimizer, name
        self.store, self.own, self.trainable, self.shaped = None, np.zeros((), np.float32), False, True
        self.key, self.name, self.resource = name, name + ":0", True

    array = property(lambda self: np.asarray(self.optimizer.settings[self.setting], np.float32),
                     lambda self, value: self.optimizer.settings.update({self.setting: float(value)}))

    def adopt(self, store):
        """It is the optimiser's."""

    def tensor_of_variable(self):
        return graph.EagerTensor(self.array)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        value = graph.convert(value, like=self)
        if not graph.values_at_hand() or (graph.is_symbolic(value) and not value.graph.of_tape):
            raise failures.refused(f"assign() to {self.setting} of an optimizer within a step or a compiled function",
                                   "assign it between the steps, in a callback, or give the optimizer a tf.Variable as its rate")
        return super().assign(value)


class Iterations(EagerVariable):
    """How often an optimiser has updated."""

    def __init__(self, optimizer):  # pylint: disable=super-init-not-called
        self.optimizer = optimizer
        self.store, self.own, self.trainable, self.shaped = None, np.zeros((), np.int64), False, True
        self.key, self.name, self.resource = "iter", "iter:0", True

    array = property(lambda self: np.asarray(self.optimizer.__dict__.get("updates", 0) - _taken_back(self.optimizer), np.int64))

    def tensor_of_variable(self):
        from . import own_updates
        if not graph.values_at_hand() and own_updates.is_own(self.optimizer):
            return count_of(self.optimizer)
        if not graph.values_at_hand():
            raise failures.refused("optimizer.iterations within a step or a compiled function",
                                   "count the steps in a tf.Variable, or use a schedule of keras.optimizers.schedules")
        return graph.EagerTensor(self.array)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        raise failures.refused("assign() to optimizer.iterations", "make a new optimizer, which begins at 0")


def scheduled(optimizer, schedule):
    """The rate that a schedule of the script's own makes of the updates so far, which the program counts; as in Keras they are a float."""
    from ..operations import elementary as operations
    return graph.symbolic(operations.cast(schedule(operations.cast(count_of(optimizer), "float32")), "float32"))


def count_of(optimizer):
    """The updates so far, in a program."""
    name = optimizer.__dict__.setdefault("count_", f"{type(optimizer).__name__.lower()}/updates_{next(_numbers)}")
    counts = graph.current().__dict__.setdefault("update_counts", {})
    if name not in counts:
        counts[name] = graph.current().add("update_count", [], {"name": name}, [("int64", ())], "iterations").outputs[0]
    return counts[name]


_numbers = itertools.count()


def workload_now(optimizer):
    """What an optimiser's workload says of its next update."""
    document, rate = optimizer.workload(), optimizer.settings.get("learning_rate")
    if getattr(rate, "computed", False):
        document["learning_rate"] = float(rate(optimizer.iterations.read_value()))
    return document


def _taken_back(optimizer):
    """How many of its updates did not hold."""
    taken_back = optimizer.__dict__.get("taken_back_")
    return 0 if taken_back is None else int(taken_back.first_values())


def may_take_back(optimizer):
    """Counts, in a program of TensorFlow 2, the updates of an optimiser of Keras that do not hold, as a branch around is not taken."""
    from . import own_updates
    from ..operations import control_flow, elementary as operations
    here = graph.current()
    if not isinstance(optimizer, own_updates.OfKeras) or not hasattr(here, "traced") or not here.guards:
        return
    counted = control_flow.counts(here)
    back = optimizer.__dict__.setdefault("taken_back_", hidden("updates_taken_back", 0, np.int32))
    with here.with_(guards=()):
        back.assign(operations.add(back.read_value(), operations.cast(operations.MATH["logical_not"](counted), "int32")))


def hidden(name, value, dtype):
    """A variable of an optimiser that is none of its weights."""
    made = EagerVariable(np.asarray(value, dtype), trainable=False, name=name)
    made.hidden = True
    return made


def set_count(optimizer, updates):
    """Takes that so many of its updates held."""
    optimizer.__dict__["updates"] = updates + _taken_back(optimizer)


def counted(optimizer, updates):
    """Takes that an optimiser, or the one that it is around, has updated so often."""
    optimizer = optimizer.__dict__.get("inner", optimizer)
    optimizer.__dict__["updates"] = optimizer.__dict__.get("updates", 0) + updates


def setting(optimizer, name):
    """A setting as scripts read it."""
    value = optimizer.settings[name]
    if name not in NUMBERS or hasattr(value, "tensor_of_variable") or not (
            isinstance(value, (int, float, np.generic, graph.EagerTensor))):
        return value
    return optimizer.__dict__.setdefault("hypers_", {}).setdefault(name, Hyper(optimizer, name))


def given(value):
    """A setting that a script gives: a value that is at hand as a number."""
    if isinstance(value, Hyper) or (isinstance(value, (graph.EagerTensor, np.generic)) or
                                    isinstance(value, graph.HostValue)):
        return float(np.asarray(value))
    return value


def number_of(name, value):
    """A setting that is known before the program runs; 1 for a learning rate that is computed."""
    value = value() if callable(value) else value
    value = graph.convert(value) if hasattr(value, "dims") else value
    if graph.is_symbolic(value):
        if value.op.kind != "constant" and name != "learning_rate":
            raise errors.UnimplementedError(message=f"the {name} of an optimizer is {value.name}, a tensor, which is not "
                                            "there under tilescope run: give a number")
        value = value.op.attributes["value"] if value.op.kind == "constant" else 1
    return bool(value) if isinstance(value, bool) else float(value)
