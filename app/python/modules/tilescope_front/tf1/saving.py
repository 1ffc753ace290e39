# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.train.Saver and tf.metrics of TensorFlow 1. A checkpoint is PREFIX.npz, with the file "checkpoint" beside it that
names the last."""
import json
import os
import time

import numpy as np

from ..tracing import graph_variables as variables
from ..tensors import graph
from .. import errors
from ..operations import elementary as operations

_LIST = "checkpoint"
_HIDDEN = "tilescope/"  # what begins so in a checkpoint is of the engine, and listed nowhere
_NAMES = _HIDDEN + "names"  # how the engine calls what is not called as in the graph; null: what it works out


def write(weights, prefix, keep=None, **others):
    """All values of a session's weights, or those in `keep`: the weight of each name in the file; and others by name."""
    folder = os.path.dirname(prefix)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(prefix + ".npz", "wb") as file:
        named = keep or {name: name for name in weights.names()}
        np.savez(file, **{name: weights.get(key) for name, key in named.items()}, **others)
    name_last(prefix)
    return prefix


def write_all(weights, made, prefix, **others):
    """All variables of a graph, by TensorFlow's names, and what else the engine keeps."""
    with made.as_default():
        listed = {each.name.partition(":")[0]: each for each in variables.global_variables()}
        local = {each.key for each in variables.of_graph(variables.LOCAL)}
    powers = {name: each.of_count(weights.get(each.count) if each.count in weights else 0) for name, each in listed.items()
              if hasattr(each, "of_count")}
    named = {name: each.key for name, each in listed.items() if name not in powers and each.key in weights}
    rest = set(weights.names()) - set(named.values()) - local
    told = {**{name: key for name, key in named.items() if name != key}, **dict.fromkeys([*powers, *others])}
    return write(weights, prefix, {**named, **{_HIDDEN + name: name for name in rest}}, **powers, **others, **{_NAMES: np.asarray(json.dumps(told))})


