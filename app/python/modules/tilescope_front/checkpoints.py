# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.train.Checkpoint and CheckpointManager of TensorFlow 2, and weights that models save so: the variables of objects by TensorFlow's names,
in PREFIX.npz."""
import os
import time

import numpy as np

from . import failures, object_graph
from .object_graph import COUNTER, GRAPH, VALUE
from .tf1 import saving as saving_1
from .tensors import graph
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


def _write(prefix, rows):
    folder = os.path.dirname(prefix)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(f"{prefix}.npz", "wb") as file:
        np.savez(file, **dict(rows))


def _take(name, variable, array):
    if np.shape(variable) != array.shape:
        raise ValueError(f"Received incompatible tensor with shape {array.shape} when attempting to restore variable with shape "
                         f"{np.shape(variable)} and name {name}.")
    if not np.array_equal(np.asarray(variable), array):
        variable.assign(array)


def read(objects, arrays):
    """Gives what hangs on an object what a checkpoint has for it: (the names that were taken, those that it has not)."""
    found, unassigned = set(), []
    for path, variable in objects.variables:
        name = next((each + VALUE for each in objects.paths(variable) if each + VALUE in arrays), None)
        if name is None:
            unassigned.append(path)
            continue
        _take(name, variable, arrays[name])
        found.add(name)
    for path, optimizer in objects.optimizers:
        taken = object_graph.take_optimizer(objects, optimizer, arrays)
        found |= taken
        unassigned += [] if taken else [path]
    for _, model in objects.uncompiled:  # the optimizer that one is compiled with takes what there is for it
        model.restores_ = lambda optimizer: object_graph.take_optimizer(object_graph.Objects(objects.root), optimizer, arrays)
    return found, unassigned


def save_model(model, prefix):
    """Model.save_weights() of a name without an ending."""
    _write(prefix, object_graph.rows(object_graph.Objects(model)))
    saving_1.name_last(prefix)


def load_model(model, prefix):
    """Sets a model's weights, and what its optimizer keeps, to what save_model() has written."""
    arrays = saving_1.CheckpointReader(prefix).arrays
    found, unassigned = read(object_graph.Objects(model), arrays)
    return _Status(sorted(set(arrays) - found - {COUNTER, GRAPH}), unassigned, len(found))


class Checkpoint:
    """Objects by name, whose variables it saves and restores; or those of one object, beside others by name."""

    def __init__(self, root=None, **kwargs):
        self.__dict__["of_root_"] = root
        self.__dict__["objects"] = dict(sorted(kwargs.items()))
        self.__dict__["save_counter"] = EagerVariable(np.int64(0), trainable=False, name="save_counter")

    def __getattr__(self, name):
        if name in vars(self).get("objects", ()):
            return self.objects[name]
        if name == "root" and vars(self).get("of_root_") is not None:
            return self.of_root_
        raise AttributeError(f"'Checkpoint' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name, value):
        """What it can keep, it keeps from then on."""
        self.objects.pop(name, None)
        if object_graph.is_kept(value) and name not in vars(self):
            self.objects[name] = value
        else:
            super().__setattr__(name, value)

    def kept_objects(self):
        """What hangs on it, by name. Errors: refused for what it cannot keep."""
        for name, held in self.objects.items():
            if not object_graph.is_kept(held) and held not in ([], (), {}):
                raise failures.refused(f"tf.train.Checkpoint({name}={type(held).__name__})", "it keeps variables, layers, models, modules, metrics and "
                                       "optimizers")
        return [*([] if self.of_root_ is None else object_graph.children(self.of_root_)), *self.objects.items()]

    def write(self, file_prefix, options=None):
        counter = [(COUNTER, np.asarray(self.save_counter))] if int(self.save_counter) else []  # once one has been numbered
        _write(os.fspath(file_prefix), object_graph.rows(object_graph.Objects(self), counter))
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
        objects = object_graph.Objects(self)
        for path, model in objects.models:
            if not model.built and any(name.startswith(path + "/") for name in arrays):
                raise failures.refused(f"tf.train.Checkpoint.restore() of {path}, which has no variables yet", "build the model, or call it, "
                                       "first")
        found, unassigned = read(objects, arrays)
        if COUNTER in arrays:
            self.save_counter.assign(arrays[COUNTER])
        return _Status(sorted(set(arrays) - found - {COUNTER, GRAPH}), unassigned, len(found))

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
        self.checkpoint.save_counter.assign_add(1)
        number = self.checkpoint.save_counter if checkpoint_number is None else graph.convert(checkpoint_number).value
        path = self.checkpoint.write(f"{self.prefix}-{int(number)}")
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
