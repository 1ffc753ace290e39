# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu_strategy.IPUStrategy: models made in its scope run on the IPU; others on the host's CPU."""
import contextlib

_open = []


def current():
    return _open[-1] if _open else None


class IPUStrategy:
    """Where Keras models and functions run on the IPUs of the present configuration."""

    num_replicas_in_sync = 1

    def __init__(self, ipu_device="/device:IPU:0", cpu_device="/device:CPU:0", enable_dataset_iterators=True,
                 enable_keras_extensions=True):
        self.ipu_device = ipu_device

    @contextlib.contextmanager
    def scope(self):
        _open.append(self)
        try:
            yield self
        finally:
            _open.pop()

    def run(self, fn, args=(), kwargs=None, options=None):
        from . import functions
        if not isinstance(fn, functions.Function):
            raise ValueError("IPUStrategy.run() does not support eager execution: wrap the function in tf.function.")
        return functions.run(fn, args, kwargs)

    def reduce(self, reduce_op, value, axis=None):
        return value

    def experimental_run_v2(self, fn, args=(), kwargs=None):
        raise RuntimeError("experimental_run_v2() is no longer there: use IPUStrategy.run()")
