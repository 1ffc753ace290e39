# SPDX-License-Identifier: GPL-3.0-or-later
"""Loss and metrics as Keras' loops show them."""
import collections

import numpy as np

from . import outputs as keras_outputs
from .. import failures


class Values:
    """Loss and metrics since the epoch began, as the last replica of an instance sees them: means, or what counts make."""

    def __init__(self, model, seen, accumulation=1):
        self.model, self.seen, self.sums, self.weight, self.indices, self.counted = model, seen, {}, 0, [], {}
        self.own = [(number, metric) for number, metric in enumerate(model.metrics_) if getattr(metric, "is_own", False)
                    and metric.__dict__.get("variables_")]
        self.names = {}  # in Keras' order, with the number of the metric that each is of
        for _, metric in self.own:
            metric.reset_state()
        self.of_update = collections.deque(maxlen=accumulation if model.accumulates_outfeed and accumulation > 1 else 0)

    def begin(self, program):
        self.counted = self.model.counted.get(id(program), {})
        self.names = _in_order(self.model, self.model.forms.get(id(program)))
        self.indices = [(i, name) for i, (name, is_mean) in enumerate(program.fetches) if is_mean or i in self.counted]
        return self.indices

    def add(self, program, replica, size):
        if replica != self.seen:
            return
        self.weight += size
        for index, name in self.indices:
            value = program.fetched(index).astype(np.float64)
            self.sums[name] = self.sums.get(name, 0.0) + (value if index in self.counted else float(value) * size)
        if self.of_update.maxlen:
            self.of_update.append(self._now())

    def logs(self):
        if self.of_update:  # which the device adds up over the micro-batches of an update, and the host divides
            return {name: sum(each[name] for each in self.of_update) / len(self.of_update) for name in self.of_update[0]}
        return self._now()

    def _now(self):
        if not self.weight:
            return {}
        metrics = {name: self.counted[index] for index, name in self.indices if index in self.counted}
        found = {shown(name, self.model): metrics[name].of_counts(total) if name in metrics else total / self.weight
                 for name, total in self.sums.items()}
        own = dict(self.own)
        found |= {name: float(np.asarray(own[number].result())) for name, number in self.names.items() if number in own}
        return {name: found[name] for name in [*self.names, *found] if name in found}


def numbers(logs):
    """(name, number) of each, for the profile: of a list that of the last replica."""
    return [(name, float(value[-1]) if np.ndim(value) == 1 else value) for name, value in logs.items() if np.ndim(value) < 2]


# How those of several replicas are shown.
REDUCTIONS = {"NONE": lambda values: values[-1], "LIST": lambda values: np.array(values), "SUM": sum, "MEAN": lambda values: sum(values) / len(values)}


class ValuesOfReplicas:
    """The same of several replicas, or of one alone. `seen`: the last of this instance."""

    of_replicas = None  # what metrics of the script's own have of each

    def __init__(self, model, replicas, seen, accumulation, reduction):
        self.parts = {replica: Values(model, replica, accumulation) for replica in replicas}
        self.seen, self.reduced, self.program = seen, REDUCTIONS[reduction], None

    def begin(self, program):
        self.program, indices = program, []
        for each in self.parts.values():
            indices = each.begin(program)
        return indices

    def add(self, program, replica, size):
        if replica in self.parts:
            self.parts[replica].add(program, replica, size)

    def logs_of(self, replica):
        """What one of them has seen since the epoch began, whose variables metrics of the script's own have then."""
        self.of_replicas.take(replica, self.program)
        return self.parts[replica].logs() if replica in self.parts else {}

    def logs(self):
        found = [self.logs_of(each) for each in self.parts] or [{}]
        return {name: self.reduced([each[name] for each in found]) for name in found[-1]} if all(found) else found[-1]


def _in_order(model, form):
    """The names of what Keras shows, with the numbers of metrics: the loss, then those of several outputs, then the metrics
    of each output. `form`: of what a call of the script's own gives."""
    outputs, keys = keras_outputs.names_of(model, form), keras_outputs.keys_of(model, form)
    several = len(outputs) > 1
    names = dict.fromkeys(["loss", *(name + "_loss" for name in outputs if several)])
    for i, (output, key) in enumerate(zip(outputs, keys)):
        for number, (name, of) in enumerate(zip(model.metric_names_, model.metric_outputs_)):
            if several and of is None and getattr(model.metrics_[number], "is_own", False):
                raise failures.refused(f"the metric {name} of {len(outputs)} outputs at once", "each would have values of its own: "
                                       f"give compile() one for each, as metrics={{{key!r}: [{type(model.metrics_[number]).__name__}()]}}")
            if of in (None, i, key):
                names[f"{output}_{name}" if several else name] = number
    return names


def shown(name, model):
    """The name that the script gave a metric."""
    if name in model.metric_names_:
        return name
    for given, known in zip(model.metric_names_, model._metrics()):
        if name == known:
            return given
    return name
