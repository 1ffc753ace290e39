# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimisers of the script's own that say themselves what an update does to a variable, with what they keep for it: classes with
_resource_apply_dense or _apply_dense, of Keras and of TensorFlow 1. What they hand on to the class that they are derived from, the
engine does."""
import functools
import inspect

import numpy as np

from ..tracing import gradients
from ..tensors import graph
from .. import failures
from ..operations import keras_initializers
from ..tracing.owner import owner

_METHODS = ("_resource_apply_dense", "_apply_dense")
_OTHERS = ("_compute_gradients", "_get_gradients", "_aggregate_gradients", "_transform_loss",
           "_transform_unaggregated_gradients", "_clip_gradients", "get_updates")  # which Keras calls, and nothing here


def _overrides(optimizer, name):
    return not (getattr(getattr(type(optimizer), name, None), "__module__", None) or "tilescope_front").startswith("tilescope_front")


def is_own(optimizer):
    """Whether a class of the script's own says what an update does."""
    return any(_overrides(optimizer, name) for name in _METHODS)


def check(optimizer):
    """Errors: refused where a class of the script's own has methods that nothing calls."""
    for name in _OTHERS:
        if _overrides(optimizer, name):
            raise failures.refused(f"{type(optimizer).__name__}.{name}", "change the gradients in apply_gradients(), or say what an update does "
                                   "in _resource_apply_dense()")


def transforms(optimizer):
    """Whether one of Keras changes the gradients of an update, of all replicas and micro-batches."""
    return bool(getattr(optimizer, "gradient_transformers", ())) or _overrides(optimizer, "_transform_gradients")


def gets_clipped(optimizer):
    """Whether gradients are clipped before the engine has them."""
    return is_own(optimizer) or transforms(optimizer)


def changes_gradients(optimizer):
    """Whether it is called with the gradients of each step."""
    return gets_clipped(optimizer) or any(_overrides(optimizer, name) for name in ("apply_gradients", "compute_gradients", "minimize", "get_gradients"))


def take_apply_gradients(kind):
    """Has a class of Keras' optimisers call its own apply_gradients(), where gradients are accumulated, once for each update."""
    own = vars(kind).get("apply_gradients")
    if own is None or (own.__module__ or "").startswith("tilescope_front"):
        return

    @functools.wraps(own)
    def apply_gradients(self, grads_and_vars, *args, **kwargs):
        pairs = list(grads_and_vars)
        if graph.values_at_hand() or not accumulates(gradients.exchange()):
            return own(self, pairs, *args, **kwargs)
        return by_assignments(pairs, lambda: own(self, pairs, *args, **kwargs), exchange_of(self))
    kind.apply_gradients = apply_gradients


def engine_name(optimizer):
    """The name of the class of ours that an optimiser is of, or is derived from."""
    made = next(kind for kind in type(optimizer).__mro__ if kind.__module__.startswith("tilescope_front"))
    return made.__name__.lower()


def accumulates(exchange):
    return exchange.accumulation > 1 or getattr(owner(), "accumulation", 1) > 1


def is_of_many(exchange):
    """Whether an update is of several micro-batches or replicas."""
    from .. import ipu_config
    model = owner()
    return accumulates(exchange) or (model.replicas() > 1 if hasattr(model, "replicas") else exchange.replicated and ipu_config.ipus()[0] > 1)


def by_assignments(pairs, apply, exchange=None):
    """What `apply` gives, of an optimiser that may assign to variables itself, or change gradients: where they are accumulated, or replicas
    exchange them, what it makes of them follows once for each update, from what all of them make together. `pairs`: (gradient, variable), as
    it gets them; `exchange`: as gradients.Exchange, where it is not that of here."""
    if graph.values_at_hand():
        return apply()
    here, exchange = graph.current(), exchange or gradients.exchange()
    begun = len(here.operations_)
    made = apply()
    given = [gradient for gradient, _ in pairs if gradient is not None]
    if given and (exchange.replicated or is_of_many(exchange)):
        for op in here.operations_[begun:]:
            if op.kind in ("assign", "minimize"):  # of one within another the outer one has the gradients, the inner one says how they are exchanged
                op.attributes["of_update"] = (op.attributes.get("of_update", (exchange,))[0], given)
                op.attributes["update_ends"] = here.operations_[-1].number
    return made


