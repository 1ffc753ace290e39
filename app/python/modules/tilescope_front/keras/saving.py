# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras' files: HDF5 as Keras 2 writes it (keras/saving/hdf5_format.py); read in every form that the engine knows."""
import json
import os

import numpy as np

import tilescope_engine as engine

from .. import configured, failures, host
from ..optimizers import slots

ENDINGS = (".h5", ".hdf5", ".keras")
_FORMATS = {"h5": True, "hdf5": True, "keras": True, "tf": False, "tensorflow": False}
_MODEL, _WEIGHTS = "tilescope_model.h5", "tilescope_weights.h5"  # in the folders that Model.save makes
NO_SAVED_MODELS = "SavedModels are neither read nor written; convert one to ONNX for tilescope profile: python -m tf2onnx.convert --saved-model DIR " \
    "--output model.onnx, or save the Keras model with model.save(\"model.h5\"), and load that with keras.models.load_model"
_OPTIMIZER = "optimizer_weights"  # the group of what it keeps


def _is_file(path, save_format, method):
    """Whether Keras writes an HDF5 file by a name; else it is what TensorFlow has folders or several files for."""
    wanted = _FORMATS.get(str(save_format).lower(), save_format)
    if save_format is not None and not isinstance(wanted, bool):
        raise ValueError(f"{method}() knows the formats {', '.join(_FORMATS)}, and got {save_format!r}.")
    if wanted is False and method == "save_weights" and path.endswith(ENDINGS):
        raise ValueError(f"save_weights('{path}') is to write a checkpoint of TensorFlow by the name of an HDF5 file: leave out the ending or "
                         "save_format.")
    return path.endswith(ENDINGS) or bool(wanted)


def _weights_file(path):
    """Of the folder of a model, or of a prefix, as TensorFlow's checkpoints have them."""
    kept = [os.path.join(path, each) for each in (_MODEL, _WEIGHTS)]
    return next((each for each in kept if os.path.exists(each)), None) or path + ".weights.h5"


def _check_folder(path):
    """Of a model, in the place of a SavedModel. Errors: refused where something is there that Model.save has not made."""
    if os.path.exists(path) and not (os.path.isdir(path) and {_MODEL, _WEIGHTS, None} & {*(os.listdir(path) or [None])}):
        raise failures.refused(f"Model.save('{path}') over something that it has not made", "give another folder, or the name of an HDF5 file: "
                               f"'{path}.h5'")


def _write_folder(path, model, include_optimizer):
    """All of a model, or its weights where part of it is Python; what was there goes once that is written."""
    _check_folder(path)
    os.makedirs(path, exist_ok=True)
    whole, weights = (os.path.join(path, each) for each in (_MODEL, _WEIGHTS))
    if model.is_described:
        _write_model(whole, model, include_optimizer)
    else:
        _write_weights(weights, model)
    former = weights if model.is_described else whole
    if os.path.exists(former):
        os.remove(former)
    host.tell_once(f"tilescope: note: Model.save() of a name without .h5 makes a folder with {_MODEL}, or {_WEIGHTS} where part of the model is "
                   "Python, in the place of a SavedModel: TensorFlow does not read such a folder, but that file")


def _may_write(path, overwrite):
    """Asks where something is in the way and the script has not said that it may go. Errors: where nobody answers."""
    answer = "y" if overwrite or not os.path.exists(path) else ""
    while answer not in ("y", "n"):
        try:
            answer = input(f"{path} is there already: overwrite it? [y/n] ").strip().lower()
        except EOFError:
            raise FileExistsError(f"{path} is there already, and nobody says whether to overwrite it: save by another name, or with "
                                  "overwrite=True") from None
    return answer == "y"


def _write_layers(file, model, group):
    rows = [(layer.name, model.variables_of(layer.name)) for layer in model.layers]
    if model.own_variables():  # of the model itself
        rows.append((model.name, model.variables_of(model.name)))
    for attribute, value in (("backend", "tensorflow"), ("keras_version", "2.6.0")):
        file.text(group, attribute, value)
    file.texts(group, "layer_names", [name for name, _ in rows])
    for name, variables in rows:
        here = f"{group}/{name}" if group else name
        file.group(here)
        names = [each.name for each in variables]
        names = names if len(set(names)) == len(names) else [f"{each.key}:0" for each in variables]
        file.texts(here, "weight_names", names)
        for variable, own in zip(variables, names):
            file.data_set(f"{here}/{own}", variable.numpy())


def save_weights(model, filepath, overwrite=True, save_format=None, options=None):
    """As an HDF5 file; by a name without its ending as a checkpoint."""
    path = os.fspath(filepath)
    is_file = _is_file(path, save_format, "save_weights")
    if not _may_write(path if is_file else path + ".npz", overwrite):
        return
    if is_file:
        _write_weights(path, model)
        return
    from .. import checkpoints
    checkpoints.save_model(model, path)
    host.tell_once("tilescope: note: save_weights() of a name without .h5 writes NAME.npz in the place of a checkpoint of TensorFlow: with "
                   "the same names in it, but only .h5 is a file that TensorFlow reads")


