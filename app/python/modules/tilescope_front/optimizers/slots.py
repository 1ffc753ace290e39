# SPDX-License-Identifier: GPL-3.0-or-later
"""What an optimiser keeps, as Keras lists it: how often it has updated, then kind by kind what it has for each variable."""
import collections

import numpy as np

from ..tensors import graph

# In which order an optimiser makes them, each for all variables; what else it counts comes before.
_KINDS = ("momentum", "rms", "m", "v", "vhat", "mg", "accumulator", "linear", "accum_grad", "accum_var")
_ORDERS = {"rmsprop": ("rms", "momentum", "mg")}


def trains(optimizer, model):
    """Takes that a model is compiled with an optimiser."""
    optimizer.__dict__.setdefault("models_", {})[id(model)] = model  # which has what it keeps


def succeeds(optimizer, before):
    """Takes that a model is compiled with one optimiser in the place of another one, of which it keeps nothing."""
    label = before.__dict__.get("label_") if before is not None else None
    if label is not None and "label_" not in optimizer.__dict__ and _kind(optimizer) == _kind(before) and len(trained_by(before)) == 1:
        optimizer.__dict__["label_"] = before.__dict__.pop("label_")


def begin(optimizer, store):
    """Gives its label to a program that updates by it; what it keeps in other stores, the one of the program has from here on, too."""
    label = label_of(optimizer)
    for other, _ in list(_stores(optimizer)):
        for name in other.names() if other is not store else ():
            own = _name_in(store, other, name, label) if name.startswith(label + "/") else None
            if own is not None and own not in store:
                store.share(own, other, name)
    return label


def _name_in(store, other, name, label):
    """The name that something which an optimiser keeps has in a store, by the one that it has in another; None where it is for a variable of the same
    name that the store has as another one, as those of a clone are."""
    variable, _, kind = name.removeprefix(label + "/").rpartition("/")
    alike = [each for each in store.names() if _is_named(each, variable) or _is_named(variable, each)] if variable in other else []
    return next((f"{label}/{each}/{kind}" for each in alike if store.is_shared(each, other, variable)), None) if alike else name


def _is_named(name, key):
    """Whether a name of a program's is a variable's own, or that with the beginning that its model has there."""
    return name == key or name.endswith("." + key)


def updates(optimizer, store, names):
    """Takes that an optimiser updates variables of a program of the script's own, which are in `store`."""
    if hasattr(optimizer, "__dict__"):
        known = optimizer.__dict__.setdefault("updated_", {}).setdefault(id(store), (store, []))[1]
        known += [name for name in names if name not in known]


def trained_by(optimizer):
    return [model for model in optimizer.__dict__.get("models_", {}).values() if model.optimizer is optimizer]


def _stores(optimizer):
    """(store, names of variables) of the models that it trains, and of variables that it has updated at once."""
    for model in trained_by(optimizer):
        names = [name for name, _, trained in model.variables_list() if trained]
        yield model.store, [name for name in (each.key for each in model.weights) if name in names]
    for store, names in optimizer.__dict__.get("updated_", {}).values():
        if not any(store is model.store for model in trained_by(optimizer)) and store is not optimizer.__dict__.get("store_"):
            yield store, [name for name in names if name in store.names()]
    own = optimizer.__dict__.get("store_")
    if own is not None:
        yield own, [name for name in own.names() if not name.startswith(_label(optimizer) + "/")]


def _kind(optimizer):
    return optimizer.workload()["name"].lower()


def _label(optimizer):
    """The same of one that may not have updated yet."""
    return optimizer.__dict__.get("label_") or _kind(optimizer)


def label_of(optimizer):
    """What the names of all that an optimiser keeps begin with: its kind, with a number from the second of a kind on, in each graph of
    TensorFlow 1 anew. So several keep what is theirs beside the weights of one model."""
    own, here = optimizer.__dict__, graph.current().outermost()
    if "label_" not in own:
        counts = _counts if graph.values_at_hand() or here.of_program else here.__dict__.setdefault("optimizer_counts", collections.Counter())
        kind = _kind(optimizer)
        own["label_"] = f"{kind}_{counts[kind]}" if counts[kind] else kind
        counts[kind] += 1
    return own["label_"]


_counts = collections.Counter()


def _slots(optimizer):
    """(store, name, variable, kind) of each slot, once, though several programs have it."""
    label, met = _label(optimizer), []
    for store, variables in _stores(optimizer):
        known = set(store.names())
        for kind in _ORDERS.get(_kind(optimizer), _KINDS):
            for variable in variables:
                name = f"{label}/{variable}/{kind}"
                if name in known and not any(store.is_shared(name, other, its) for other, its in met):
                    yield store, name, variable, kind
        met += [(store, f"{label}/{variable}/{kind}") for kind in _KINDS for variable in variables if f"{label}/{variable}/{kind}" in known]


def _momenta(optimizer):
    """(store, name) of the product of Nadam's momenta so far, in each program that has it."""
    name = f"{_label(optimizer)}/momentum_cache"
    return [(store, name) for store, _ in _stores(optimizer) if name in store.names()]