def exchange_of(optimizer, aggregated=True):
    """How the gradients of an update are exchanged: Keras' optimisers sum those of all replicas by themselves."""
    here = gradients.exchange()
    if not aggregated or here.replicated or not isinstance(optimizer, OfKeras):
        return here
    return gradients.Exchange(**{**vars(here), "replicated": True, "of_replicas": "sum"})


def check_order(optimizer, accumulates, replicas, changed):
    """Errors: refused where an optimizer of Keras changes gradients after they are accumulated, and before replicas add them up."""
    if changed and accumulates and replicas > 1 and isinstance(optimizer, OfKeras) and _overrides(optimizer, "apply_gradients"):
        raise failures.refused(f"{type(optimizer).__name__}.apply_gradients that changes gradients, with accumulated gradients on replicas",
                               "change them in gradient_transformers, which get those of all replicas")


def _made(variable, name, initializer, shape, dtype):
    """A variable beside another one, in which an optimiser keeps something."""
    from ..tracing import functions, graph_variables, variable_scopes
    shape = tuple(graph.TensorShape(variable.shape if shape is None else shape))
    dtype = graph.as_dtype(dtype or variable.dtype)
    if isinstance(variable, graph_variables.GraphVariable):
        initializer = keras_initializers.KIND.get(initializer) if isinstance(initializer, str) else initializer
        first = initializer if callable(initializer) else graph_variables._known(initializer, dtype)
        with variable_scopes.variable_scope("", use_resource=variable.resource):
            return graph_variables._get(f"{variable.key}/{name}", shape, dtype, first, False, variable.resource)
    if isinstance(initializer, (np.ndarray, graph.Tensor)):
        values = np.asarray(graph_variables._known(initializer, dtype))
    else:
        values = keras_initializers.first_values(keras_initializers.KIND.get(initializer), shape, dtype, f"{variable.key}/{name}")
    made = functions.EagerVariable(values, trainable=False, name=f"{variable.key}/{name}", key=f"{variable.key}/{name}")
    made.hidden = True
    return made


class Slots:
    """What an optimiser keeps for each variable."""

    def _slots_of(self):
        return self.__dict__.setdefault("slots_", {})

    def _slot(self, variable, slot_name, initializer, shape=None, dtype=None):
        key = (getattr(variable, "key", id(variable)), slot_name, id(getattr(variable, "graph", None)))
        if key not in self._slots_of():
            label = getattr(self, "_name", None) or type(self).__name__
            self._slots_of()[key] = _made(variable, f"{label}/{slot_name}", initializer, shape, dtype)
        return self._slots_of()[key]

    def get_slot(self, var, slot_name=None, name=None):
        from . import session_slots, slots
        if session_slots.is_of_session(var) and self._is_of_engine() and (session_slots.updated_by(self) or not is_own(self)):
            return session_slots.slot(self, var, slot_name or name)
        kept = slots.slot(self, var, slot_name or name) if self._is_of_engine() and hasattr(var, "key") else None
        if kept is not None:
            return kept
        key = (getattr(var, "key", id(var)), slot_name or name, id(getattr(var, "graph", None)))
        known = self._slots_of().get(key)
        if known is None and not is_own(self):
            if not graph.values_at_hand():
                raise failures.refused(f"{type(self).__name__}.get_slot() within a program or a graph", "the engine keeps its slots: read "
                                       "them between the steps, by get_slot() or optimizer.variables()")
            return None
        first = self._first_of_slots().get(slot_name or name)
        return self._slot(var, slot_name or name, first) if known is None and first is not None else known

    def _first_of_slots(self):
        """What the slots begin with of the class of ours that it is derived from."""
        return _FIRST.get(engine_name(self), {})

    def get_slot_names(self):
        from . import session_slots
        of_engine = session_slots.kinds_of(self) if session_slots.updated_by(self) else ()
        return sorted({name for _, name, _ in self._slots_of()} | set(of_engine))

    def _create_slots(self, var_list):
        """Those of ours are made when they are asked for."""

    def _resource_apply_dense(self, grad, var, apply_state=None):
        """What the script's own class hands on: the engine's update by this gradient."""
        if not self._is_of_engine():
            raise NotImplementedError("Must be implemented in subclasses.")
        self.__dict__.setdefault("collected_", []).append((grad, var))

    def _apply_dense(self, grad, var):
        return self._resource_apply_dense(grad, var)

    def _begins_in(self, store):
        """Takes that a program, whose variables are in `store`, updates by it."""
        from . import slots
        return slots.begin(self, store)

    def _updates_in(self, store, names):
        """Takes that such a program updates these variables."""
        from . import slots
        slots.updates(self, store, names)
        slots.take_restored(self)

    def _has_updated(self, times):
        from . import hyper
        hyper.counted(self, times)

    def _is_of_engine(self):
        return engine_name(self) not in ("optimizer", "ipuoptimizerbase")