def name_last(prefix, kept=None, preserved=None):
    """Names a checkpoint as the last one of its folder. `kept`: by paths, when they were written, where others are known as well;
    `preserved`: when the last was written that is not deleted."""
    kept = {prefix: time.time()} if kept is None else kept
    lines = [f'model_checkpoint_path: "{os.path.basename(prefix)}"']
    lines += [f'all_model_checkpoint_paths: "{os.path.basename(each)}"' for each in kept]
    lines += [f"all_model_checkpoint_timestamps: {each!r}" for each in kept.values()]
    lines += [] if preserved is None else [f"last_preserved_timestamp: {preserved!r}"]
    with open(os.path.join(os.path.dirname(prefix), _LIST), "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))


class CheckpointState:
    """tf.train.get_checkpoint_state: which checkpoints a folder has, and which is the last."""

    def __init__(self, folder, path):
        with open(path, encoding="utf-8") as file:
            rows = [line.strip().partition(": ")[::2] for line in file if ": " in line]
        told = {name: [value.strip('"') for key, value in rows if key == name] for name, _ in rows}
        self.model_checkpoint_path = os.path.join(folder, told["model_checkpoint_path"][0])
        paths = [os.path.join(folder, each) for each in told.get("all_model_checkpoint_paths", ())]
        self.all_model_checkpoint_paths = paths or [self.model_checkpoint_path]
        self.all_model_checkpoint_timestamps = [float(each) for each in told.get("all_model_checkpoint_timestamps", ())]
        self.last_preserved_timestamp = float(told.get("last_preserved_timestamp", [0.0])[0])


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    path = os.path.join(checkpoint_dir, latest_filename or _LIST)
    return CheckpointState(checkpoint_dir, path) if os.path.exists(path) else None


def read(weights, prefix, keep=None):
    """Sets weights, as `write` takes them; gives their names."""
    file = CheckpointReader(prefix)
    if keep is None:
        told = json.loads(str(file.hidden.pop(_NAMES[len(_HIDDEN):], "{}")))
        keep = {name: told.get(name, name) for name in file.arrays if told.get(name, name) is not None}
        keep.update({_HIDDEN + name: name for name in file.hidden})
    for name, key in keep.items():
        put = weights.set if key in weights else weights.make  # programs have the memory of those that are there
        put(key, file.hidden[key] if name.startswith(_HIDDEN) else file.get_tensor(name))
    return list(keep.values())


class CheckpointReader:
    """What is in a checkpoint, or in the last one of a folder: tf.train.load_checkpoint, pywrap_tensorflow.NewCheckpointReader."""

    def __init__(self, prefix):
        self.prefix = prefix = (latest_checkpoint(prefix) if os.path.isdir(prefix) else None) or prefix
        if not os.path.exists(prefix + ".npz"):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        with np.load(prefix + ".npz") as file:
            everything = {name: file[name] for name in file.files}
        self.arrays = {name: array for name, array in everything.items() if not name.startswith(_HIDDEN)}
        self.hidden = {name[len(_HIDDEN):]: array for name, array in everything.items() if name.startswith(_HIDDEN)}

    def has_tensor(self, name):
        return name in self.arrays

    def get_tensor(self, name):
        if name not in self.arrays:
            raise errors.NotFoundError(message=f"Key {name} not found in checkpoint {self.prefix}")
        return self.arrays[name][()] if self.arrays[name].dtype.kind == "S" else self.arrays[name]

    def get_variable_to_shape_map(self):
        return {name: list(array.shape) for name, array in self.arrays.items()}

    def get_variable_to_dtype_map(self):
        return {name: graph.as_dtype(array.dtype) for name, array in self.arrays.items()}


def list_variables(ckpt_dir_or_file):
    """(name, shape) of all."""
    return sorted(CheckpointReader(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file, name):
    return CheckpointReader(ckpt_dir_or_file).get_tensor(name)


READERS = {"get_checkpoint_state": get_checkpoint_state, "load_checkpoint": CheckpointReader, "list_variables": list_variables, "load_variable": load_variable}


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    return None if state is None else state.model_checkpoint_path


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Variables begin with what a checkpoint has: {its name or scope/: a variable, its name or scope/}."""
    reader, known = CheckpointReader(ckpt_dir_or_file), {each.key: each for each in variables.of_graph(variables.GLOBAL)}
    for theirs, ours in (assignment_map.items() if isinstance(assignment_map, dict) else assignment_map):
        if not isinstance(ours, str):
            pairs = [(theirs, each) for each in (ours if isinstance(ours, (list, tuple)) else [ours])]
        elif theirs.endswith("/") and ours.endswith("/"):
            before = theirs.lstrip("/")
            pairs = [(before + key[len(ours.lstrip("/")):], each) for key, each in known.items() if key.startswith(ours.lstrip("/"))]
        else:
            pairs = [(theirs, known[ours])] if ours in known else []
        if not pairs:
            raise ValueError(f"Assignment map with scope or name {ours} has no variables of this graph.")
        for name, variable in pairs:
            values = reader.arrays.get(name)
            if values is None:
                raise ValueError(f"Tensor {name} is not found in {ckpt_dir_or_file} checkpoint {sorted(reader.arrays)[:3]}")
            if tuple(values.shape) != tuple(variable.dims):
                raise ValueError(f"Shape of variable {variable.name} ({tuple(variable.dims)}) doesn't match with shape of tensor {name} "
                                 f"({list(values.shape)}) from checkpoint reader.")
            variable.first = values


def checkpoint_exists(checkpoint_prefix):
    return any(os.path.exists(f"{checkpoint_prefix}{ending}") for ending in (".npz", ".weights.h5"))  # the latter of Keras' models


class Saver:
    """Keeps a session's variables in files: those of layers and optimisers with them."""

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5,
                 keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False, saver_def=None,
                 builder=None, defer_build=False, allow_empty=False, write_version=2, pad_step_number=False,
                 save_relative_paths=False, filename=None):
        self.given = var_list
        self._take({} if var_list is None else var_list)
        self.kept, self.most = {}, max_to_keep  # when what it has saved was, by the paths

    def _take(self, listed):
        """Takes what it saves and restores: variables, by the names that they have in files, or have there as in the graph."""
        named = listed if isinstance(listed, dict) else {each.name.partition(":")[0]: each for each in listed}
        self.names = {name: each.key for name, each in named.items() if not hasattr(each, "of_count")}
        self.powers = {name: each for name, each in named.items() if name not in self.names}
        self.counts = {each.count for each in named.values() if hasattr(each, "count")}  # of the updates of those whose slots are kept

    def _others(self, known):
        """What else the engine has of a graph of which all is saved, by its own names: what no variable stands for."""
        if self.given is not None:
            return set()
        local = {each.key for each in variables.of_graph(variables.LOCAL)}
        return set(known) - set(self.names.values()) - local

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta", write_meta_graph=True,
             write_state=True, strip_default_attrs=False, save_debug_info=False):
        step = sess.run(global_step) if hasattr(global_step, "tensor_of_variable") else global_step
        prefix = save_path if step is None else f"{save_path}-{int(step)}"
        with sess.graph.as_default():
            for variable in variables.global_variables():
                sess.value_of(variable)  # what no program has read yet
            if self.given is None:
                self._take(variables.global_variables())
            others = {count for count in self.counts if count in sess.weights} | self._others(sess.weights.names())
        write(sess.weights, prefix, {**self.names, **{_HIDDEN + name: name for name in others}},
              **{name: sess.value_of(each) for name, each in self.powers.items()})
        self.kept.pop(prefix, None)  # of the same path before
        self.kept[prefix] = time.time()
        while self.most and len(self.kept) > self.most:
            oldest = next(iter(self.kept))
            del self.kept[oldest]
            if os.path.exists(oldest + ".npz"):
                os.remove(oldest + ".npz")
        name_last(prefix, self.kept)
        return prefix

    def restore(self, sess, save_path):
        hidden = CheckpointReader(save_path).hidden
        with sess.graph.as_default():
            if self.given is None:
                self._take(variables.global_variables())
            others = {count for count in self.counts if count in hidden} | self._others(set(hidden))
        sess.initialised.update(read(sess.weights, save_path, {**self.names, **{_HIDDEN + name: name for name in others}}))
        sess.initialised.update(each.key for each in self.powers.values())
        sess.all_initialised = sess.all_initialised or self.given is None

    last_checkpoints = property(lambda self: list(self.kept))


