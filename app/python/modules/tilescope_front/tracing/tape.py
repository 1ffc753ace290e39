# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.GradientTape outside of traced functions. What is computed within a tape is a graph, which the host computes once its
values are asked for; the engine differentiates it."""
import contextlib
import enum
import functools

import numpy as np

import tilescope_engine as engine

from ..tensors import draws, graph
from . import like_named, lowering, tape_begins
from .. import failures, host
from ..operations import elementary as operations, wide_numbers
from ..structure import flatten, pack_like


MOST_PARTS = 1000  # of a jacobian, each of which has gradients of its own


class UnconnectedGradients(enum.Enum):
    """tf.UnconnectedGradients: what the gradient is by what a target does not depend on."""

    NONE, ZERO = "none", "zero"


def _are_zeros(unconnected_gradients):
    return unconnected_gradients is not None and getattr(unconnected_gradients, "value", unconnected_gradients) == "zero"


class TapeTensor(graph.HostValue, graph.GraphTensor):
    """A tensor of a tape: its value is there when it is asked for."""

    @property
    def value(self):
        self.op.graph.compute([self])
        return self.op.graph.values[(self.op.number, self.value_index)]

    def at_hand(self):
        made, mask = graph.EagerTensor(self.value), getattr(self, "_keras_mask", None)
        if mask is not None:
            made._keras_mask = _at_hand(mask)
        return made

    def __len__(self):
        return self.dims[0]

    def __repr__(self):
        return repr(self.at_hand())

    def __str__(self):
        return str(self.at_hand())


class TapeGraph(graph.Graph):
    """What is computed within a tape."""

    tensor_type = TapeTensor
    of_tape = True

    def __init__(self):
        super().__init__()
        self.number = draws.salt()  # which what is drawn depends on
        self.weights = engine.Weights()  # of variables, as they were when they were first read
        self.values = {}  # by (operation, output)
        self.watched = {}  # tensors of the host that it is differentiated by
        self.earlier = {}  # what has been read of variables that have another value since, as tensors
        self.replaced = {}  # (layer, its variable) of calls of layers of which one has, by number: a gradient would take that one
        self.seed, self.prefixes = graph.current().seed, like_named.Prefixes()

    def watch(self, tensor):
        if id(tensor) not in self.watched:
            made = self.add("watched", [], {"value": tensor.value}, [(tensor.dtype, tensor.dims)], "watched")
            self.watched[id(tensor)] = (made.outputs[0], tensor)

    def node_of(self, tensor):
        """What stands for a tensor of the host that is watched; None for others."""
        return self.watched.get(id(tensor), (None,))[0]

    def lowered(self, operations):
        """What computes these operations; others, whose values are known, are constants of it."""
        made = lowering.Lowering("tape", self.seed or 1)
        made.prefixes = self.prefixes
        for op in operations:
            for tensor in op.inputs:
                key = (tensor.op.number, id(tensor.op.graph), tensor.value_index)
                if key not in made.ids and self.is_known(tensor) and tensor.op not in operations:
                    made.ids[key] = made.build.constant(tensor.op.name, graph.for_engine(self.values[(key[0], key[2])]))
            made.add(op)
        return made

    def is_known(self, tensor):
        return (tensor.op.number, tensor.value_index) in self.values

    def compute(self, tensors):
        """Works out values that are asked for, and with them those that they are made of. What they are made of without
        gradients is computed once; gradients take all that leads to them, again."""
        missing = [t for t in tensors if not self.is_known(t)]
        needed = lowering.reachable(missing, lambda op: not op.outputs or not all(map(self.is_known, op.outputs)))
        of_gradients = set()
        for op in needed:
            if op.kind == "gradients" or any(t.op in of_gradients for t in op.inputs):
                of_gradients.add(op)
        self._compute_plain([op for op in needed if op not in of_gradients])
        missing = [t for t in missing if not self.is_known(t)]
        if missing:
            needed = lowering.reachable(missing, lambda op: True)
            lowered = self.lowered(dict.fromkeys(needed))
            wanted = [t for op in needed for t in op.outputs if op.kind != "gradients"] + \
                [t for t in missing if t.op.kind == "gradients"]
            weights, own = engine.Weights(), self._weights_of(lowered)
            for name in own.names():
                weights.make(name, own.get(name))
            if any(t.dtype.name == "float64" for t in wanted):
                host.tell_once("tilescope: note: gradients of float64 values on the host are computed in float32")
            self._take(lowered, wanted, weights)

    def _compute_plain(self, operations):
        """Those without gradients: by the engine, as far as it has their numbers."""
        pending = []
        for op in operations:
            if not (any(t.dtype.name in wide_numbers.WIDE for t in op.outputs + op.inputs) and self._is_of_host(op)):
                pending.append(op)
                continue
            if not all(map(self.is_known, op.inputs)):
                self._compute_by_engine(pending)
                pending = []
            if op.kind == "read" and op.attributes["variable"].key not in self.weights:  # which gradients take as well
                self.weights.make(op.attributes["variable"].key, graph.for_engine(op.attributes["variable"].array))
            for tensor, array in zip(op.outputs, self._on_host(op, [self.values[(t.op.number, t.value_index)] for t in op.inputs])):
                self.values.setdefault((op.number, tensor.value_index), np.asarray(array).astype(tensor.dtype.as_numpy_dtype))
        self._compute_by_engine(pending)

    @staticmethod
    def _is_of_host(op):
        return op.kind in ("constant", "watched", "cast") or (
            op.inputs and wide_numbers.has(op.kind, [np.dtype(t.dtype.as_numpy_dtype) for t in op.inputs])) or (
            op.kind == "read" and not hasattr(op.attributes["variable"], "model"))

    @staticmethod
    def _on_host(op, given):
        if op.kind in ("constant", "watched"):
            return [op.attributes["value"]]
        if op.kind == "read":
            return [op.attributes["variable"].array]
        return given if op.kind == "cast" else wide_numbers.compute(op.kind, given, op.attributes)

    def _compute_by_engine(self, operations):
        if operations:
            lowered = self.lowered(dict.fromkeys(operations))
            self._take(lowered, [t for op in operations for t in op.outputs if not self.is_known(t)], self._weights_of(lowered))
            self._keep_statistics(lowered)

    def _take(self, lowered, tensors, weights):
        arrays = lowered.build.compute([lowered.id_of(t) for t in tensors], weights=weights, step=self.number)
        for tensor, array in zip(tensors, arrays):
            self.values.setdefault((tensor.op.number, tensor.value_index), array.astype(tensor.dtype.as_numpy_dtype))

    def _weights_of(self, lowered):
        """The values of all variables, in one place."""
        for model in dict.fromkeys(each for each in lowered.keras if each is not None):
            model.variables_list()
            for name in model.store.names():
                if self.prefixes(model) + name not in self.weights:
                    self.weights.make(self.prefixes(model) + name, model.store.get(name))
        return self.weights

    def _keep_statistics(self, lowered):
        """What layers that train leave behind beside their gradients: means and variances of batches."""
        for model in dict.fromkeys(each for each in lowered.keras if each is not None):
            for name, _, trainable in model.variables_list():
                if not trainable and self.prefixes(model) + name in self.weights:
                    model.store.set(name, self.weights.get(self.prefixes(model) + name))

    def settle(self):
        """Works out all that has been computed, before a variable gets another value."""
        self.compute([t for op in self.operations_ for t in op.outputs if op.kind != "gradients"])

    def replace(self, variable):
        """From here on the variable has another value: what has been read of it stays what it was, and is differentiated by as well."""
        self.settle()
        reads = [op for op in self.operations_ if op.kind == "read" and op.attributes["variable"] is variable]
        for op in reads:
            kept = reads[0].outputs[0]
            if op is not reads[0]:
                op.kind, op.inputs, op.attributes = "identity", [kept], {}
                continue
            op.kind = "watched" if kept.dtype.is_floating else "constant"
            op.attributes, op.name = {"value": self.values[(op.number, 0)]}, self.unique(op.name + "/earlier")
            self.earlier.setdefault(variable, []).append(kept)
        for op in self.operations_:
            if op.kind == "gradients" and reads:
                op.attributes["sources"] = [reads[0].outputs[0] if each is variable else each for each in op.attributes["sources"]]
            elif op.kind == "keras" and self._is_of_layer(op, variable):
                self.replaced[op.number] = variable
        for name in self._names_of(variable):
            if name in self.weights:
                self.weights.erase(name)

    def go_on(self):
        """It is open again: variables may have other values."""
        read = {op.attributes["variable"]: None for op in self.operations_ if op.kind == "read"}
        models = {op.attributes["model"]: None for op in self.operations_ if op.kind == "keras" and op.attributes["model"] is not None}
        for variable in {**read, **{each: None for model in models for each in model.weights}}:
            if any(name in self.weights and not np.array_equal(self.weights.get(name), graph.for_engine(variable.first_values()))
                   for name in self._names_of(variable)):
                self.replace(variable)

    def _names_of(self, variable):
        """Those that the engine has for it."""
        if not hasattr(variable, "model"):
            return {variable.key}
        return {self.prefixes(variable.model) + each for each in (variable.key, variable.model.name_of_traced(variable.key))}

    def _is_of_layer(self, op, variable):
        layer, prefix = op.attributes.get("layer"), self.prefixes(op.attributes["model"])
        names = [f"{prefix}{layer.name}/"] if layer is not None else [prefix + each for each in op.attributes["model"].store.names()]
        return hasattr(variable, "model") and any(each == name or layer is not None and each.startswith(name)
                                                  for each in self._names_of(variable) for name in names)

    def check_earlier(self, loss, of_reads=False):
        """Errors: refused where a gradient goes on through a layer that has other weights since; `of_reads`: or through any such variable."""
        earlier = {tensor.op.number: variable for variable, tensors in self.earlier.items() for tensor in tensors} if of_reads else {}
        for op in lowering.reachable([loss], lambda op: True):
            variable = {**self.replaced, **earlier}.get(op.number) if op.graph is self else None
            if variable is not None:
                raise failures.refused(f"the gradient through an earlier value of variable {variable.name}",
                                       "it was given another value within the tape; assign it after the tape")


def at_hand(function):
    """What a function gives that is computed at once as a tape's is: layers train in it."""
    made = TapeGraph()
    with made.as_default():
        given = function()
        made.settle()
    return pack_like(given, [_at_hand(each) for each in flatten(given)])