_ZERO = {"momentum": "zeros"}
_FIRST = {"momentumoptimizer": _ZERO, "rmspropoptimizer": {"rms": "ones", "momentum": "zeros", "mg": "zeros"}, "sgd": _ZERO,
          "adamoptimizer": {"m": "zeros", "v": "zeros"}, "adam": {"m": "zeros", "v": "zeros"},
          "rmsprop": {"rms": "zeros", "momentum": "zeros", "mg": "zeros"}}


class OfKeras(Slots):
    """What classes that are derived from Keras' optimisers find there."""

    _name = property(lambda self: self.settings.get("name"))

    def add_slot(self, var, slot_name, initializer="zeros", shape=None):
        return self._slot(var, slot_name, initializer, shape)

    def _set_hyper(self, name, value):
        from . import hyper
        self.settings[name] = value if callable(value) else hyper.given(value)

    def _get_hyper(self, name, dtype=None):
        from ..operations import elementary as operations
        value = self.settings[name]
        value = value() if callable(value) and not hasattr(value, "settings") else value
        return value if dtype is None or callable(value) else operations.cast(value, dtype)

    def _serialize_hyperparameter(self, name):
        from .. import configured
        return configured.plain(self.settings[name])

    def _decayed_lr(self, var_dtype):
        from ..operations import elementary as operations
        rate = self._get_hyper("learning_rate")
        rate = rate(self.iterations) if hasattr(rate, "settings") else rate
        if self.settings.get("decay"):
            count = operations.cast(self.iterations, "float32")
            rate = operations.divide(rate, operations.add(operations.multiply(count, float(self.settings["decay"])), 1.0))
        return operations.cast(rate, var_dtype)

    def _prepare(self, var_list):
        state = {}
        for key in {(each.device, each.dtype.base_dtype): None for each in var_list}:
            state[key] = {}
            self._prepare_local(*key, state)
        return state

    def _prepare_local(self, var_device, var_dtype, apply_state):
        if "learning_rate" in self.settings:
            apply_state[(var_device, var_dtype)]["lr_t"] = self._decayed_lr(var_dtype)

    def _fallback_apply_state(self, var_device, var_dtype):
        state = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[(var_device, var_dtype)]

    def _transform_gradients(self, grads_and_vars):
        """What an update is made of: gradients of all replicas, clipped as Keras does."""
        from ..operations import elementary as operations
        pairs = list(grads_and_vars)
        value, norm, whole = (self.settings.get(name) for name in ("clipvalue", "clipnorm", "global_clipnorm"))
        given = [gradient for gradient, _ in pairs]
        if value is not None:
            given = [operations.TOP["clip_by_value"](each, -float(value), float(value)) for each in given]
        if norm is not None:
            given = [operations.TOP["clip_by_norm"](each, float(norm)) for each in given]
        if whole is not None:
            given = operations.TOP["clip_by_global_norm"](given, float(whole))[0]
        pairs = list(zip(given, (variable for _, variable in pairs)))
        for transform in self.gradient_transformers:
            pairs = list(transform(pairs))
        return pairs


