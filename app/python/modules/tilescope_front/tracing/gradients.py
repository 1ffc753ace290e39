# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients as tensors, which scripts take apart and change, and the one update of a program that applies them. The
engine differentiates; gradients that are applied as they are, it differentiates together with the update."""
import contextlib
import json

import numpy as np

from ..tensors import graph
from . import lowering
from .. import failures
from ..structure import flatten, pack_like
from ..operations import elementary as operations
from ..operations.control_flow import stop_gradient


def gradients_of(loss, sources, missing="refuse"):
    """The gradient of a loss, the sum of its numbers, by each of `sources`: variables or tensors."""
    return raw_gradients(with_own_gradients(loss), sources, missing)


def raw_gradients(loss, sources, missing="refuse"):
    """The same by the engine alone. `missing`: "refuse" or "zeros", where the loss does not depend on a source."""
    loss = graph.symbolic(loss)
    if loss.dims:
        loss = operations.reduce_sum(loss)
    flat = flatten(sources)
    types = [(_dtype(each), tuple(each.dims if hasattr(each, "dims") else each.shape)) for each in flat]
    op = graph.current().add("gradients", [loss], {"sources": flat, "missing": missing}, types, "gradients")
    return pack_like(sources, op.outputs)


def with_own_gradients(loss):
    """A loss with the same gradient by all that it depends on, where scripts' own gradients are as they gave them: to the loss
    is added, for each input x of such a call, the sum of x times the gradient by x, which itself is held fixed; where the gradient of
    the loss is differentiated again, it is not."""
    loss = graph.symbolic(loss)
    reached = lowering.reachable([loss], lambda op: True)
    calls = {id(op.own_gradient): op.own_gradient for op in reversed(reached) if hasattr(op, "own_gradient")}
    known = loss.op.graph.__dict__.setdefault("with_own_gradients", {})
    if calls and loss not in known:
        total = operations.reduce_sum(loss) if loss.dims else loss
        for call in calls.values():
            of_outputs = raw_gradients(total, call.outputs, "zeros")
            for source, gradient in call.of_inputs(of_outputs):
                if gradient is not None and source.dtype.is_floating:
                    held = graph.apply("multiply", [source, gradient], {"holds_second": True})[0]
                    total = operations.add(total, operations.reduce_sum(held))
        known[loss] = total
    return known.get(loss, loss)


def _dtype(source):
    return graph.as_dtype(source.dtype)


def refused_after_loop():
    return failures.refused("a gradient, after a loop of the device, of what was made in it or before it", "take it within the loop")


def _refused_through(op):
    """The error of a gradient that would go on through an operation which has none."""
    if op.kind == "while":
        return failures.refused("a gradient through tf.while_loop whose end nothing bounds, in a session", "give it maximum_iterations")
    if "without_gradient" in op.attributes:
        return failures.refused(f"a gradient of {op.attributes['without_gradient']}", "the engine has none; hold it fixed with tf.stop_gradient")
    return refused_after_loop()


def _is_followed(op):
    """Whether gradients go on through an operation."""
    return op.kind != "stop_gradient" or hasattr(op, "own_gradient")


def check_loops(loss, sources):
    """Errors: refused where the loss depends on what it is differentiated by through a loop, or through what the host alone computes,
    which the engine does not follow: there would be no gradient."""
    for op in lowering.reachable([graph.symbolic(loss)], _is_followed, of_values=True):
        if op.kind not in ("repeat", "while") and "without_gradient" not in op.attributes:
            continue
        before = lowering.reachable(op.inputs, _is_followed, of_values=True)
        within = op.attributes["body"].operations_ if "body" in op.attributes else []
        known = {each.number for each in before}
        read = {id(each.attributes["variable"]) for each in [*before, *within] if each.kind == "read"}
        if any(each.op.number in known if graph.is_symbolic(each) else id(each) in read for each in sources):
            raise _refused_through(op)


def of_list(ys, xs, grad_ys=None, name="gradients", colocate_gradients_with_ops=False, gate_gradients=False,
            aggregation_method=None, stop_gradients=None, unconnected_gradients=None):
    """tf.gradients: those of the sum of all `ys`, each times its one of `grad_ys`; None, or zeros where that is wanted, by what they do not
    depend on."""
    if stop_gradients is not None:
        raise failures.refused("tf.gradients(stop_gradients=…)", "use tf.stop_gradient")
    every, sources = flatten(ys), flatten(xs)
    weights = [None] * len(every) if grad_ys is None else list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    if len(weights) != len(every):
        raise ValueError(f"Passed {len(weights)} grad_ys for {len(every)} ys")
    parts = [y if weight is None else operations.multiply(y, stop_gradient(graph.symbolic(weight))) for y, weight in zip(every, weights)]
    total = operations.add_n([operations.reduce_sum(each) for each in parts])
    check_loops(total, sources)
    reached = lowering.reachable([graph.symbolic(total)], _is_followed)
    numbers, read = {op.number for op in reached}, [op.attributes["variable"] for op in reached if op.kind == "read"]
    used = [i for i, each in enumerate(sources) if (each.op.number in numbers if graph.is_symbolic(each) else hasattr(each, "model") or any(
        each is variable for variable in read))]
    found = dict(zip(used, gradients_of(total, [sources[i] for i in used]))) if used else {}
    zero = getattr(unconnected_gradients, "value", unconnected_gradients) == "zero"
    return [found[i] if i in found else operations.zeros_like(each) if zero else None for i, each in enumerate(sources)]


MOST_PARTS = 1000  # of a matrix of second derivatives, each of whose rows has gradients of its own


def hessians(ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
    """tf.hessians: the second derivatives of the sum of all `ys` by each x, whose extents they have twice."""
    made = []
    for x, slope in zip(flatten(xs), of_list(ys, xs)):
        dims, size = list(x.dims), int(np.prod(x.dims))
        if size > MOST_PARTS:
            raise failures.refused(f"tf.hessians by more than {MOST_PARTS:,} numbers", "take them by what you need")
        if slope is None:
            raise ValueError(f"tf.hessians: the values do not depend on {x.name}")
        parts = operations.reshape(slope, [-1])
        rows = [raw_gradients(with_own_gradients(operations.slice_of(parts, i)), [x], "zeros")[0] for i in range(size)]
        made.append(operations.reshape(operations.stack(rows), dims + dims))
    return made


def loss_of(gradient):
    """The loss that a gradient, as it came or as it was changed, is of; 0 where it is given from outside."""
    rest, seen = [gradient], set()
    while rest:
        op = rest.pop().op
        if op.number in seen:
            continue
        seen.add(op.number)
        if op.kind == "gradients":
            return op.inputs[0]
        rest += op.inputs
    return graph.symbolic(np.float32(0))


class Exchange:
    """Over how many steps an update adds its gradients up, how, whether replicas take their mean, and where the
    optimiser's state lives."""

    def __init__(self, accumulation=1, reduction="sum", replicated=False, of_replicas="mean", places=None, share=1, holds=None, holds_by=()):
        self.accumulation, self.reduction = accumulation, reduction
        self.replicated, self.of_replicas, self.places = replicated, of_replicas, places or {}
        self.share = share  # of each gradient that an update takes
        self.holds, self.holds_by = holds, holds_by  # a tensor that says whether an update holds, or None; the gradients that it is made of

    def workload_part(self, accumulation):
        """What a program with this exchange has in its document."""
        return {"compile": {"gradient_accumulation_steps_per_replica": accumulation, **self.places}} \
            if self.places and accumulation > 1 else {}


