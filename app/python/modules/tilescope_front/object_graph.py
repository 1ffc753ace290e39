# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that checkpoints of TensorFlow 2 keep: what hangs on what by which name, and so the names that files have for variables."""
import collections
import functools

import numpy as np

import tilescope_engine as engine

from .optimizers import hyper, slots
from .keras import layers as keras_layers, model as keras_model, parts as keras_parts
from .keras.metric_variables import Kept
from .tensors.graph import EagerTensor

VALUE, GRAPH, COUNTER = "/.ATTRIBUTES/VARIABLE_VALUE", "_CHECKPOINTABLE_OBJECT_GRAPH", "save_counter/.ATTRIBUTES/VARIABLE_VALUE"
_SLOT = "/.OPTIMIZER_SLOT/"
_DENSE = {"query": "_query_dense", "key": "_key_dense", "value": "_value_dense", "attention_output": "_output_dense"}


def is_optimizer(held):
    return hasattr(held, "get_weights") and hasattr(held, "apply_gradients")


def is_variable(held):
    return hasattr(held, "assign") and not isinstance(held, EagerTensor)  # a part of one is none


def is_kept(held):
    """Whether a checkpoint keeps it."""
    if isinstance(held, (list, tuple, dict)):
        return any(map(is_kept, held.values() if isinstance(held, dict) else held))
    return is_optimizer(held) or is_variable(held) or hasattr(held, "variables") or hasattr(held, "kept_objects")


def _is_a(layer, *kinds):
    return any(each.__name__ in kinds for each in type(layer).__mro__)


def _name_in(layer, variable):
    """By which attributes a layer of the engine has a variable in Keras."""
    name = variable.key.rpartition(layer.name + "/")[2]
    part, _, rest = name.partition("/")
    if _is_a(layer, "Bidirectional"):
        return f"{part}_layer/cell/{rest}"
    if _is_a(layer, "TimeDistributed"):
        return f"layer/{rest}"
    if _is_a(layer, "MultiHeadAttention"):
        return f"{_DENSE.get(part, part)}/{rest}" if rest else name
    return f"cell/{name}" if _is_a(layer, "LSTM", "GRU", "SimpleRNN", "RNN", "ConvLSTM1D", "ConvLSTM2D") else name


def _weights(layer):
    try:
        return layer.weights
    except ValueError:  # it has none yet
        return []


def _of_connected(model):
    """The layers of a model of connected layers: those with weights by a number of their own, too."""
    rows, number = [], 0
    for i, layer in enumerate(model.layers):
        if _weights(layer):
            rows.append((f"layer_with_weights-{number}", layer))
            number += 1
        rows.append((f"layer-{i}", layer))
    return rows


@functools.cache
def _of_us():
    """The attributes of layers and models that are not the script's."""
    return frozenset({*vars(keras_model.Sequential(name="any")), *vars(keras_layers.Layer(name="any")), "compiled_loss", "compiled_metrics",
                      "history", "layers_by_name", "model_"})


def _attributes(held):
    """What the attributes of a script's own object hold; weights by the names that add_weight() was given."""
    rows, own = [], getattr(held, "name", None)
    for key, value in vars(held).items():
        if key in _of_us() or key.endswith("_") or not is_kept(value):
            continue
        if getattr(value, "layer", None) == own and is_variable(value) and value.key.startswith(f"{own}/"):
            rows.append((value.key[len(own) + 1:], value))
        rows.append((key, value))
    return rows


