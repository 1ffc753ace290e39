# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.train.Checkpoint and CheckpointManager of TensorFlow 2: the variables of objects, in PREFIX.npz."""
import os
import time

import numpy as np

from . import failures
from .keras import hyper as keras_hyper, slots as keras_slots
from .tf1 import saving as saving_1
from .tracing import graph
from .tracing.functions import EagerVariable


class _Status:
    """What restore() gives: what is not in the program, what the file does not have, and whether anything was taken."""

    def __init__(self, unresolved=(), unassigned=(), taken=0):
        self.unresolved, self.unassigned, self.taken = list(unresolved), list(unassigned), taken

    def assert_consumed(self):
        if self.unresolved:
            raise AssertionError(f"Unresolved object in checkpoint: {', '.join(self.unresolved)}")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self):
        if self.unassigned:
            raise AssertionError("Some Python objects were not bound to checkpointed values, likely due to changes in the Python program: "
                                 + ", ".join(self.unassigned))
        return self

    def assert_nontrivial_match(self):
        if not self.taken:
            raise AssertionError("Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint "
                                 "does not match the Python program.")
        return self

    def expect_partial(self):
        return self

    initialize_or_restore = run_restore_ops = expect_partial


class _Nothing(_Status):
    """What restore(None) gives."""

    def assert_consumed(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed


def whole(taken):
    """What load_weights() gives of a file that has all of a model."""
    return _Status(taken=len(taken))


class _Uncompiled:
    """A model that has no optimizer yet: the one that it is compiled with takes what is restored for it."""

    def __init__(self, model):
        self.model = model

    def take(self, name, arrays):
        own = {key: array for key, array in arrays.items() if key.startswith(name + "/")}
        if own:
            self.model.restores_ = lambda optimizer: _take_optimizer(name, optimizer, own)


def _is_optimizer(held):
    return hasattr(held, "get_weights") and hasattr(held, "apply_gradients")


def _is_kept(held):
    return _is_optimizer(held) or isinstance(held, (list, tuple, dict, Checkpoint)) or hasattr(held, "assign") or hasattr(held, "variables")


def _leaves(name, held):
    """(name, variable or optimizer) of what an object holds."""
    if _is_optimizer(held) or hasattr(held, "assign"):
        return [(name, held)]
    if isinstance(held, (list, tuple)):
        return [row for i, each in enumerate(held) for row in _leaves(f"{name}/{i}", each)]
    if isinstance(held, dict):
        return [row for key in sorted(held, key=str) for row in _leaves(f"{name}/{key}", held[key])]
    if isinstance(held, Checkpoint):
        return [row for key, each in sorted(held.objects.items()) for row in _leaves(f"{name}/{key}", each)]
    if hasattr(held, "variables"):
        listed = held.variables() if callable(held.variables) else held.variables
        own = []
        if hasattr(held, "optimizer") and hasattr(held, "compile"):
            own = [(f"{name}/optimizer", _Uncompiled(held))] if held.optimizer is None else _leaves(f"{name}/optimizer", held.optimizer)
        return [(f"{name}/{i}", each) for i, each in enumerate(listed)] + own
    raise failures.refused(f"tf.train.Checkpoint({name}={type(held).__name__})", "it keeps variables, layers, models, modules and optimizers")


def _numbers(optimizer):
    """The numbers among the settings of an optimizer, which are variables: by name."""
    settings = getattr(optimizer, "settings", {})
    found = {key: keras_hyper.setting(optimizer, key) for key in keras_hyper.NUMBERS if key in settings}
    return {key: each for key, each in found.items() if isinstance(each, keras_hyper.Hyper)}


def _arrays(name, leaf):
    """(name, array) of a variable, or of what an optimizer keeps."""
    if isinstance(leaf, _Uncompiled):
        return []
    if not _is_optimizer(leaf):
        return [(name, np.asarray(leaf))]
    weights = [(f"{name}/{i}", np.asarray(each)) for i, each in enumerate(keras_slots.weights_to_keep(leaf))]
    return weights + [(f"{name}/{key}", np.asarray(each)) for key, each in _numbers(leaf).items()]


def _take_optimizer(name, optimizer, arrays):
    """Restores an optimizer; gives the names of what it has taken."""
    weights = sorted((key for key in arrays if key.rpartition("/")[0] == name and key.rpartition("/")[2].isdigit()),
                     key=lambda key: int(key.rpartition("/")[2]))
    keras_slots.restore(optimizer, [arrays[key] for key in weights])
    numbers = {f"{name}/{key}": each for key, each in _numbers(optimizer).items() if f"{name}/{key}" in arrays}
    for key, each in numbers.items():
        if not np.array_equal(each, arrays[key]):
            each.assign(arrays[key])
    return {*weights, *numbers}


class Checkpoint:
    """Objects by name, whose variables it saves and restores."""

    def __init__(self, root=None, **kwargs):
        self.__dict__["objects"] = {**({} if root is None else {"root": root}), **kwargs}
        self.__dict__["save_counter"] = EagerVariable(np.int64(0), trainable=False, name="save_counter")

    def __getattr__(self, name):
        if name in vars(self).get("objects", ()):
            return self.objects[name]
        raise AttributeError(f"'Checkpoint' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name, value):
        """What it can keep, it keeps from then on."""
        self.objects.pop(name, None)
        if _is_kept(value) and name not in vars(self):
            self.objects[name] = value
        else:
            super().__setattr__(name, value)

    def write(self, file_prefix, options=None):
        rows = [row for name, held in sorted(self.objects.items()) for leaf in _leaves(name, held) for row in _arrays(*leaf)]
        folder = os.path.dirname(os.fspath(file_prefix))
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(f"{os.fspath(file_prefix)}.npz", "wb") as file:
            np.savez(file, save_counter=np.asarray(self.save_counter), **dict(rows))
        return os.fspath(file_prefix)

    def save(self, file_prefix, options=None):
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}")
        saving_1.name_last(path)
        return path

    def read(self, save_path, options=None):
        if save_path is None:
            return _Nothing()
        arrays = saving_1.CheckpointReader(os.fspath(save_path)).arrays
        found, unassigned = set(), []
        for name, held in sorted(self.objects.items()):
            leaves = _leaves(name, held)
            if not leaves and any(key.startswith(name + "/") for key in arrays):
                raise failures.refused(f"tf.train.Checkpoint.restore() of {name}, which has no variables yet", "build the model, or call it, "
                                       "first")
            for key, leaf in leaves:
                if isinstance(leaf, _Uncompiled):
                    leaf.take(key, arrays)
                    continue
                taken = _take_optimizer(key, leaf, arrays) if _is_optimizer(leaf) else self._take(key, leaf, arrays)
                found |= taken
                unassigned += [] if taken else [key]
        if "save_counter" in arrays:
            self.save_counter.assign(arrays["save_counter"])
        return _Status(sorted(set(arrays) - found - {"save_counter"}), unassigned, len(found))

    @staticmethod
    def _take(key, variable, arrays):
        if key not in arrays:
            return set()
        if np.shape(variable) != arrays[key].shape:
            raise ValueError(f"Received incompatible tensor with shape {arrays[key].shape} when attempting to restore variable "
                             f"with shape {np.shape(variable)} and name {key}.")
        variable.assign(arrays[key])
        return {key}

    def restore(self, save_path, options=None):
        return self.read(save_path)


class CheckpointManager:
    """The last few checkpoints of a folder."""

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt", step_counter=None,
                 checkpoint_interval=None, init_fn=None):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self.checkpoint, self.directory, self.most, self.hours = checkpoint, os.fspath(directory), max_to_keep, keep_checkpoint_every_n_hours
        self.prefix, self.init_fn = os.path.join(self.directory, checkpoint_name), init_fn
        self.step_counter, self.checkpoint_interval, self.last_step = step_counter, checkpoint_interval, None
        state, now = saving_1.get_checkpoint_state(self.directory), time.time()
        paths = [] if state is None else state.all_model_checkpoint_paths
        times = [] if state is None else state.all_model_checkpoint_timestamps
        times = times if len(times) == len(paths) else [now - len(paths) + i for i in range(len(paths))]
        self.kept = dict(zip(paths, times))  # when each was written, the oldest first
        self.latest_checkpoint = None if state is None else state.model_checkpoint_path
        self.preserved = now - 1 if state is None else state.last_preserved_timestamp or now

    checkpoints = property(lambda self: list(self.kept))

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        if self.checkpoint_interval is not None:
            step = int(self.step_counter)
            if check_interval and self.last_step is not None and step < self.last_step + self.checkpoint_interval:
                return None
            self.last_step = step
        if checkpoint_number is None:
            path = self.checkpoint.save(self.prefix)
        else:
            path = self.checkpoint.write(f"{self.prefix}-{int(graph.convert(checkpoint_number).value)}")
        self.kept.pop(path, None)
        self.kept[path] = time.time()
        self.latest_checkpoint = path
        while self.most is not None and len(self.kept) > self.most:
            old = next(iter(self.kept))
            written = self.kept.pop(old)
            if self.hours and written - self.hours * 3600 >= self.preserved:
                self.preserved = written
            elif os.path.exists(old + ".npz"):
                os.remove(old + ".npz")
        saving_1.name_last(path, self.kept, self.preserved)
        return path

    def restore_or_initialize(self):
        if self.latest_checkpoint is not None:
            self.checkpoint.restore(self.latest_checkpoint)
            if self.checkpoint_interval is not None:
                self.last_step = int(self.step_counter)
            return self.latest_checkpoint
        if self.init_fn is not None:
            self.init_fn()
        return None


NAMES = {"Checkpoint": Checkpoint, "CheckpointManager": CheckpointManager}
