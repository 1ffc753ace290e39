# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that stay with the host (ipu.embedding_ops): in each step the device sends the numbers of rows, and gets the rows; it
sends their gradients back, by which the host updates the table with an optimiser of its own."""
import contextlib

from .. import failures, scopes
from ..operations import elementary as operations
from ..tracing import graph_variables as variables
from ..tensors import graph


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


NAMES = {each.__name__: each for each in (HostEmbeddingOptimizerSpec, HostEmbedding, create_host_embedding)}