def children(held):
    """[(name, object)] of what hangs on an object, in TensorFlow's order."""
    if hasattr(held, "kept_objects"):
        return held.kept_objects()
    if isinstance(held, (list, tuple)):
        return [(str(i), each) for i, each in enumerate(held) if is_kept(each)]
    if isinstance(held, dict):
        return [(str(key), each) for key, each in held.items() if is_kept(each)]
    if is_variable(held) or is_optimizer(held):
        return []
    if isinstance(held, keras_model.Model):
        rows = [] if held.subclassed else _of_connected(held)
        return rows + _attributes(held) + ([("optimizer", held.optimizer)] if held.optimizer is not None else [])
    if isinstance(held, keras_parts.Metric):
        return [(name, Kept(held, name)) for name in held.kept_names()] + _attributes(held)
    if isinstance(held, keras_layers.Layer) and held.of_engine:
        return [(_name_in(held, each), each) for each in _weights(held)]
    cell = getattr(held, "settings", {}).get("cell") if isinstance(held, keras_layers.Layer) else None
    rows = _attributes(held) + ([("cell", cell)] if is_kept(cell) else [])
    if not rows and hasattr(held, "variables"):  # whatever it is
        listed = held.variables() if callable(held.variables) else held.variables
        return [(str(i), each) for i, each in enumerate(listed)]
    return rows


def _identity(held):
    """The same of a variable in whatever form."""
    if isinstance(held, Kept):
        return id(held.metric), held.kept
    model, store = getattr(held, "model", None), getattr(held, "store", None)
    if is_variable(held) and (model is not None or store is not None):
        return "place", engine.place_of(store if model is None else model.store, held.key)
    return id(held)


def _escaped(name):
    """As a part of a path; of names that are paths of our own each part."""
    return "/".join(part.replace(".", "..") for part in name.split("/"))


class Objects:
    """All that hangs on an object, by the shortest path to it, the first of several; and by other paths."""

    def __init__(self, root):
        self.root, self.found, self.edges = root, {_identity(root): ("", root)}, collections.defaultdict(list)
        rest = collections.deque([root])
        while rest:
            held = rest.popleft()
            path = self.found[_identity(held)][0]
            for name, child in children(held):
                key, here = _identity(child), f"{path}/{_escaped(name)}" if path else _escaped(name)
                self.edges[key].append((_identity(held), _escaped(name)))
                if key not in self.found:
                    self.found[key] = here, child
                    rest.append(child)

    def _of(self, kept):
        return [(path, held) for path, held in self.found.values() if kept(held) and path]

    variables = property(lambda self: self._of(is_variable))
    optimizers = property(lambda self: self._of(is_optimizer))
    uncompiled = property(lambda self: [(path, held) for path, held in self.found.values() if isinstance(held, keras_model.Model) and
                                        held.optimizer is None])
    models = property(lambda self: self._of(lambda held: isinstance(held, keras_model.Model)))

    def paths(self, held, most=50):
        """All paths to an object, the one that names it first."""
        first = self.found[_identity(held)][0]
        yield first
        rest, seen = [(_identity(held), "", frozenset())], 0
        while rest and seen < most:
            key, after, passed = rest.pop()
            seen += 1
            for parent, name in self.edges[key] if key not in passed else ():
                path = f"{name}/{after}" if after else name
                if parent == _identity(self.root):
                    if path != first:
                        yield path
                else:
                    rest.append((parent, path, passed | {key}))

    def slots(self, optimizer, path, listed=None):
        """The names of what an optimizer keeps, in its order; None for what hangs on no object here."""
        momenta, rows = slots.listed(optimizer) if listed is None else listed
        names = [f"{path}/iter{VALUE}"] + [f"{path}/momentum_cache{VALUE}"] * bool(momenta)
        keys = collections.defaultdict(set)  # updates of the host have variables of their own, by the same keys
        for of_variable, held in self.variables:
            keys[getattr(held, "key", None)].add(of_variable)
        for store, variable, kind in rows:
            known = self.found.get(("place", engine.place_of(store, variable)))
            known = known[0] if known is not None else next(iter(keys[variable])) if len(keys[variable]) == 1 else None
            names.append(None if known is None else f"{known}{_SLOT}{path}/{kind}{VALUE}")
        return names


