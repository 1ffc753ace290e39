# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' callbacks."""
import csv
import math
import os

import numpy as np


class Callback:
    """What is called while a model trains. Under steps_per_execution, once for each execution."""

    def __init__(self):
        self.model, self.params, self.validation_data = None, {}, None

    def set_model(self, model):
        self.model = model

    def set_params(self, params):
        self.params = params


for _name in ("train_begin", "train_end", "epoch_begin", "epoch_end", "batch_begin", "batch_end",
              "train_batch_begin", "train_batch_end", "test_begin", "test_end", "test_batch_begin", "test_batch_end",
              "predict_begin", "predict_end", "predict_batch_begin", "predict_batch_end"):
    setattr(Callback, "on_" + _name, lambda self, *arguments, **named: None)


class History(Callback):
    """Loss and metrics of each epoch."""

    def __init__(self):
        super().__init__()
        self.history, self.epoch = {}, []

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    def __init__(self, **functions):
        super().__init__()
        for name, function in functions.items():
            setattr(self, name, function)


def _monitored(what, monitor, logs):
    """The value that a callback looks at; None, and said once, where there is none of that name. Errors: ValueError where
    each replica has one."""
    if np.ndim((logs or {}).get(monitor, 0)):
        raise ValueError(f"{what} on metric `{monitor}`, of which each replica has a value: choose MEAN in "
                         "set_replication_options(replicated_metric_reduction_method=…)")
    if monitor in (logs or {}):
        return logs[monitor]
    from .. import host
    host.tell_once(f"WARNING:tensorflow:{what} on metric `{monitor}` which is not available. Available metrics are: "
                   f"{','.join(logs or {})}")
    return None


class EarlyStopping(Callback):
    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto", baseline=None,
                 restore_best_weights=False):
        super().__init__()
        self.monitor, self.patience, self.verbose, self.baseline = monitor, patience, verbose, baseline
        self.restore_best_weights, self.min_delta = restore_best_weights, abs(min_delta)
        self.sign = -1 if mode == "max" or (mode == "auto" and "acc" in monitor) else 1
        self.best, self.wait, self.stopped_epoch, self.best_weights = self.sign * math.inf, 0, 0, None

    def on_train_begin(self, logs=None):
        self.best, self.wait, self.stopped_epoch, self.best_weights = self.sign * math.inf, 0, 0, None

    def _is_better(self, value, than):
        return self.sign * value < self.sign * than - self.min_delta

    def on_epoch_end(self, epoch, logs=None):
        value = _monitored("Early stopping conditioned", self.monitor, logs)
        if value is None:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights = self.model.get_weights()
        self.wait += 1
        if self._is_better(value, self.best):
            self.best = value
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._is_better(value, self.baseline):
                self.wait = 0
        if self.wait >= max(self.patience, 1):
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.best_weights is not None:
                if self.verbose:
                    print("Restoring model weights from the end of the best epoch.")
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")


class TerminateOnNaN(Callback):
    def on_train_batch_end(self, batch, logs=None):
        if not np.all(np.isfinite((logs or {}).get("loss", 0.0))):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class LearningRateScheduler(Callback):
    """Sets the rate of an optimiser before each epoch: schedule(epoch) or schedule(epoch, rate)."""

    def __init__(self, schedule, verbose=0):
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch, logs=None):
        before = float(self.model.optimizer.learning_rate)
        try:
            rate = self.schedule(epoch, before)
        except TypeError:  # of Keras' older form
            rate = self.schedule(epoch)
        self.model.optimizer.learning_rate = float(rate)
        if self.verbose:
            print(f"\nEpoch {epoch + 1:05d}: LearningRateScheduler setting learning rate to {rate}.")

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs["lr"] = float(self.model.optimizer.learning_rate)


