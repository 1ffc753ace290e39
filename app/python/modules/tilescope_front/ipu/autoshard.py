# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.autoshard: operations dealt out to shards."""
import contextlib

import numpy as np

from ..tensors import graph
from ..tracing import lowering


def _work(op):
    """Multiplications of an operation, or the numbers that it gives."""
    size = sum(int(np.prod(t.dims)) for t in op.outputs if t.dims is not None and None not in t.dims)
    if op.kind == "matmul":
        return size * op.inputs[0].dims[-1]
    if op.kind == "conv2d":
        return size * int(np.prod(op.inputs[1].dims[:3]))
    return size


def automatic_sharding(num_shards, input_ts, loss_ts, edge_filter=None, frozen_inference=False):
    """Deals the operations between two tensors out to shards, in their order, so that their work balances."""
    ops = [op for op in lowering.reachable([loss_ts], lambda each: True) if op.kind not in lowering.HOST_KINDS]
    total, done = sum(map(_work, ops)) or 1, 0
    for op in ops:
        op.shard = min(done * num_shards // total, num_shards - 1)
        done += _work(op)
    here = graph.current()
    for op in here.operations_:
        if op.kind in ("minimize", "enqueue", "compared", "ctc_loss") and op.shard < 0:
            op.shard = num_shards - 1


@contextlib.contextmanager
def ipu_autoshard():
    """Marks what automatic_sharding may cut: here all of the graph."""
    yield
