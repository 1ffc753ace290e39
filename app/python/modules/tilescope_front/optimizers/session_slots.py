# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine keeps of each variable for an optimiser of tf.train, as variables of the graph: sessions read and set them between
the steps."""
import numpy as np

from .. import errors, failures
from . import hyper, slots
from ..tensors import graph
from ..tracing import graph_variables, model_weights, variable_scopes

# By the names that TensorFlow has for them, in the order of their making, those of the engine.
_KINDS = {"MomentumOptimizer": {"momentum": "momentum"}, "AdamOptimizer": {"m": "m", "v": "v"},
          "RMSPropOptimizer": {"rms": "rms", "mg": "mg", "momentum": "momentum"}, "AdagradOptimizer": {"accumulator": "accumulator"},
          "AdadeltaOptimizer": {"accum": "accum_grad", "accum_update": "accum_var"},
          "FtrlOptimizer": {"accum": "accumulator", "linear": "linear"}}


# What it has once for all variables: by name, the setting of which each update makes a power more.
_POWERS = {"AdamOptimizer": {"beta1_power": "beta1", "beta2_power": "beta2"}}


def updates(optimizer, updated):
    """Takes that the engine updates variables by an optimiser in this graph; what is kept of them is among its variables from here on."""
    here = graph.current().outermost()
    own, new = optimizer.__dict__.setdefault("updated_by_engine_", {}).setdefault(id(here), []), []
    for each in updated:
        if is_of_session(each) and not any(_same(each, other) for other in own):
            own.append(each)
            new.append(each)
    if new and id(here) not in optimizer.__dict__.setdefault("powers_", {}):
        optimizer.powers_[id(here)] = [Power(optimizer, *each) for each in _of_class(optimizer, _POWERS).items()]
    for variable in new:
        for name in kinds_of(optimizer):
            slot(optimizer, variable, name)


def updated_by(optimizer):
    """The variables of this graph that the engine updates by it."""
    return optimizer.__dict__.get("updated_by_engine_", {}).get(id(graph.current().outermost()), [])


def is_of_session(variable):
    """Whether sessions keep a variable: one of the graph, or a weight of a layer that is called in it."""
    here = graph.current().outermost()
    return isinstance(variable, graph_variables.GraphVariable) or isinstance(variable, model_weights.Variable) and not (
        here.of_program or here.of_tape or graph.executing_eagerly())


def _same(one, other):
    return one is other or isinstance(one, model_weights.Variable) and isinstance(other, model_weights.Variable) and one == other


class Kept(graph_variables.GraphVariable):
    """A variable that the engine has. In a program it is not read."""

    def __init__(self, optimizer, name, dims, dtype, first):
        here = graph.current().outermost()
        with here.as_default(), here.with_(device="", shard=-1, prefix="", control=(), guards=()):
            super().__init__(name, dims, dtype, first, False, True)
        self.count = f"{slots.label_of(optimizer)}/iterations"  # of updates, where the engine counts them

    def _of_host(self, read):
        if graph.current().of_program:
            raise failures.refused(f"{self.name} within a program", "the engine keeps the slots of optimizers: read them between the steps, "
                                   "with session.run(optimizer.get_slot(…))")
        with graph.current().with_(device=""):
            return read()

    def tensor_of_variable(self):
        return self._of_host(super().tensor_of_variable)

    def read_in_order(self):
        return self._of_host(super().read_in_order)


class Slot(Kept):
    """What is kept of one variable, by the name that the engine has for it."""

    def __init__(self, optimizer, variable, kind, first):
        above = variable_scopes.get_variable_scope().name  # a scope around the update comes before that of the variable
        name = variable_scopes.numbered(f"{variable.name.partition(':')[0]}/{optimizer.get_name()}", above)
        super().__init__(optimizer, f"{above}/{name}" if above else name, variable.dims, variable.dtype, np.full(variable.dims, first))
        self.key = f"{slots.label_of(optimizer)}/{variable.key}/{kind}"


class Power(Kept):
    """What Adam corrects its averages by: a beta to the power of the updates so far and one, as the engine has counted them."""

    def __init__(self, optimizer, name, setting):
        self.beta = np.float32(hyper.number_of(setting, optimizer.settings[setting]))
        name = variable_scopes.numbered(graph.current().prefix + name)
        super().__init__(optimizer, name, (), graph.DEFAULT, self.beta)

    def of_count(self, count):
        return np.float32(float(self.beta) ** (float(count) + 1))

    def count_of(self, power):
        """Errors: InvalidArgumentError where it is no power of the beta."""
        count = max(round(np.log(power) / np.log(float(self.beta))) - 1, 0) if 0 < power < 1 else 0
        if not np.isclose(self.of_count(count), power, rtol=1e-4, atol=1e-30):
            raise errors.InvalidArgumentError(message=f"{self.name} is {self.beta} to the power of the updates that the engine has counted, "
                                              f"which {power} is not")
        return count


def _of_class(optimizer, table):
    return next((table[each.__name__] for each in type(optimizer).__mro__ if each.__name__ in table), {})


def kinds_of(optimizer):
    """{name: the engine's} of what it keeps of each variable."""
    kinds = _of_class(optimizer, _KINDS)
    lacking = [name for name, setting in (("mg", "centered"), ("momentum", "momentum")) if optimizer.settings.get(setting, True) in (0, False)]
    return {name: own for name, own in kinds.items() if name not in lacking}


def slot(optimizer, variable, name):
    """A variable of the graph; None for what it does not keep, as before the first update."""
    kinds = kinds_of(optimizer)
    if not any(_same(variable, each) for each in updated_by(optimizer)):
        return None
    if name == "momentum" and name not in kinds and name in _of_class(optimizer, _KINDS):
        raise failures.refused(f"{type(optimizer).__name__}.get_slot('momentum') where the momentum is 0", "the engine keeps none then")
    made = optimizer._slots_of()
    key = (variable.key, name, id(graph.current().outermost()))
    if name in kinds and key not in made:
        first = {"rms": 1.0, "accumulator": optimizer.settings.get("initial_accumulator_value")}.get(kinds[name], 0.0)
        made[key] = Slot(optimizer, variable, kinds[name], first)
    return made.get(key)


def all_of(optimizer):
    """All of them in this graph, by name."""
    here = graph.current().outermost()
    made = optimizer.__dict__.get("powers_", {}).get(id(here), []) + list(optimizer._slots_of().values())
    return sorted((each for each in made if each.graph is here), key=lambda each: each.name)