def numbers(optimizer):
    """The numbers among the settings of an optimizer, which are variables: by name."""
    settings = getattr(optimizer, "settings", {})
    found = {key: hyper.setting(optimizer, key) for key in hyper.NUMBERS if key in settings}
    return {key: each for key, each in found.items() if isinstance(each, hyper.Hyper)}


def rows(objects, others=()):
    """[(name, array)] of all that a checkpoint has; `others`: rows beside."""
    made = [(path + VALUE, np.asarray(held)) for path, held in objects.variables]
    for path, optimizer in objects.optimizers:
        kept = slots.weights_to_keep(optimizer)
        waiting = optimizer.__dict__.get("restored_") is not None
        names = objects.slots(optimizer, path, slots.expected(optimizer, kept) if waiting else None) if kept else []
        made += [(name, np.asarray(each)) for name, each in zip(names, kept) if name is not None]
        if kept:
            of_numbers = {"decay": np.float32(0), **{key: np.asarray(each) for key, each in numbers(optimizer).items()}}
            made += [(f"{path}/{key}{VALUE}", np.asarray(each)) for key, each in sorted(of_numbers.items())]
    made += others
    return [*made, (GRAPH, np.asarray(described(objects, [name for name, _ in made])))]


def _field(number, value):
    """One of protobuf: a whole number, or what has a length."""
    if isinstance(value, int):
        return bytes([number << 3]) + _number(value)
    value = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2]) + _number(len(value)) + value


def _number(value):
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes(made + bytearray([value]))


def described(objects, names):
    """TensorFlow's TrackableObjectGraph of a checkpoint that has these names."""
    places = {key: number for number, key in enumerate(objects.found)}
    of_paths = {path: places[key] for key, (path, _) in objects.found.items()}
    children_of, slots_of, keys = collections.defaultdict(list), collections.defaultdict(list), {}
    for key, edges in objects.edges.items():
        for parent, name in edges:
            children_of[places[parent]].append((places[key], name))
    count = len(places)
    for name in names:
        path = name.removesuffix(VALUE)
        of_variable, _, slot = path.partition(_SLOT)
        if not slot and path in of_paths:
            keys[of_paths[path]] = name
            continue
        owner, _, last = (slot or path).rpartition("/")
        keys[count] = name
        if slot:
            slots_of[of_paths[owner]].append(_field(1, of_paths[of_variable]) + _field(2, last) + _field(3, count))
        else:
            children_of[of_paths[owner]].append((count, last))
        count += 1
    nodes = []
    for number in range(count):
        made = b"".join(_field(1, _field(1, child) + _field(2, name)) for child, name in children_of[number])
        if number in keys:
            made += _field(2, _field(1, "VARIABLE_VALUE") + _field(3, keys[number]))
        nodes.append(_field(1, made + b"".join(_field(3, each) for each in slots_of[number])))
    return b"".join(nodes)


def take_optimizer(objects, optimizer, arrays):
    """Restores an optimizer, also one that has not updated yet; gives the names of what it has taken."""
    path = next((each for each in objects.paths(optimizer) if f"{each}/iter{VALUE}" in arrays), None)
    if path is None:
        return set()
    mine = [f"{path}/iter{VALUE}", f"{path}/momentum_cache{VALUE}"]
    mine = [each for each in mine if each in arrays] + [each for each in arrays if f"{_SLOT}{path}/" in each]

    def in_order():
        """As it keeps them, once it has updated; else as the file has them."""
        now = Objects(objects.root)
        names = now.slots(optimizer, path)
        return [arrays[each] for each in names] if set(names) == set(mine) else [arrays[each] for each in mine]
    slots.restore(optimizer, in_order(), in_order)
    taken = set(mine)
    for key, each in numbers(optimizer).items():
        name = f"{path}/{key}{VALUE}"
        if name in arrays:
            taken.add(name)
            if not np.array_equal(each, arrays[name]):
                each.assign(arrays[name])
    return taken | {name for name in (f"{path}/decay{VALUE}",) if name in arrays}