def state_places(offload_weight_update_variables=None, replicated_optimizer_state_sharding=False, offload_weights=None,
                 replicated_weight_sharding=None):
    """Where an optimiser's state and the weights live, as a workload says it. None leaves it to IPU TensorFlow: here on
    tiles; for sharding it is as offloading."""
    sharded = offload_weight_update_variables if replicated_optimizer_state_sharding is None \
        else replicated_optimizer_state_sharding
    if sharded and not offload_weight_update_variables:
        raise ValueError("To use replicated_optimizer_state_sharding, optimizer state must be offloaded by using "
                         "offload_weight_update_variables.")
    if replicated_weight_sharding and not offload_weights:
        raise NotImplementedError("Requested replicated weight sharding without offloading. This is currently not supported.")
    given = {"offload_weight_update_variables": offload_weight_update_variables, "offload_weights": offload_weights,
             "replicated_optimizer_state_sharding": sharded, "replicated_weight_sharding": replicated_weight_sharding}
    return {name: True for name, wanted in given.items() if wanted}


_exchange = Exchange()


def exchange():
    """How updates are exchanged that are made here."""
    return _exchange


@contextlib.contextmanager
def exchanged(**settings):
    """Within it updates are exchanged so as well: what the wrappers of optimisers say."""
    global _exchange
    before = _exchange
    _exchange = Exchange(**{**vars(before), **settings})
    try:
        yield
    finally:
        _exchange = before


