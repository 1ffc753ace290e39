# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu_strategy.IPUStrategy: models made in its scope run on the IPU; others on the host's CPU."""
import contextlib

import tilescope_engine as engine

from .. import host, strategies


def current_or_none():
    """tf.distribute.get_strategy(): that of the scope, or one of a single replica."""
    return strategies.current() or IPUStrategy()


class IPUStrategy:
    """Where Keras models and functions run on the IPUs of the present configuration."""

    num_replicas_in_sync = 1

    def __init__(self, ipu_device="/device:IPU:0", cpu_device="/device:CPU:0", enable_dataset_iterators=True,
                 enable_keras_extensions=True):
        self.ipu_device, self.keras_extensions = ipu_device, enable_keras_extensions

    @contextlib.contextmanager
    def scope(self):
        engine.profile_ipus(host.run())
        with strategies.opened(self):
            yield self

    def run(self, fn, args=(), kwargs=None, options=None):
        from ..tracing import functions
        from ..tensors import graph
        kwargs = kwargs or {}
        if not graph.executing_eagerly() and not hasattr(graph.current(), "traced"):
            return self._in_graph(fn, args, kwargs)
        is_function = isinstance(getattr(fn, "__func__", fn), functions.Function)  # of a class, too
        if not graph.executing_eagerly():  # a part of the program that is traced
            return (fn if is_function else functions.Function(fn))(*args, **kwargs)
        if not is_function:
            if not graph.runs_function():
                raise ValueError("IPUStrategy.run() does not support eager execution: wrap the function in tf.function.")
            fn, args, kwargs = functions.within(fn, args, kwargs)
        return functions.run(fn, args, kwargs)

    def reduce(self, reduce_op, value, axis=None):
        """Over an axis of the value, where one is given, and then over the replicas in what IPUs compute; on the host there is one."""
        from .. import ipu_config
        from ..operations import elementary as operations
        from ..tensors import graph
        kind = str(getattr(reduce_op, "value", reduce_op)).lower()
        if kind not in ("sum", "mean"):
            raise ValueError(f"{reduce_op!r} is not a valid ReduceOp: use SUM or MEAN")
        if axis is not None:
            value = operations.MATH["reduce_" + kind](value, axis)
        if graph.executing_eagerly() or not graph.current().of_program:
            return self._of_hosts(value, kind)
        return value if ipu_config.ipus()[0] == 1 else self._of_replicas(graph.symbolic(value), kind)

    def _of_hosts(self, value, kind):
        return value

    @staticmethod
    def _of_replicas(value, kind):
        """Within the step; of what follows from a loop, once it has ended."""
        from . import replica as replica_operations
        from ..tracing import compiled
        from ..tensors import graph
        if not compiled.follows_from_loop(value):
            return replica_operations.TABLES["cross_replica_ops"]["cross_replica_" + kind](value)
        return graph.current().add("over_replicas", [value], {"mean": kind == "mean"}, [(value.dtype, value.dims)], "reduce").outputs[0]

    experimental_run_v2 = run  # its name before SDK 2.3

    def _in_graph(self, fn, args, kwargs):
        """Of TensorFlow 1: a compiled function."""
        from ..tracing import compiler as ipu_compiler
        from .. import scopes
        from ..tensors import graph
        if graph.current().above is not None:
            return fn(*args, **kwargs)  # of a function that is being compiled
        with scopes.ipu_scope(self.ipu_device):
            made = ipu_compiler.compile(lambda *given: fn(*given, **kwargs), list(args))
        return made[0] if isinstance(made, list) and len(made) == 1 else made
