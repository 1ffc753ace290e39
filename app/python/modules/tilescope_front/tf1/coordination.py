# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts name of threads and replicas that work together: tf.train.Coordinator, and the replica that a function is of."""
import contextlib
import enum
import threading
import time

from .. import names


class VariableAggregation(enum.Enum):
    """How the values of replicas become one; here they have the same."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)


class VariableSynchronization(enum.Enum):
    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class Coordinator:
    """tf.train.Coordinator: threads of the host that end together."""

    def __init__(self, clean_stop_exception_types=None):
        self._stop, self._threads, self._lost = threading.Event(), [], None
        self._clean = tuple(clean_stop_exception_types or ())

    def should_stop(self):
        return self._stop.is_set()

    def request_stop(self, ex=None):
        """`ex`: an exception, or what sys.exc_info() gives: the first is raised by join()."""
        ex = ex[1] if isinstance(ex, tuple) else ex
        if ex is not None and self._lost is None and not isinstance(ex, self._clean):
            self._lost = ex
        self._stop.set()

    def clear_stop(self):
        self._lost = None
        self._stop.clear()

    def wait_for_stop(self, timeout=None):
        return self._stop.wait(timeout)

    def register_thread(self, thread):
        self._threads.append(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits for the threads, however long; once a stop is requested, for as long as is granted, of all together."""
        waited = [*self._threads, *(threads or [])]
        while any(each.is_alive() for each in waited) and not self._stop.is_set():
            for each in waited:
                each.join(0.1)
        end = time.monotonic() + stop_grace_period_secs
        for each in waited:
            each.join(max(0.0, end - time.monotonic()))
        self._threads = []
        if self._lost is not None:
            raise self._lost
        alive = " ".join(each.name for each in waited if each.is_alive())
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {alive}")

    @contextlib.contextmanager
    def stop_on_exception(self):
        """What is raised within it stops all, and is raised by join()."""
        try:
            yield
        except Exception as error:  # pylint: disable=broad-except
            self.request_stop(error)


class ReplicaContext:
    """tf.distribute.get_replica_context(): the one replica of what is at hand; those of a program are ipu.replication_ops'."""

    replica_id_in_sync_group = 0
    strategy = property(lambda self: _strategy())
    num_replicas_in_sync = property(lambda self: self.strategy.num_replicas_in_sync if self.strategy else 1)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        return merge_fn(self.strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op, value, options=None):
        return self.strategy.reduce(reduce_op, value) if self.strategy else value


def _strategy():
    from ..ipu import strategy
    return strategy.current_or_none()


def add_names():
    for module in ("tensorflow", "tensorflow.compat.v1"):
        names.module(module + ".train", Coordinator=Coordinator)
        names.module(module + ".distribute", get_replica_context=ReplicaContext)
        names.module(module, VariableAggregation=VariableAggregation, VariableSynchronization=VariableSynchronization)
    names.module("tensorflow.python.distribute.distribution_strategy_context", get_replica_context=ReplicaContext)