class ReduceLROnPlateau(Callback):
    """Lowers the rate of an optimiser to its `factor` where a value has not become better for `patience` epochs."""

    def __init__(self, monitor="val_loss", factor=0.1, patience=10, verbose=0, mode="auto", min_delta=1e-4, cooldown=0, min_lr=0):
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Got {factor}")
        self.monitor, self.factor, self.patience, self.verbose = monitor, factor, patience, verbose
        self.sign = -1 if mode == "max" or (mode == "auto" and "acc" in monitor) else 1
        self.min_delta, self.cooldown, self.min_lr = min_delta, cooldown, min_lr
        self.best, self.wait, self.resting = math.inf, 0, 0

    def on_train_begin(self, logs=None):
        self.best, self.wait, self.resting = math.inf, 0, 0

    def on_epoch_end(self, epoch, logs=None):
        rate = float(self.model.optimizer.learning_rate)
        if logs is not None:
            logs["lr"] = rate
        value = _monitored("Learning rate reduction is conditioned", self.monitor, logs)
        if value is None:
            return
        value *= self.sign
        if self.resting > 0:
            self.resting, self.wait = self.resting - 1, 0
        if value < self.best - self.min_delta:
            self.best, self.wait = value, 0
        elif self.resting == 0:
            self.wait += 1
            if self.wait >= self.patience and rate > self.min_lr:
                lower = max(rate * self.factor, self.min_lr)
                self.model.optimizer.learning_rate = lower
                if self.verbose:
                    print(f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to {lower}.")
                self.resting, self.wait = self.cooldown, 0


class ModelCheckpoint(Callback):
    """Saves the model, or its weights, after each epoch; `filepath` may name the epoch and its values."""

    def __init__(self, filepath, monitor="val_loss", verbose=0, save_best_only=False, save_weights_only=False, mode="auto",
                 save_freq="epoch", options=None, period=1):
        super().__init__()
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}. Expected save_freq are \"epoch\" or integer")
        self.verbose, self.save_freq, self.seen, self.before, self.epoch = verbose, save_freq, 0, 0, 0
        self.filepath, self.monitor, self.best_only, self.weights_only = str(filepath), monitor, save_best_only, \
            save_weights_only
        self.sign = -1 if mode == "max" or (mode == "auto" and "acc" in monitor) else 1
        self.best, self.period, self.epochs = math.inf, period, 0
        if period != 1:
            from .. import host
            host.log("WARNING", "`period` argument is deprecated. Please use `save_freq` to specify the frequency in number of batches seen.")

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch, self.before = epoch, 0

    def on_train_batch_end(self, batch, logs=None):
        """Counts steps, of which an execution has several."""
        self.seen, self.before = self.seen + batch + 1 - self.before, batch + 1
        if self.save_freq != "epoch" and self.seen >= self.save_freq:
            self.seen = 0
            self._save(self.epoch, logs or {}, batch=batch + 1)

    def on_epoch_end(self, epoch, logs=None):
        self.epochs += 1
        if self.save_freq == "epoch" and self.epochs >= self.period:
            self.epochs = 0
            self._save(epoch, logs or {})

    def _save(self, epoch, logs, **names):
        """`names`: of the batch, which the path may have, too."""
        try:
            path = self.filepath.format(**{**names, "epoch": epoch + 1, **logs})
        except KeyError as error:
            raise KeyError(f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}') from None
        told = f"saving model to {path}"
        if self.best_only:
            value = _monitored("Saving the best model only is conditioned", self.monitor, logs)
            if value is None:
                return
            before, is_better = self.sign * self.best, self.sign * value < self.best
            told = f"{self.monitor} improved from {before:.5f} to {value:.5f}, {told}" if is_better else \
                f"{self.monitor} did not improve from {before:.5f}"
            self.best = self.sign * value if is_better else self.best
        if self.verbose:
            print(f"\nEpoch {epoch + 1:05d}: {told}")
        if not self.best_only or is_better:
            (self.model.save_weights if self.weights_only else self.model.save)(path)


def _cell(value):
    """As Keras writes it: of several the list."""
    return f'"[{", ".join(map(str, value))}]"' if np.ndim(value) else value


class CSVLogger(Callback):
    """Writes the values of each epoch as a line of a table."""

    def __init__(self, filename, separator=",", append=False):
        super().__init__()
        self.filename, self.separator, self.append, self.keys, self.file = str(filename), separator, append, None, None

    def on_train_begin(self, logs=None):
        self.titled = self.append and os.path.exists(self.filename) and os.path.getsize(self.filename) > 0
        self.file = open(self.filename, "a" if self.append else "w", encoding="utf-8", newline="")

    def on_epoch_end(self, epoch, logs=None):
        self.keys = self.keys or sorted(logs or {})
        lines = csv.writer(self.file, delimiter=self.separator)
        if not self.titled:
            lines.writerow(["epoch"] + self.keys)
        self.titled = True
        lines.writerow([epoch] + [_cell((logs or {}).get(key, "NA")) for key in self.keys])
        self.file.flush()

    def on_train_end(self, logs=None):
        self.file.close()
        self.file = None


class TensorBoard(Callback):
    """Accepted: the profile has the metrics."""

    def __init__(self, log_dir="logs", histogram_freq=0, write_graph=True, write_images=False, write_steps_per_second=False,
                 update_freq="epoch", profile_batch=2, embeddings_freq=0, embeddings_metadata=None, batch_size=None,
                 write_grads=False, embeddings_layer_names=None, embeddings_data=None):
        super().__init__()
        from .. import host
        host.tell_once("tilescope: keras.callbacks.TensorBoard writes nothing here: the profile has the metrics of each step")


class ProgbarLogger(Callback):
    """What prints Keras' lines; fit() does."""

    def __init__(self, count_mode="samples", stateful_metrics=None):
        super().__init__()


class BaseLogger(Callback):
    """What takes the means of metrics; fit() does."""

    def __init__(self, stateful_metrics=None):
        super().__init__()


class List:
    """All callbacks of one call."""

    def __init__(self, callbacks, history, model, params):
        given = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks else []
        self.all = given + ([history] if history is not None else [])
        for each in self.all:
            each.set_model(model)
            each.set_params(params)

    def call(self, hook, *arguments):
        for each in self.all:
            getattr(each, hook)(*arguments)
            old = {"on_train_batch_begin": "on_batch_begin", "on_train_batch_end": "on_batch_end"}.get(hook)
            if old:
                getattr(each, old)(*arguments)


CALLBACKS = {made.__name__: made for made in (Callback, History, LambdaCallback, EarlyStopping, TerminateOnNaN,
                                              LearningRateScheduler, ReduceLROnPlateau, ModelCheckpoint, CSVLogger,
                                              TensorBoard, ProgbarLogger, BaseLogger)}
