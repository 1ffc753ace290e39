# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of variables from gradients that are at hand: programs of the host."""
import json
from time import perf_counter

import numpy as np

import tilescope_engine as engine

from . import hyper, own_constraints, slots
from .. import host
from ..operations import constraints
from ..tensors import graph
from ..tracing import like_named, model_weights

_updates = {}


def apply(optimizer, pairs):
    """One update of variables from gradients that are there: a program of the host."""
    models = list(dict.fromkeys(v.model for _, v in pairs if hasattr(v, "model")))
    if graph.current().of_tape:
        for _, variable in pairs:
            graph.current().replace(variable)
    workload = json.dumps(hyper.workload_now(optimizer))
    key = (id(optimizer), workload, tuple((v.key, id(getattr(v, "model", None))) for _, v in pairs))
    if key not in _updates:
        _updates[key] = _Update(optimizer, workload, pairs, models)
    slots.updates(optimizer, _updates[key].store, _updates[key].names)
    slots.take_restored(optimizer)
    _updates[key].run(pairs)
    own_constraints.apply_own_now([variable for _, variable in pairs])
    hyper.counted(optimizer, 1)


class _Update:
    """A program that takes gradients and changes variables by them."""

    def __init__(self, optimizer, workload, pairs, models):
        self.optimizer, build, updates = optimizer, host.run().graph("apply_gradients"), []
        prefixes = like_named.Prefixes()
        self.store = model_weights.common_store(models, prefixes) if models else optimizer.__dict__.setdefault("store_", engine.Weights())
        self.names = [prefixes.key_of(variable) for _, variable in pairs]
        limits = own_constraints.of_variables([variable for _, variable in pairs])
        for number, (_, variable) in enumerate(pairs):
            values = np.asarray(variable, np.float32)
            if hasattr(variable, "adopt"):
                variable.adopt(self.store)
            own = build.variable(self.names[number], values, True)
            constraints.constrain(build, own, limits[number])
            updates.append((own, build.feed(f"gradient_{number}", "float32", list(values.shape))))
        loss = build.constant("none", np.zeros((), np.float32))
        build.fetch("none", build.operation("identity", [loss], {}, "none")[0])
        build.train(loss, workload, "sum", updates, label=slots.begin(optimizer, self.store))
        document = json.dumps({"name": "apply_gradients", "seed": 1, "device": "cpu",
                               "graph": {"nodes": [], "fetches": ["none"]}})
        self.program = host.run().load_graph(build, document, 1, 1, "", [], False, weights=self.store)
        self.runs = 0

    def run(self, pairs):
        begun = perf_counter()
        self.program.step(self.runs, [np.asarray(gradient, np.float32) for gradient, _ in pairs])
        seconds = self.program.end_execution(0, self.runs, 1, [])
        self.runs += 1
        host.passed(perf_counter() - begun, seconds)
