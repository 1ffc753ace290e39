# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands around training in TensorFlow: hooks of estimators, rates that decay, summaries."""
import enum

import numpy as np

from ..tracing import graph_variables as variables
from ..tensors import graph
from .. import host
from ..ipu import pipelining
from ..operations import elementary as operations, schedules


class SessionRunHook:
    """What estimators call around their loops; each method may be left out."""

    def begin(self):
        pass

    def after_create_session(self, session, coord):
        pass

    def before_run(self, run_context):
        pass

    def after_run(self, run_context, run_values):
        pass

    def end(self, session):
        pass


def _silent(name, reason):
    """A hook that is accepted and does nothing."""
    def __init__(self, *args, **kwargs):
        host.tell_once(f"tilescope: {name} has no effect here: {reason}")
    return type(name, (SessionRunHook,), {"__init__": __init__})


HOOKS = {"SessionRunHook": SessionRunHook,
         **{name: _silent(name, "the estimator's own lines say it") for name in (
             "StepCounterHook", "LoggingTensorHook", "CheckpointSaverHook", "SummarySaverHook", "ProfilerHook")}}


class IPULoggingTensorHook(SessionRunHook):
    """Prints what a model_fn gives to log(): of the last iteration, or the mean of what has come."""

    class LoggingMode(enum.Enum):
        LAST, MEAN, ALL = "last", "mean", "all"

    def __init__(self, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None, logging_mode=None,
                 feed_name=None, replication_factor=None):
        if (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("Exactly one of every_n_iter and every_n_secs must be provided.")
        self.every, self.mode = every_n_iter or 1, logging_mode or self.LoggingMode.LAST
        self.queue, self.formatter, self.runs = pipelining.IPUOutfeedQueue(), formatter, 0

    def log(self, tensors):
        given = tensors if isinstance(tensors, dict) else {getattr(t, "name", str(i)): t for i, t in enumerate(
            tensors if isinstance(tensors, (list, tuple)) else [tensors])}
        self.names = sorted(given)
        return self.queue.enqueue(given)

    def after_run(self, run_context, run_values):
        self.runs += 1
        if self.queue.structure is None or self.runs % self.every:
            return
        columns = dict(zip(self.names, self.queue.take()))
        if not len(next(iter(columns.values()))):
            return
        chosen = {key: {"last": lambda v: v[-1], "mean": lambda v: v.mean(0), "all": lambda v: v}[self.mode.value](value)
                  for key, value in columns.items()}
        text = self.formatter(chosen) if self.formatter else ", ".join(f"{k} = {v}" for k, v in chosen.items())
        host.log("INFO", text)


def _decay(kind, **renamed):
    """A rate by Keras' formula, as a tensor of the step."""
    def function(learning_rate, global_step, *args, name=None, **kwargs):
        schedule = schedules.SCHEDULES[kind](learning_rate, *args, **{renamed.get(k, k): v for k, v in kwargs.items()})
        return schedules.rate_of(schedule, global_step)
    return function


def piecewise_constant(x, boundaries, values, name=None):
    return schedules.rate_of(schedules.SCHEDULES["PiecewiseConstantDecay"](list(boundaries), list(values)), x)


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """rate exp(-decay_rate step / decay_steps)."""
    share = operations.divide(operations.cast(global_step, "float32"), float(decay_steps))
    share = operations.MATH["floor"](share) if staircase else share
    return operations.multiply(operations.MATH["exp"](operations.multiply(share, -float(decay_rate))), learning_rate)


def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """rate ((alpha + 1 - t) (1 + cos(2 pi periods t)) / 2 + beta), t from 0 to 1."""
    t = operations.divide(operations.minimum(operations.cast(global_step, "float32"), float(decay_steps)), float(decay_steps))
    wave = operations.multiply(operations.add(operations.MATH["cos"](operations.multiply(t, float(2 * np.pi * num_periods))), 1.0), 0.5)
    return operations.multiply(operations.add(operations.multiply(operations.subtract(1.0 + alpha, t), wave), beta), learning_rate)


DECAYS = {"natural_exp_decay": natural_exp_decay, "linear_cosine_decay": linear_cosine_decay,
          "exponential_decay": _decay("ExponentialDecay"), "inverse_time_decay": _decay("InverseTimeDecay"),
          "polynomial_decay": _decay("PolynomialDecay"), "cosine_decay": _decay("CosineDecay"),
          "cosine_decay_restarts": _decay("CosineDecayRestarts"),
          "piecewise_constant": piecewise_constant, "piecewise_constant_decay": piecewise_constant,
          "get_global_step": variables.get_or_create_global_step,
          "global_step": lambda sess, global_step_tensor: int(sess.run(global_step_tensor)), "assert_global_step": lambda global_step_tensor: None}


class _Writer:
    """A writer of summaries that writes nothing."""

    def __init__(self, *args, **kwargs):
        host.tell_once("tilescope: summaries are not written: the profile has the metrics of each step")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def as_default(self, step=None):
        return self

    def add_summary(self, summary, global_step=None):
        pass

    add_graph = add_event = set_as_default = lambda self, *args, **kwargs: None

    def flush(self):
        pass

    close = flush


def _summary(name, *args, **kwargs):
    """An operation that gives an empty summary."""
    if graph.executing_eagerly():
        return None
    return graph.symbolic(np.array(b"", object))


SUMMARIES_2 = {"create_file_writer": _Writer, **{name: _summary for name in ("scalar", "image", "histogram", "text")}}
SUMMARIES_1 = {"FileWriter": _Writer, "merge_all": lambda *args, **kwargs: _summary("merged"),
               "merge": lambda *args, **kwargs: _summary("merged"),
               **{name: _summary for name in ("scalar", "image", "histogram", "text")}}
