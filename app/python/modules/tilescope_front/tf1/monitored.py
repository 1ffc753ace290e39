# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.train.MonitoredTrainingSession and the hooks around the runs of sessions; the MNIST reader of TensorFlow 1's own examples."""
import os

import numpy as np

from . import saving as saving_1, session, train_hooks
from ..tracing import graph_variables as variables
from ..tensors import graph
from .. import host


class SessionRunArgs:
    """What a hook wants of a run, beside what is fetched."""

    def __init__(self, fetches, feed_dict=None, options=None):
        self.fetches, self.feed_dict, self.options = fetches, feed_dict, options


class SessionRunValues:
    """What it gets."""

    def __init__(self, results):
        self.results, self.options, self.run_metadata = results, None, None


class SessionRunContext:
    """A run, which a hook may make the last one."""

    def __init__(self, original_args, running):
        self.original_args, self.session, self.stop_requested = original_args, running, False

    def request_stop(self):
        self.stop_requested = True


class StopAtStepHook(train_hooks.SessionRunHook):
    """Ends after a number of steps, or at one, as the global step counts them."""

    def __init__(self, num_steps=None, last_step=None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("Exactly one of num_steps or last_step must be specified.")
        self.count, self.last = num_steps, last_step

    def after_create_session(self, session, coord):
        if self.last is None:
            self.last = int(_step_of(session)) + self.count

    def after_run(self, run_context, run_values):
        if int(_step_of(run_context.session)) >= self.last:
            run_context.request_stop()


class NanTensorHook(train_hooks.SessionRunHook):
    """Ends where a loss is no number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self.loss, self.fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        if np.isnan(run_values.results):
            host.log("ERROR" if self.fails else "WARNING", "Model diverged with loss = NaN.")
            if self.fails:
                raise NanLossDuringTrainingError("NaN loss during training.")
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    pass


def _step_of(running):
    here = running.graph
    if "global_step" not in here.variables:
        raise ValueError("Global step should be created: call tf.train.get_or_create_global_step().")
    return running.value_of(here.variables["global_step"])


class MonitoredSession(session.Session):
    """A session that initialises, calls hooks around each run, and says when to stop."""

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120, config=None, folder=None):
        super().__init__(config=config)
        self.hooks, self.folder, self.stopped = list(hooks or []), folder, False
        for hook in self.hooks:
            hook.begin()
        self.initialise(None)
        last = folder and saving_1.latest_checkpoint(folder)
        if last:
            saving_1.read(self.weights, last)
        with self.graph.as_default():
            for each in variables.local_variables():
                self.set_variable(each, each.first_values())
        for hook in self.hooks:
            hook.after_create_session(self, None)

    def should_stop(self):
        return self.stopped or self.closed

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self)
        wanted = [hook.before_run(context) for hook in self.hooks]
        feeds = dict(feed_dict or {})
        for each in wanted:
            feeds.update(each.feed_dict or {} if each is not None else {})
        results = super().run([fetches, [None if each is None else each.fetches for each in wanted if each is not None]], feeds) \
            if any(each is not None for each in wanted) else [super().run(fetches, feeds), []]
        found = iter(results[1])
        for hook, each in zip(self.hooks, wanted):
            hook.after_run(context, SessionRunValues(None if each is None else next(found)))
        self.stopped = self.stopped or context.stop_requested
        return results[0]

    def run_step_fn(self, step_fn):
        return step_fn(self)

    def __exit__(self, kind, value, traceback):
        for hook in self.hooks if kind is None else ():
            hook.end(self)
        if self.folder and kind is None:
            step = int(_step_of(self)) if "global_step" in self.graph.variables else 0
            saving_1.write_all(self.weights, self.graph, os.path.join(self.folder, f"model.ckpt-{step}"))
        super().__exit__(kind, value, traceback)
        from ..errors import OutOfRangeError
        return kind is not None and issubclass(kind, OutOfRangeError)  # data that have ended end the training


def monitored_training_session(master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None,
                               save_checkpoint_secs=None, save_summaries_steps=None, save_summaries_secs=None, config=None,
                               stop_grace_period_secs=120, log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=None,
                               summary_dir=None, save_graph_def=True):
    """tf.train.MonitoredTrainingSession: it keeps a checkpoint as it ends."""
    return MonitoredSession(hooks=[*(hooks or []), *(chief_only_hooks or [])], config=config, folder=checkpoint_dir)


HOOKS = {each.__name__: each for each in (SessionRunArgs, SessionRunValues, SessionRunContext, StopAtStepHook, NanTensorHook,
                                          NanLossDuringTrainingError, MonitoredSession)}
HOOKS.update(MonitoredTrainingSession=monitored_training_session, SingularMonitoredSession=MonitoredSession)


class _Part:
    """Images and labels, in batches of an order that is drawn anew in each pass."""

    def __init__(self, images, labels, seed):
        self.images, self.labels, self.epochs_completed = images, labels, 0
        self._random, self._order, self._at = np.random.default_rng(seed), None, 0

    num_examples = property(lambda self: len(self.images))

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        chosen = []
        while len(chosen) < batch_size:
            if self._order is None or self._at >= self.num_examples:
                self.epochs_completed += self._order is not None
                self._order = self._random.permutation(self.num_examples) if shuffle else np.arange(self.num_examples)
                self._at = 0
            more = self._order[self._at:self._at + batch_size - len(chosen)]
            self._at += len(more)
            chosen = np.concatenate([np.asarray(chosen, int), more])
        return self.images[chosen], self.labels[chosen]


class _Sets:
    def __init__(self, train, validation, test):
        self.train, self.validation, self.test = train, validation, test


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype="float32", reshape=True, validation_size=5000, seed=None, source_url=None):
    """tensorflow.examples.tutorials.mnist.input_data's: MNIST of --data, or the built-in digits."""
    from ..data.datasets import DATASETS
    (x, y), (tx, ty) = DATASETS["mnist"]()

    def part(images, labels):
        images = images.reshape(len(images), -1) if reshape else images[..., None]
        images = images.astype(np.float32) / 255 if graph.as_dtype(dtype).is_floating else images
        labels = np.eye(10, dtype=np.float64)[labels] if one_hot else labels
        return _Part(images, labels, 1 if seed is None else seed)
    return _Sets(part(x[validation_size:], y[validation_size:]), part(x[:validation_size], y[:validation_size]), part(tx, ty))


def add_names():
    from .. import names
    for module in ("tensorflow.compat.v1.train",):
        names.module(module, HOOKS)
    names.module("tensorflow.compat.v1.estimator", {name: HOOKS[name] for name in HOOKS if name.startswith(("SessionRun", "StopAt", "Nan"))})
    for module in ("tensorflow.examples.tutorials.mnist.input_data", "tensorflow.compat.v1.contrib.learn.datasets.mnist"):
        names.module(module, read_data_sets=read_data_sets)
    for module in ("tensorflow.examples.tutorials.mnist",):
        names.module(module)