class OfTensorFlow1(Slots):
    """The same of tf.train's."""

    def __getattr__(self, name):
        """Its numbers, as _momentum, or as tensors: _momentum_tensor."""
        settings = self.__dict__.get("settings", {})
        plain = name.removesuffix("_tensor").removesuffix("_t")
        wanted = {"_lr": "learning_rate"}.get(plain, plain[1:])
        if name.startswith("_") and wanted in settings:
            value = settings[wanted]
            value = value() if callable(value) else value
            return value if name == plain else graph.symbolic(value) if not graph.executing_eagerly() else graph.convert(value)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def _zeros_slot(self, var, slot_name, op_name):
        return self._slot(var, slot_name, "zeros")

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        return self._slot(var, slot_name, val, getattr(val, "shape", None), getattr(val, "dtype", None))

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name, op_name):
        return self._slot(var, slot_name, initializer, shape, dtype)

    def _prepare(self):
        """Its numbers are at hand."""

    def _finish(self, update_ops, name_scope):
        return graph.group(*update_ops, name=name_scope)

    def _call_if_callable(self, param):
        return param() if callable(param) else param


def apply(optimizer, pairs):
    """An update by what the script's own class does with each gradient."""
    return by_assignments(pairs, lambda: _apply(optimizer, pairs), exchange_of(optimizer))


def _apply(optimizer, pairs):
    variables = [variable for _, variable in pairs]
    optimizer._create_slots(variables)
    of_keras, begun = isinstance(optimizer, OfKeras), len(graph.current().operations_)
    state = optimizer._prepare(variables) if of_keras else optimizer._prepare()
    method = next(getattr(optimizer, name) for name in _METHODS if _overrides(optimizer, name))
    named = {"apply_state": state} if of_keras and "apply_state" in inspect.signature(method).parameters else {}
    optimizer.__dict__["collected_"] = collected = []
    done = [method(gradient, variable, **named) for gradient, variable in (optimizer._transform_gradients(pairs) if of_keras else pairs)]
    if collected:
        from . import updates
        done.append(updates.updated(optimizer, collected))
    elif of_keras and graph.values_at_hand():
        from . import hyper
        hyper.counted(optimizer, 1)
    if graph.values_at_hand():
        return None
    done = [each for each in done if isinstance(each, (graph.GraphTensor, graph.Operation))]
    first = next((op for op in graph.current().operations_[begun:] if op.kind == "assign" and any(
        op.attributes["variable"] is each for each in variables)), None)
    if first is not None and not collected:
        first.attributes.update(optimizer=optimizer, exchange=gradients.exchange())  # whose updates it counts
    return graph.group(*done) if of_keras else optimizer._finish(done, optimizer.get_name())


def _gradient_descent(var, alpha, delta, use_locking=False, name=None):
    return var.assign_sub(delta * alpha)


def _momentum(var, accum, lr, grad, momentum, use_locking=False, use_nesterov=False, name=None):
    moved = accum.assign(accum * momentum + grad)
    moved = accum if moved is None else moved
    return var.assign_sub(grad * lr + moved * momentum * lr if use_nesterov else moved * lr)


def _keras_momentum(var, accum, lr, grad, momentum, use_locking=False, use_nesterov=False, name=None):
    moved = accum.assign(accum * momentum - grad * lr)
    moved = accum if moved is None else moved
    return var.assign_add(moved * momentum - grad * lr if use_nesterov else moved)


def _adam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_locking=False, use_nesterov=False, name=None):
    from ..operations import elementary as operations
    root = operations.MATH["sqrt"]
    first = m.assign(m + (grad - m) * (1 - beta1))
    second = v.assign(v + (operations.MATH["square"](grad) - v) * (1 - beta2))
    first, second = m if first is None else first, v if second is None else second
    rate = lr * root(1 - beta2_power) / (1 - beta1_power)
    along = first * beta1 + grad * (1 - beta1) if use_nesterov else first
    return var.assign_sub(along * rate / (root(second) + epsilon))


TRAINING_OPS = {f"{before}apply_{name}": made for before in ("", "resource_") for name, made in (
    ("gradient_descent", _gradient_descent), ("momentum", _momentum), ("keras_momentum", _keras_momentum), ("adam", _adam))}


def add_names():
    from .. import names
    for module in ("tensorflow.python.training.training_ops", "tensorflow.python.training.gen_training_ops"):
        names.module(module, TRAINING_OPS)
    for name in ("sparse_apply_momentum", "resource_sparse_apply_momentum"):
        names.refuse(f"tensorflow.python.training.training_ops.{name}", "gradients are dense here; write the update in _resource_apply_dense")