def variables(optimizer):
    """Variables, the count of updates first, then what is one for all variables."""
    shown = [(*each, "momentum_cache") for each in _momenta(optimizer)[:1]]
    shown += [(store, name, f"{_shown(optimizer, variable)}/{kind}") for store, name, variable, kind in _slots(optimizer)]
    made = [optimizer.iterations] + [_variable(optimizer, *each) for each in shown]
    return made if len(made) > 1 or optimizer.iterations.numpy() else []


def _shown(optimizer, key):
    """The name of a variable that it updates, as Keras has it."""
    return next((model.shown_name(key) for model in trained_by(optimizer) if key in model.store), key)


def _variable(optimizer, store, name, shown):
    """What is in a store as a variable, with the name that Keras shows."""
    from ..tracing.functions import EagerVariable
    made = EagerVariable(store.get(name), trainable=False, name=f"{optimizer.settings.get('name') or type(optimizer).__name__}/{shown}", key=name)
    made.store = store
    return made


def slot(optimizer, variable, kind):
    """What the engine keeps of a kind for a variable; None where nothing of it was made."""
    for store, name, known, own in _slots(optimizer):
        if own == kind and _is_named(known, variable.key) and (
                not hasattr(variable, "model") or store.is_shared(known, variable.model.store, variable.key)):
            return _variable(optimizer, store, name, f"{_shown(optimizer, known)}/{kind}")
    return None


def get_weights(optimizer):
    return [np.asarray(each.numpy()) for each in variables(optimizer)]


def weights_to_keep(optimizer):
    """The same, also those that were restored and wait for its first update."""
    return optimizer.__dict__.get("restored_") or get_weights(optimizer)


def listed(optimizer):
    """(whether it keeps a product of momenta, [(store, variable, kind)] of its slots), in the order of variables()."""
    return bool(_momenta(optimizer)), [(store, variable, kind) for store, _, variable, kind in _slots(optimizer)]


# The kinds that an optimiser keeps, those of settings that say so with them.
_MADE = {"sgd": ("momentum",), "adam": ("m", "v", "vhat"), "adamax": ("m", "v"), "nadam": ("m", "v"), "rmsprop": ("rms", "momentum", "mg"),
         "adagrad": ("accumulator",), "adadelta": ("accum_grad", "accum_var"), "ftrl": ("accumulator", "linear")}
_TOLD = {"momentum": "momentum", "mg": "centered", "vhat": "amsgrad"}


def expected(optimizer, weights):
    """The same of one that waits for its first update, for which these weights were restored."""
    kinds = [kind for kind in _MADE.get(_kind(optimizer), ()) if kind not in _TOLD or optimizer.settings.get(_TOLD[kind])]
    rows = [(store, variable, kind) for store, names in _stores(optimizer) for kind in kinds for variable in names]
    return _kind(optimizer) == "nadam", rows[:len(weights) - 1]


def restore(optimizer, weights, in_order=None):
    """The same of an optimizer that may not have updated yet: then before it does. `in_order`: gives them as its variables are then."""
    from . import hyper
    if not weights:
        return
    optimizer.__dict__.pop("restored_", None)
    optimizer.__dict__.pop("restored_order_", None)
    hyper.set_count(optimizer, int(weights[0]))
    if list(_slots(optimizer)) or len(weights) == 1 and any(_counts_in(optimizer)):
        set_weights(optimizer, weights)
    else:
        optimizer.__dict__.update(restored_=weights, restored_order_=in_order)


def _counts_in(optimizer):
    """(store, name) of each count of its updates that programs have, also for a schedule of the script's own."""
    for store, _ in _stores(optimizer):
        known = set(store.names())
        yield from ((store, name) for name in (f"{_label(optimizer)}/iterations", optimizer.__dict__.get("count_")) if name in known)


def take_restored(optimizer):
    """Gives an optimizer, whose slots have just been made, what was restored before."""
    from . import hyper
    weights = optimizer.__dict__.pop("restored_", None) if hasattr(optimizer, "__dict__") else None
    if weights is not None:
        in_order = optimizer.__dict__.pop("restored_order_", None)
        weights = in_order() if in_order is not None else weights
        hyper.set_count(optimizer, int(weights[0]))
        set_weights(optimizer, weights)


def set_weights(optimizer, weights):
    from . import hyper
    own = variables(optimizer)
    if len(own) != len(weights):
        raise ValueError(f"You called `set_weights(weights)` on optimizer {type(optimizer).__name__} with a weight list of length "
                         f"{len(weights)}, but the optimizer was expecting {len(own)} weights: train it once before.")
    for variable, values in zip(own, weights):
        if tuple(np.shape(values)) != tuple(variable.dims):
            raise ValueError(f"Optimizer weight shape {tuple(variable.dims)} not compatible with provided weight shape {np.shape(values)}.")
    for variable, values in zip(own[1:], weights[1:]):
        variable.assign(values)
    for store, name in _momenta(optimizer)[1:]:
        store.set(name, own[1].numpy())
    if own:
        hyper.set_count(optimizer, int(weights[0]))
        for store, name in _counts_in(optimizer):
            store.set(name, np.asarray(int(weights[0]), store.get(name).dtype))
