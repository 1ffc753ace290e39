# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that stay with the host (ipu.embedding_ops): in each step the device sends the numbers of rows, and gets the rows; it
sends their gradients back, by which the host updates the table with an optimiser of its own."""
import contextlib

import numpy as np

from .. import failures, scopes
from ..operations import elementary as operations
from ..tf1 import variables
from ..tracing import graph


class HostEmbeddingOptimizerSpec:
    """How a table is updated: by SGD."""

    def __init__(self, learning_rate, optimizer_name=None):
        if optimizer_name not in (None, "SGD"):
            raise failures.refused(f"HostEmbeddingOptimizerSpec(optimizer_name={optimizer_name!r})", "tables are updated by SGD")
        self.learning_rate = learning_rate

    def get_learning_rate(self):
        return self.learning_rate


class HostEmbedding:
    """A table of the host, and its look-ups by programs of the device."""

    def __init__(self, name, embedding_tensor, partition_strategy="TOKEN", optimizer_spec=None):
        if partition_strategy not in ("TOKEN", "ENCODING"):
            raise ValueError(f"Unknown partition strategy {partition_strategy}")
        if optimizer_spec is not None and not isinstance(optimizer_spec, HostEmbeddingOptimizerSpec):
            raise ValueError("HostEmbedding optimizer_spec is not a HostEmbeddingOptimizerSpec or None")
        self.name, self.table, self.spec = name, embedding_tensor, optimizer_spec or HostEmbeddingOptimizerSpec(0)

    def get_embedding_tensor(self):
        return self.table

    @contextlib.contextmanager
    def register(self, session=None):
        """Within it programs may look rows up."""
        if session is None and not graph.executing_eagerly():
            raise ValueError("HostEmbedding.register requires a session when eager execution is disabled.")
        yield self

    def lookup(self, indices, clip_indices=True):
        rows, width = self.table.dims
        ids = operations.cast(indices, "int32")
        if clip_indices:
            ids = operations.clip_by_value(ids, 0, rows - 1)
        flat = graph.symbolic(operations.reshape(ids, [-1]))
        with scopes.host():
            found = operations.gather(self.table, flat)
        found.op.looked_up = self
        return operations.reshape(found, list(ids.dims) + [width])


def create_host_embedding(name, shape, dtype, partition_strategy="TOKEN", optimizer_spec=None, initializer=None):
    """A table of its own, a variable of that name."""
    with scopes.device("cpu"):
        table = variables.get_variable(name, shape, dtype, initializer, trainable=False, use_resource=False)
    return HostEmbedding(name, table, partition_strategy, optimizer_spec)


def looked_up(op):
    """The look-ups of trained tables in the graph of an update, each the operation that gives the rows."""
    return [each for each in op.graph.operations_ if each.number < op.number and getattr(each, "looked_up", None) is not None
            and each.looked_up.spec.learning_rate]


def lower_updates(lowered, found, gradients):
    """What tables are after a step, by the gradients of the rows that were looked up."""
    build, latest = lowered.build, {}
    for op, gradient in zip(found, gradients):
        if gradient < 0:  # the loss does not depend on them
            continue
        embedding = op.looked_up
        table, ids = lowered.variable(embedding.table), lowered.id_of(op.inputs[1])
        build.place("", "", -1, host=True)
        rate = build.constant(f"{embedding.name}/rate", np.asarray(-embedding.spec.learning_rate, build.type(gradient)[0]))
        change = build.operation("multiply", [gradient, rate], {}, f"{embedding.name}/change")[0]
        places = build.operation("reshape", [ids], {"shape": [op.outputs[0].dims[0], 1]}, f"{embedding.name}/rows")[0]
        made = build.operation("scatter_nd", [latest.get(table, table), places, change], {"reduction": "add"}, f"{embedding.name}/update")[0]
        latest[table] = made
    for table, made in latest.items():
        build.set_next(table, made)


NAMES = {each.__name__: each for each in (HostEmbeddingOptimizerSpec, HostEmbedding, create_host_embedding)}
