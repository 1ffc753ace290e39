# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of Keras' layers that are given none: their class, and how many there were."""
from ..tensors import graph
from ..configured import snake_case
from ..tracing.owner import owner

_counts = {}


def _counts_here():
    """How many layers have had a name: of TensorFlow 1 in each graph, so that one that is made as another was has its names."""
    if graph.values_at_hand() or owner() is not None:
        return _counts
    outer = graph.current().outermost()
    return _counts if hasattr(outer, "traced") else outer.__dict__.setdefault("layer_counts_", {})


def unique_name(kind, zero_based=True):
    base, counts = snake_case(kind), _counts_here()
    taken = () if graph.values_at_hand() else graph.current().outermost().variables
    while True:
        counts[base] = counts.get(base, -1 if zero_based else 0) + 1
        name = f"{base}_{counts[base]}" if counts[base] else base
        if not any(each.startswith(name + "/") for each in taken):  # as of tf.layers
            return name


def clear_session():
    _counts.clear()
    _counts_here().clear()