def _write_weights(path, model):
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    _write_layers(engine.Hdf5Writer(path), model, "")


def save(model, filepath, overwrite=True, include_optimizer=True, save_format=None, signatures=None, options=None,
         save_traces=True):
    path = os.fspath(filepath)
    if not _may_write(path, overwrite):
        return
    if _is_file(path, save_format, "save"):
        _write_model(path, model, include_optimizer)
    else:
        _write_folder(path, model, include_optimizer)


def _write_model(path, model, include_optimizer):
    document = model.to_json()
    file = engine.Hdf5Writer(path)
    file.text("", "model_config", document)
    if getattr(model.optimizer, "parameters", "") and model.loss is not None:
        file.text("", "training_config", json.dumps({**_described(model.compiled_with_), "optimizer_config": model.optimizer.document()},
                                                    default=configured.plain))
        if include_optimizer:
            _write_optimizer(file, model.optimizer)
    file.group("model_weights")
    _write_layers(file, model, "model_weights")


def _described(given):
    """What compile() was given, in any nesting, as configurations and names."""
    if isinstance(given, dict):
        return {key: _described(each) for key, each in given.items()}
    if isinstance(given, (list, tuple)):
        return [_described(each) for each in given]
    if given is None or isinstance(given, (str, int, float)):
        return given
    return {"class_name": type(given).__name__, "config": given.get_config()} if hasattr(given, "get_config") else configured.plain(given)


def _write_optimizer(file, optimizer):
    """What it keeps: how often it has updated, then what it has of each variable."""
    kept = slots.variables(optimizer)
    if kept:
        file.group(_OPTIMIZER)
        file.texts(_OPTIMIZER, "weight_names", [each.name for each in kept])
        for each in kept:
            values = np.asarray(each.numpy())
            file.data_set(f"{_OPTIMIZER}/{each.name}", values.astype(np.int32) if values.dtype.kind == "i" else values)


def load_weights(model, filepath, by_name=False, skip_mismatch=False, options=None):
    path = os.fspath(filepath)
    named, is_checkpoint = _weights_file(path), os.path.exists(path + ".npz")
    if path.endswith(ENDINGS) or os.path.isfile(path) and not is_checkpoint and not os.path.exists(named):
        return _load(model, path, by_name)
    from .. import checkpoints
    if not model.built and model.example_ is None and (is_checkpoint or os.path.exists(named)):  # as TensorFlow's checkpoints wait for variables
        model.awaited_ = path if is_checkpoint else named, by_name
        return checkpoints.whole([named])
    if is_checkpoint:
        return checkpoints.load_model(model, path)
    _load(model, named, by_name)
    return checkpoints.whole(model.weights)


def load_awaited(model):
    """What load_weights() was to load into a model that had no variables yet."""
    awaited = model.__dict__.pop("awaited_", None)
    if awaited is not None and os.path.exists(awaited[0] + ".npz"):
        from .. import checkpoints
        checkpoints.load_model(model, awaited[0])
    elif awaited is not None:
        _load(model, *awaited)


def _load(model, path, by_name):
    if not os.path.exists(path):
        raise FileNotFoundError(f"[Errno 2] Unable to open file (no such file: '{path}')")
    if path.endswith(".keras"):
        return _load_by_engine(model, path)
    file = engine.Hdf5File(path)
    group = next((g for g in ("model_weights", "") if file.texts(g, "layer_names") is not None), None)
    if group is None:
        return _load_by_engine(model, path)
    saved = [(name, _values(file, f"{group}/{name}" if group else name)) for name in file.texts(group, "layer_names")]
    return _set(model, [each for each in saved if each[1]], by_name)


def _load_by_engine(model, path):
    model.variables_list()
    document = {**model.to_dict(), "seed": model.seed}
    document["model"]["weights"] = os.path.abspath(path)
    host.run().load_keras_file(json.dumps(document), model.store)


def _values(file, group):
    return [file.floats(f"{group}/{name}") for name in file.texts(group, "weight_names") or []]


def _set(model, saved, by_name):
    names = [layer.name for layer in model.layers] + ([model.name] if model.own_variables() else [])
    own = [(name, model.variables_of(name)) for name in names]
    own = [(name, variables) for name, variables in own if variables]
    if by_name:
        values = dict(saved)
        pairs = [(name, variables, values[name]) for name, variables in own if name in values]
    elif len(own) != len(saved):
        raise ValueError(f"You are trying to load a weight file containing {len(saved)} layers into a model with "
                         f"{len(own)} layers.")
    else:
        pairs = [(name, variables, values) for (name, variables), (_, values) in zip(own, saved)]
    for name, variables, values in pairs:
        shapes, given = [tuple(v.shape) for v in variables], [np.shape(v) for v in values]
        if shapes != given:
            raise ValueError(f"Layer \"{name}\" expects weights of the shapes {shapes}, the file has {given}.")
        for variable, value in zip(variables, values):
            variable.put(value)


