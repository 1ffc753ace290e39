# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine keeps of each variable for an optimiser of tf.train, as variables of the graph: sessions read and set them between
the steps."""
import numpy as np

from . import failures, graph, keras_slots, variables

# By the names that TensorFlow has for them, in the order of their making, those of the engine.
_KINDS = {"MomentumOptimizer": {"momentum": "momentum"}, "AdamOptimizer": {"m": "m", "v": "v"},
          "RMSPropOptimizer": {"rms": "rms", "mg": "mg", "momentum": "momentum"}, "AdagradOptimizer": {"accumulator": "accumulator"},
          "AdadeltaOptimizer": {"accum": "accum_grad", "accum_update": "accum_var"},
          "FtrlOptimizer": {"accum": "accumulator", "linear": "linear"}}


def updates(optimizer, updated):
    """Takes that the engine updates variables by an optimiser in this graph."""
    own = optimizer.__dict__.setdefault("updated_by_engine_", [])
    own += [each for each in updated if isinstance(each, variables.GraphVariable) and not any(each is other for other in own)]
    known = graph.current().outermost().__dict__.setdefault("optimizers", [])
    if own and not any(each is optimizer for each in known):
        known.append(optimizer)


def updated_by(optimizer):
    """The variables of this graph that the engine updates by it."""
    here = graph.current().outermost()
    return [each for each in optimizer.__dict__.get("updated_by_engine_", ()) if each.graph is here]


class Slot(variables.GraphVariable):
    """What is kept of one variable, by the name that the engine has for it."""

    def __init__(self, label, variable, kind, name, first):
        here = graph.current().outermost()
        with here.as_default(), here.with_(device="", shard=-1, prefix="", control=()):
            super().__init__(name, variable.dims, variable.dtype, np.full(variable.dims, first), False, True, None)
        self.key = f"{label}/{variable.key}/{kind}"
        self.count = f"{label}/iterations"  # of updates, where the engine counts them

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


def kinds_of(optimizer):
    """{name: the engine's} of what it keeps of each variable."""
    kinds = next((_KINDS[each.__name__] for each in type(optimizer).__mro__ if each.__name__ in _KINDS), {})
    lacking = [name for name, setting in (("mg", "centered"), ("momentum", "momentum")) if optimizer.settings.get(setting, True) in (0, False)]
    return {name: own for name, own in kinds.items() if name not in lacking}


def slot(optimizer, variable, name):
    """A variable of the graph; None for what it does not keep, as before the first update."""
    kinds = kinds_of(optimizer)
    if not any(variable is each for each in updated_by(optimizer)):
        return None
    if name == "momentum" and optimizer.settings.get("momentum") == 0:
        raise failures.refused(f"{type(optimizer).__name__}.get_slot('momentum') where the momentum is 0", "the engine keeps none then")
    made = optimizer._slots_of()
    key = (variable.key, name, id(variable.graph))
    if name in kinds and key not in made:
        number = list(kinds).index(name)
        first = {"rms": 1.0, "accumulator": optimizer.settings.get("initial_accumulator_value")}.get(kinds[name], 0.0)
        made[key] = Slot(keras_slots.label_of(optimizer), variable, kinds[name],
                         f"{variable.key}/{optimizer.get_name()}" + (f"_{number}" if number else ""), first)
    return made.get(key)


def of_graph():
    """What all optimisers of this graph keep, in the order of their making."""
    return [each for optimizer in graph.current().outermost().__dict__.get("optimizers", ()) for each in _made(optimizer)]


def all_of(optimizer):
    """All of them in this graph, by name."""
    return sorted(_made(optimizer), key=lambda each: each.name)


def _made(optimizer):
    """The same in the order of their making."""
    for variable in updated_by(optimizer):
        for name in kinds_of(optimizer):
            slot(optimizer, variable, name)
    here = id(graph.current().outermost())
    return [each for (_, _, of_graph), each in optimizer._slots_of().items() if of_graph == here]
