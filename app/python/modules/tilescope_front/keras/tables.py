# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of models that the host runs: a number that one has not is TensorFlow's InvalidArgumentError, as on a CPU. Programs of the device
read zeros there."""
import numpy as np

from ..operations import outside
from ..tensors.graph import EagerTensor

_AS_GIVEN = ("cast", "identity", "reshape", "expand_dims", "squeeze")


def of_calls(model):
    """(the number of an input, how many rows a table has that it points into) of the layers of a model that are connected."""
    from . import model as keras_model
    places = {id(tensor): number for number, tensor in enumerate(model.inputs)}
    return [(places[id(call.inputs[0])], int(layer.settings["input_dim"])) for layer, call in keras_model.calls_of(model.outputs)
            if call.inputs and id(call.inputs[0]) in places and _is_table(layer)]


def of_graph(operations):
    """The same of what a model's own call does: numbers of its arguments."""
    found = [(op.inputs[0], int(op.attributes["layer"].settings["input_dim"])) for op in operations
             if op.kind == "keras" and _is_table(op.attributes.get("layer"))]
    found += [(op.inputs[1], op.inputs[0].dims[0]) for op in operations if op.kind == "gather" and op.inputs[0].dims
              and op.attributes.get("axis", 0) == 0 and not op.attributes.get("from_end")]
    return [(column, rows) for column, rows in ((_column_of(tensor), rows) for tensor, rows in found) if column is not None]


def _is_table(layer):
    return hasattr(layer, "engine_class") and layer.engine_class().__name__ == "Embedding"


def _column_of(tensor):
    """The number of the argument that a tensor has the numbers of; None of any other."""
    while tensor.op.kind in _AS_GIVEN:
        tensor = tensor.op.inputs[0]
    return tensor.op.attributes["index"] if tensor.op.kind == "argument" else None


def check(tables, columns):
    """Errors: InvalidArgumentError where a batch has a number that a table has not."""
    for column, rows in tables:
        outside.of_rows(EagerTensor(np.asarray(columns[column]).astype(np.int64)), rows)