def local(name, shape=()):
    """A local variable of zeros."""
    here, full, number = graph.current(), name, 0
    root = here.outermost()
    while full in root.variables:
        number += 1
        full = f"{name}_{number}"
    return variables._get(full, shape, "float32", np.zeros(shape, np.float32), False, True, collection=variables.LOCAL)


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """(the mean of all values so far, what adds those of this step and gives the new mean)."""
    values = operations.cast(values, "float32")
    counts = operations.ones_like(values) if weights is None else operations.cast(weights, "float32")
    prefix = name or "mean"
    total, count = local(f"{prefix}/total"), local(f"{prefix}/count")
    added = total.assign_add(operations.reduce_sum(operations.multiply(values, counts)))
    counted = count.assign_add(operations.reduce_sum(counts))
    value = operations.divide(total, operations.maximum(count, 1e-30))
    return value, operations.divide(added, operations.maximum(counted, 1e-30))


def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    hits = operations.equal(operations.cast(labels, "int32"), operations.cast(predictions, "int32"))
    return mean(operations.cast(hits, "float32"), weights, name=name or "accuracy")


def mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None,
                       name=None):
    difference = operations.subtract(predictions, labels)
    return mean(operations.multiply(difference, difference), weights, name=name or "mean_squared_error")


def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return mean(operations.abs_(operations.subtract(predictions, labels)), weights, name=name or "mean_absolute_error")


METRICS = {f.__name__: f for f in (mean, accuracy, mean_absolute_error, mean_squared_error)}