def load_model(filepath, custom_objects=None, compile=True, options=None):
    from . import config as keras_config
    path = os.fspath(filepath)
    if os.path.isfile(os.path.join(path, _WEIGHTS)):
        raise failures.refused(f"keras.models.load_model('{path}') of a model of which a part is Python", "make the model as the script did that "
                               f"saved it, and call load_weights('{path}')")
    if os.path.isfile(os.path.join(path, _MODEL)):
        path = os.path.join(path, _MODEL)
    if os.path.isdir(path):
        raise failures.refused(f"keras.models.load_model('{path}')", "a SavedModel holds a graph of TensorFlow; save the "
                               "model as .h5 or .keras there")
    if not os.path.exists(path):
        raise OSError(f"SavedModel file does not exist at: {path}/{{saved_model.pbtxt|saved_model.pb}}")
    text, training, has_weights = engine.read_keras_file(path)
    made = keras_config.model_from_json(text, custom_objects)
    if has_weights:
        load_weights(made, path)
    if training and compile:
        _compile(made, json.loads(training), custom_objects)
        kept = [] if path.endswith(".keras") or made.optimizer is None else _values(engine.Hdf5File(path), _OPTIMIZER)
        slots.restore(made.optimizer, kept)
    return made


class Loaded:
    """tf.saved_model.load(): a model that tf.saved_model.save() or Model.save() has kept."""

    def __init__(self, model):
        self.model, self.variables, self.trainable_variables = model, model.variables, model.trainable_variables
        self.signatures = {"serving_default": self._served}

    def __call__(self, inputs, training=False):
        return self.model(inputs, training=training)

    def _served(self, *args, **inputs):
        """The outputs by name, of inputs by name."""
        given = list(args) or [inputs.get(name) for name in self.model.input_names] if len(inputs) > 1 else list(args) or list(inputs.values())
        made = self.model(given if len(given) > 1 else given[0])
        return dict(zip(self.model.output_names, made if isinstance(made, (list, tuple)) else [made]))


def save_object(obj, export_dir, signatures=None, options=None):
    """tf.saved_model.save(), of a model of Keras: as Model.save() does."""
    if not hasattr(obj, "save") or not hasattr(obj, "fit"):
        raise failures.refused(f"tf.saved_model.save() of a {type(obj).__name__}", "functions are not written; keep its variables with "
                               "tf.train.Checkpoint")
    obj.save(os.fspath(export_dir), save_format="tf")


def load_object(export_dir, tags=None, options=None):
    if not is_kept(export_dir):
        raise failures.refused(f"tf.saved_model.load('{os.fspath(export_dir)}')", NO_SAVED_MODELS)
    return Loaded(load_model(os.fspath(export_dir)))


def is_kept(export_dir):
    """tf.saved_model.contains_saved_model()."""
    return any(os.path.exists(os.path.join(os.fspath(export_dir), each)) for each in (_MODEL, _WEIGHTS))


def add_names():
    from .. import names
    names.module("tensorflow.saved_model", save=save_object, load=load_object, contains_saved_model=is_kept)


def _compile(model, config, custom_objects):
    """As the saved model was: with an optimizer and a loss by name, or as Keras describes them; else it stays to be compiled."""
    from . import objects as keras_objects
    optimizer = config.get("optimizer_config") or config.get("optimizer")
    if not isinstance(optimizer, (dict, str)) or not config.get("loss"):
        return
    made = keras_objects.OPTIMIZERS.deserialize(optimizer, custom_objects) if isinstance(optimizer, dict) else optimizer
    loss = _each(config["loss"], lambda given: (custom_objects or {}).get(given, given) if isinstance(given, str) else
                 keras_objects.LOSSES.deserialize(given, custom_objects))
    metrics = {key: _each(config.get(key), lambda given: _metric(given, custom_objects)) for key in ("metrics", "weighted_metrics")}
    if len(model.outputs or ()) < 2:  # where Keras may have listed them by output
        metrics = {key: each if isinstance(each, dict) else _listed(each or []) or None for key, each in metrics.items()}
    model.compile(made, loss, loss_weights=config.get("loss_weights"), **metrics)


def _each(given, made):
    """The same nesting of what `made` makes of configurations and names."""
    if isinstance(given, list):
        return [_each(each, made) for each in given]
    if isinstance(given, dict) and "class_name" not in given:
        return {key: _each(each, made) for key, each in given.items()}
    return None if given is None else made(given)


def _listed(given):
    return [each for part in given for each in _listed(part)] if isinstance(given, list) else [given]


def _metric(given, custom_objects):
    """A metric by name or description: a mean of a function is the function."""
    from . import objects as keras_objects
    if isinstance(given, dict) and given.get("class_name") == "MeanMetricWrapper":
        given = given["config"].get("fn") or given["config"]["name"]
    return (custom_objects or {}).get(given, given) if isinstance(given, str) else keras_objects.METRICS.deserialize(given, custom_objects)
