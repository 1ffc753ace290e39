# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.train.Checkpoint and CheckpointManager of TensorFlow 2: the variables of objects, in PREFIX.npz."""
import os

import numpy as np

from . import failures, graph, keras_slots, saving_1
from .functions import EagerVariable


class _Status:
    """What restore() gives: all has been taken by then."""

    def __init__(self, missing=()):
        self.missing = list(missing)

    def assert_consumed(self):
        if self.missing:
            raise AssertionError(f"Unresolved object in checkpoint: {', '.join(self.missing)}")
        return self

    def assert_existing_objects_matched(self):
        return self

    assert_nontrivial_match = expect_partial = initialize_or_restore = run_restore_ops = assert_existing_objects_matched


def _arrays(name, held):
    """(name, array, how it is set) of what an object holds."""
    if hasattr(held, "get_weights") and hasattr(held, "apply_gradients"):
        return _of_optimizer(name, held)
    if isinstance(held, (list, tuple)):
        return [row for i, each in enumerate(held) for row in _arrays(f"{name}/{i}", each)]
    if isinstance(held, dict):
        return [row for key in sorted(held, key=str) for row in _arrays(f"{name}/{key}", held[key])]
    if hasattr(held, "assign"):
        return [(name, np.asarray(held), held.assign)]
    if isinstance(held, Checkpoint):
        return [row for key, each in sorted(held.objects.items()) for row in _arrays(f"{name}/{key}", each)]
    if hasattr(held, "variables"):
        listed = held.variables() if callable(held.variables) else held.variables
        return [(f"{name}/{i}", np.asarray(each), each.assign) for i, each in enumerate(listed)]
    raise failures.refused(f"tf.train.Checkpoint({name}={type(held).__name__})", "it keeps variables, layers, models, modules and optimizers")


def _of_optimizer(name, optimizer):
    weights = optimizer.get_weights()
    return [(f"{name}/{i}", np.asarray(each), None) for i, each in enumerate(weights)]


class Checkpoint:
    """Objects by name, whose variables it saves and restores."""

    def __init__(self, root=None, **kwargs):
        self.objects = {**({} if root is None else {"root": root}), **kwargs}
        self.save_counter = EagerVariable(np.int64(0), trainable=False, name="save_counter")

    def __getattr__(self, name):
        if name in vars(self).get("objects", ()):
            return self.objects[name]
        raise AttributeError(f"'Checkpoint' object has no attribute '{name}'", name=name, obj=self)

    def write(self, file_prefix, options=None):
        rows = [row for name, held in sorted(self.objects.items()) for row in _arrays(name, held)]
        folder = os.path.dirname(os.fspath(file_prefix))
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(f"{os.fspath(file_prefix)}.npz", "wb") as file:
            np.savez(file, save_counter=np.asarray(self.save_counter), **{name: array for name, array, _ in rows})
        return os.fspath(file_prefix)

    def save(self, file_prefix, options=None):
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}")
        saving_1.name_last(path)
        return path

    def read(self, save_path, options=None):
        if save_path is None:
            return _Status()
        arrays = saving_1.CheckpointReader(os.fspath(save_path)).arrays
        found = set()
        for name, held in self.objects.items():
            own = {key: array for key, array in arrays.items() if key == name or key.startswith(name + "/")}
            if own and hasattr(held, "get_weights") and hasattr(held, "apply_gradients"):
                keras_slots.restore(held, [own[key] for key in sorted(own, key=lambda key: int(key.rpartition("/")[2]))])
                found.update(own)
                continue
            rows = _arrays(name, held)
            if own and not rows:
                raise failures.refused(f"tf.train.Checkpoint.restore() of {name}, which has no variables yet", "build the model, or call it, "
                                       "first")
            for key, array, assign in rows:
                if key in own:
                    if np.shape(array) != own[key].shape:
                        raise ValueError(f"Received incompatible tensor with shape {own[key].shape} when attempting to restore variable "
                                         f"with shape {np.shape(array)} and name {key}.")
                    assign(own[key])
                    found.add(key)
        if "save_counter" in arrays:
            self.save_counter.assign(arrays["save_counter"])
        return _Status(sorted(set(arrays) - found - {"save_counter"}))

    def restore(self, save_path, options=None):
        return self.read(save_path)


class CheckpointManager:
    """The last few checkpoints of a folder."""

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt", step_counter=None,
                 checkpoint_interval=None, init_fn=None):
        self.checkpoint, self.directory, self.most = checkpoint, os.fspath(directory), max_to_keep
        self.prefix, self.init_fn = os.path.join(self.directory, checkpoint_name), init_fn
        last = saving_1.latest_checkpoint(self.directory)
        self.checkpoints = [last] if last else []

    latest_checkpoint = property(lambda self: self.checkpoints[-1] if self.checkpoints else None)

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        if checkpoint_number is None:
            path = self.checkpoint.save(self.prefix)
        else:
            path = self.checkpoint.write(f"{self.prefix}-{int(graph.convert(checkpoint_number).value)}")
            saving_1.name_last(path)
        self.checkpoints.append(path)
        while self.most is not None and len(self.checkpoints) > self.most:
            old = self.checkpoints.pop(0)
            if old not in self.checkpoints and os.path.exists(old + ".npz"):
                os.remove(old + ".npz")
        return path

    def restore_or_initialize(self):
        if self.latest_checkpoint is not None:
            self.checkpoint.restore(self.latest_checkpoint)
            return self.latest_checkpoint
        if self.init_fn is not None:
            self.init_fn()
        return None


NAMES = {"Checkpoint": Checkpoint, "CheckpointManager": CheckpointManager}