def reduced(lowered, exchange):
    """(how the engine reduces the gradients of an update, what each is multiplied by before)."""
    reduction, scale = exchange.reduction, 1
    if exchange.replicated and lowered.replicas > 1 and exchange.of_replicas == "sum":
        if reduction != "sum" and exchange.accumulation > 1:
            scale = 1 / exchange.accumulation  # the sum of the replicas' means
        reduction = "sum"
    elif exchange.replicated and lowered.replicas > 1:  # the mean of the replicas' sums
        scale = exchange.accumulation if reduction == "sum" else 1
        reduction = "mean"
    return reduction, scale


def check_made_of(lowered, what, made, given):
    """Errors: refused where what follows once for each update is made of what single micro-batches have, beside their gradients."""
    stops = {each.op.number for each in given}
    for each in lowering.reachable(made, lambda node: node.number not in stops):
        if each.kind == "dequeue" or each.kind == "argument" and lowered.of_many:
            raise failures.refused(f"{what} by apply_gradients(), from what a micro-batch has beside its gradients", "make it of gradients, "
                                   "variables and what the loop is given, or let each step update")


def take_exchange(lowered, exchange):
    """An update is to follow by this one. Errors: refused where another update of the program is by one that does not go with it."""
    before, lowered.exchange = lowered.exchange_of_updates, exchange
    lowered.exchange_of_updates = exchange
    if before is None:
        return
    if before.accumulation != exchange.accumulation:
        counts = sorted({before.accumulation, exchange.accumulation})
        raise failures.refused(f"updates of one loop that accumulate gradients over {counts[0]} and over {counts[1]} steps", "let all "
                               "optimisers of it accumulate over as many")
    if lowered.replicas > 1 and (before.replicated, before.of_replicas) != (exchange.replicated, exchange.of_replicas):
        raise failures.refused("updates of one loop of which some are of the gradients of all replicas and others are not", "let all optimisers "
                               "of it exchange them alike, as in CrossReplicaOptimizer")
    if before.places != exchange.places:
        raise failures.refused("updates of one loop whose state is in different places", "give all optimisers of it the same options")


def is_of_many(lowered, exchange):
    return lowered.of_many or exchange.accumulation > 1 or exchange.replicated and lowered.replicas > 1


def _check_not_read(op, key):
    """Errors: refused where a step reads what follows once for each update, beside the optimizer itself."""
    for each in op.graph.operations_:
        if each.number > op.attributes["update_ends"] and (any(t is op.outputs[0] for t in each.inputs) or each.kind == "read" and (
                each.attributes["variable"].key == key and (each.attributes.get("ordered") or op in lowering.reachable([each], lambda _: True)))):
            raise refused_to_read(key)


def refused_to_read(key):
    return failures.refused(f"a read of {key} after apply_gradients() of the script's own has assigned to it, with accumulated gradients or "
                            "replicas", "read it before, or in the next step")


def lower_assigned(lowered, op, number):
    """What an optimiser of the script's own assigns, as a part of the update: from its gradients as they are then."""
    exchange, given = op.attributes["of_update"]
    key = op.attributes["variable"].key
    check_made_of(lowered, f"an assignment to {key}", op.inputs, given)
    if is_of_many(lowered, exchange):
        _check_not_read(op, key)
    take_exchange(lowered, exchange)
    reduction, scale = reduced(lowered, exchange)
    lowered.build.train(lowered.id_of(loss_of(given[0])), json.dumps({"name": "sgd"}), reduction)  # which only says how they are added up
    return lowered.build.of_update(number, [lowered.id_of(each) for each in given if lowered.is_connected(each)], float(scale))
