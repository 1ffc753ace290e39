# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles a model."""
from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Mapping

import numpy as np

from ._program import Error, run
from ._report import Report, open as open_report


def profile(model: Any, output: str = "run.tilescope", *, estimate: bool = False, system: str | None = None,
            settings: Mapping[str, Any] | None = None, workload: Mapping[str, Any] | None = None, inputs: Any = None,
            data: tuple[Any, Any] | None = None, data_folder: str | None = None) -> Report:
    """Compiles and runs a model on simulated IPUs, and opens its profile.

    model: the path of a workload, or of a model of Keras (.json, .h5, .keras) or ONNX; a workload's document as a dict;
        a Keras model (anything with to_json()); a torch.nn.Module, which is exported with `inputs`.
    output: the profile to write; one of an earlier run is replaced.
    estimate: time it without computing values.
    settings: what is set over the workload: {"fit.batch_size": 32}.
    workload: the keys of a workload beside its model, where `model` is a model: {"fit": {"batch_size": 32}}.
    data: (samples, classes) to train on, as arrays: with `workload` that has a loss, for example
        {"compile": {"loss": "sparse_categorical_crossentropy"}, "fit": {"batch_size": 32}}.
    data_folder: where the data sets lie that a workload names.
    inputs: of a torch.nn.Module: a tuple of example tensors.
    Errors: Error with the program's line.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = _file_of(model, folder, {**(workload or {}), **_given(data, folder)}, inputs)
        arguments: list[object] = ["profile", path, "-o", output, "--progress", "none"]
        arguments += ["--estimate"] if estimate else []
        arguments += ["--set", f"system={system}"] if system else []
        arguments += ["--data", data_folder] if data_folder else []
        for key, value in (settings or {}).items():
            arguments += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
        run(*arguments)
    return open_report(output)


def _given(data: tuple[Any, Any] | None, folder: str) -> dict[str, Any]:
    if data is None:
        return {}
    path = os.path.join(folder, "data.npz")
    np.savez(path, x=np.ascontiguousarray(data[0]), y=np.ascontiguousarray(data[1]))
    return {"data": {"train": {"file": path}}}


def _file_of(model: Any, folder: str, workload: dict[str, Any], inputs: Any) -> str:
    if isinstance(model, dict):
        return _written(folder, {**model, **workload})
    if hasattr(model, "to_json"):
        path = os.path.join(folder, "model.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(model.to_json())
        return _written(folder, {"name": getattr(model, "name", "model"), "model": {"keras": path}, **workload})
    if hasattr(model, "state_dict") and hasattr(model, "forward"):
        return _written(folder, {"name": type(model).__name__.lower(), "model": {"onnx": _exported(model, folder, inputs)},
                                 **workload})
    if not isinstance(model, (str, os.PathLike)):
        raise Error(f"profile() takes the path of a workload or of a model, a workload's document as a dict, a Keras model or a "
                    f"torch.nn.Module, and got {model!r}")
    path = os.path.abspath(os.fspath(model))
    if not os.path.exists(path):
        raise Error(f"{os.fspath(model)}: there is no such file; check the path")
    if not workload:
        return path
    if path.endswith(".json") and _is_workload(path):
        raise Error(f"{os.fspath(model)} is a workload: give its document as a dict to add keys to it, or `settings`")
    kind = "onnx" if path.endswith(".onnx") else "keras"
    return _written(folder, {"name": os.path.splitext(os.path.basename(path))[0], "model": {kind: path}, **workload})


def _is_workload(path: str) -> bool:
    with open(path, encoding="utf-8") as file:
        return "class_name" not in json.load(file)


def _exported(model: Any, folder: str, inputs: Any) -> str:
    if inputs is None:
        raise Error("a torch.nn.Module is exported with example inputs; give `inputs`, a tuple of tensors")
    import torch
    path = os.path.join(folder, "model.onnx")
    torch.onnx.export(model, inputs if isinstance(inputs, tuple) else (inputs,), path, opset_version=17)
    return path


def _written(folder: str, document: Mapping[str, Any]) -> str:
    path = os.path.join(folder, "workload.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return path
