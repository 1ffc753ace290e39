# SPDX-License-Identifier: GPL-3.0-or-later
"""Loss and metrics as Keras' loops show them."""
import collections

import numpy as np


class Values:
    """Loss and metrics since the epoch began, as the last replica of an instance sees them: means, or what counts make."""

    def __init__(self, model, seen, accumulation=1):
        self.model, self.seen, self.sums, self.weight, self.indices, self.counted = model, seen, {}, 0, [], {}
        self.own = [(name, metric) for name, metric in zip(model.metric_names_, model.metrics_) if getattr(metric, "is_own", False)
                    and metric.__dict__.get("variables_")]
        for _, metric in self.own:
            metric.reset_state()
        self.of_update = collections.deque(maxlen=accumulation if model.accumulates_outfeed and accumulation > 1 else 0)

    def begin(self, program):
        self.counted = self.model.counted.get(id(program), {})
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
        return found | {name: float(np.asarray(metric.result())) for name, metric in self.own}


def shown(name, model):
    """The name that the script gave a metric."""
    if name in model.metric_names_:
        return name
    for given, known in zip(model.metric_names_, model._metrics()):
        if name == known:
            return given
    return name