class GradientTape:
    """tf.GradientTape: within a traced function its operations are the function's; outside, those of a graph of its own."""

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self.graph, self.scope = None, None
        self.traced = None  # the graph of a traced function that it is open in
        self.of_traced, self.begin, self.number = None, None, 0  # that it was open in; where the outermost tape there begins, and this one
        self.persistent, self.asked = persistent, False
        self.watches_variables, self.watched = watch_accessed_variables, []  # the variables that it was told to watch

    def __enter__(self):
        goes_on, self.asked = isinstance(self.graph, TapeGraph) and not self.asked, False
        if graph.executing_eagerly():
            if goes_on:
                self.graph.go_on()
            else:
                self.graph = TapeGraph()
            self.scope = self.graph.as_default()
            self.scope.__enter__()
        elif graph.current().of_tape:
            self.graph = graph.current()  # a tape within another: gradients are differentiated again
            self.number = next(graph.Graph.numbers)
        else:
            self._begin(graph.current())
        return self

    def _begin(self, here):
        if self.of_traced is not here:  # else it is open again
            self.begin = here.begin or tape_begins.Begin()
            self.number = next(graph.Graph.numbers)
        here.begin = here.begin or self.begin
        self.traced = self.of_traced = here
        here.open_tapes += 1

    def __exit__(self, *exception):
        if self.traced is not None:
            self.traced.open_tapes -= 1
            self.traced.begin = self.begin if self.traced.open_tapes else None
            self.traced = None
        if self.scope is not None:
            scope, self.scope = self.scope, None
            if exception[0] is None:
                self.graph.settle()
            scope.__exit__(*exception)

    def watch(self, tensor):
        for each in flatten(tensor):
            self.watched.append(each)
            each = graph.convert(each)
            if self.graph is not None and isinstance(each, graph.EagerTensor):
                self.graph.watch(each)

    def _ask(self):
        if self.asked and not self.persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")
        self.asked = True

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=None):
        self._ask()
        every = _sources(sources)
        seen = [self._is_watched(each) for each in every]
        if not all(seen):
            zero = _are_zeros(unconnected_gradients)
            found = iter(self._gradient(target, [s for s, is_seen in zip(every, seen) if is_seen], output_gradients,
                                        unconnected_gradients) if any(seen) else [])
            return pack_like(sources, [next(found) if is_seen else operations.zeros_like(each) if zero else None
                                       for each, is_seen in zip(every, seen)])
        return self._gradient(target, sources, output_gradients, unconnected_gradients)

    def _is_watched(self, source):
        """Whether the tape sees a variable: it was made to be trained, or was given to watch()."""
        if not hasattr(source, "tensor_of_variable") or any(each is source or _is_same_weight(each, source) for each in self.watched):
            return True
        return self.watches_variables and source.trainable

    def _gradient(self, target, sources, output_gradients, unconnected_gradients):
        from . import gradients
        if self.graph is None:
            take = functools.partial(gradients.gradients_of, missing="zeros" if _are_zeros(unconnected_gradients) else "refuse")
            return self._traced_gradient(take, _weighted(target, output_gradients), sources)
        open_ = graph.current() is self.graph
        with self.graph.as_default():
            targets = [each for each in flatten(target) if isinstance(each, graph.GraphTensor)]
            if not targets:
                return pack_like(sources, [None] * len(flatten(sources)))
            loss = operations.add_n([operations.reduce_sum(_weighted(t, None)) for t in targets]) if output_gradients is None \
                else _weighted(target, output_gradients)
            loss = gradients.with_own_gradients(loss)
            self.graph.check_earlier(loss)
            if self.number:
                tape_begins.check(loss, [node for each in flatten(sources) for node in self._parts_of(each) if node is not None], self.number)
            found = self._connected(loss, flatten(sources), unconnected_gradients)
            if not open_:
                self.graph.compute([each for each in found if isinstance(each, TapeTensor)])
        return pack_like(sources, found if open_ else [_at_hand(each) for each in found])

    def _traced_gradient(self, take, loss, sources):
        if self.begin is None or graph.current() is not self.of_traced:
            return take(loss, sources)
        loss = graph.symbolic(loss)
        parts = [tape_begins.parts_of(self.of_traced, self.begin, each, loss, self.number) for each in flatten(sources)]
        every = [node for each in parts for node in each]
        tape_begins.check(loss, every, self.number)
        found = iter(take(loss, every))
        return pack_like(sources, [functools.reduce(operations.add, [next(found) for _ in each]) for each in parts])

    def _connected(self, loss, sources, unconnected):
        """The gradient by each source; None where the loss does not depend on it."""
        from . import gradients
        parts = [(i, node) for i, each in enumerate(sources) for node in self._parts_of(each)]
        lowered = self.graph.lowered(dict.fromkeys(lowering.reachable([loss], lambda op: True)))
        parts = [(i, node, lowered.source_number(node)) for i, node in parts]
        parts = [part for part in parts if part[2] >= 0]
        reached = lowered.build.gradients(lowered.id_of(loss), [number for _, _, number in parts])
        parts = [(i, node) for (i, node, _), number in zip(parts, reached) if number >= 0]
        made = {}
        for (i, _), gradient in zip(parts, gradients.raw_gradients(loss, [node for _, node in parts])):
            made[i] = operations.add(made[i], gradient) if i in made else gradient
        zero = _are_zeros(unconnected)
        return [made[i] if i in made else operations.zeros_like(np.asarray(each)) if zero else None
                for i, each in enumerate(sources)]

    def _parts_of(self, source):
        """What stands for a source: of a variable also what it was before."""
        if isinstance(source, graph.EagerTensor):
            return [self.graph.node_of(source)]
        return [source, *(self.graph.earlier.get(source, ()) if hasattr(source, "tensor_of_variable") else ())]

    def jacobian(self, target, sources, unconnected_gradients=None, parallel_iterations=None, experimental_use_pfor=True):
        """The gradient of each number of the target: extents of the target, then those of the source."""
        def of_numbers(tensor):
            flat = operations.reshape(tensor, [-1])
            return [operations.slice_of(flat, i) for i in range(flat.dims[0])]
        return self._stacked("jacobian", target, sources, of_numbers, lambda made, source, operations: operations.reshape(
            operations.stack(made), [*target.dims, *source.dims]), unconnected_gradients)

    def batch_jacobian(self, target, source, unconnected_gradients=None, parallel_iterations=None, experimental_use_pfor=True):
        """The same of each sample by itself: extents of the target, then those of a sample of the source."""
        if target.dims[:1] != tuple(source.shape)[:1]:
            raise ValueError(f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to match.")

        def of_columns(tensor):
            rows = operations.reshape(tensor, [tensor.dims[0], -1])
            return [operations.reduce_sum(operations.slice_of(rows, (slice(None), i))) for i in range(rows.dims[1])]
        return self._stacked("batch_jacobian", target, source, of_columns, lambda made, each, operations: operations.reshape(
            operations.stack(made, 1), [*target.dims, *tuple(each.dims)[1:]]), unconnected_gradients)

    def _stacked(self, name, target, sources, parts_of, stacked, unconnected_gradients):
        """What `stacked` makes of the gradients of the parts of a target, all of one program."""
        from . import gradients
        self._ask()
        every = _sources(sources)
        samples = name == "batch_jacobian"
        zero = samples or _are_zeros(unconnected_gradients)

        def unconnected(source):
            return operations.zeros([*target.dims, *tuple(source.shape)[samples:]]) if zero else None
        if not isinstance(target, graph.GraphTensor):
            return pack_like(sources, [unconnected(each) for each in every])
        if int(np.prod(target.dims)) > MOST_PARTS:
            raise failures.refused(f"tf.GradientTape.{name} of more than {MOST_PARTS:,} numbers", "take gradient() of what you need")
        open_ = self.graph is None or graph.current() is self.graph
        with contextlib.nullcontext() if self.graph is None else self.graph.as_default():
            parts = parts_of(target)
            used = [None] * len(every) if self.graph is not None else every
            if self.graph is not None:  # which of them it depends on
                self.graph.check_earlier(operations.add_n(parts), of_reads=True)
                used = self._connected(gradients.with_own_gradients(operations.add_n(parts)), every, None)
            nodes = [self._node(each) for each in every]
            known = [i for i, each in enumerate(used) if each is not None and self._is_watched(every[i])]
            rows = [gradients.gradients_of(part, [nodes[i] for i in known]) for part in parts] if known else []
            made = {i: stacked([row[k] for row in rows], nodes[i], operations) for k, i in enumerate(known)}
            if not open_:
                self.graph.compute(list(made.values()))
        found = [(made[i] if open_ else _at_hand(made[i])) if i in made else unconnected(each) for i, each in enumerate(every)]
        return pack_like(sources, found)

    def _node(self, source):
        found = self.graph.node_of(source) if self.graph is not None and isinstance(source, graph.EagerTensor) else None
        return source if found is None else found


def _is_same_weight(a, b):
    """Whether two are one weight of a model, which lists it anew each time."""
    return hasattr(a, "model") and hasattr(b, "model") and a == b


def _sources(given):
    """What is to be differentiated by. Errors: TypeError for arrays and numbers, which no tape watches."""
    every = flatten(given)
    for each in every:
        if not isinstance(each, graph.Tensor) and not hasattr(each, "tensor_of_variable"):
            raise TypeError(f"GradientTape takes sources that are tensors and variables, and got {type(each).__name__}: make a tensor "
                            "of it and watch that.")
    return every


def _weighted(target, output_gradients):
    return target if output_gradients is None else operations.reduce_sum(operations.multiply(target, output_gradients))


def _at_hand(value):
    return value.at_hand() if isinstance(value, TapeTensor) else value
