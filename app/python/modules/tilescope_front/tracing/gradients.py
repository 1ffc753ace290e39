# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients as tensors, which scripts take apart and change, and the one update of a program that applies them. The
engine differentiates; gradients that are applied as they are, it differentiates together with the update."""
import contextlib
import functools
import inspect
import json

import numpy as np

from . import graph, host_tables, lowering
from .. import failures
from ..structure import flatten, pack_like


def gradients_of(loss, sources):
    """The gradient of a loss, the sum of its numbers, by each of `sources`: variables or tensors."""
    return raw_gradients(with_own_gradients(loss), sources)


def raw_gradients(loss, sources, missing="refuse"):
    """The same by the engine alone. `missing`: "refuse" or "zeros", where the loss does not depend on a source."""
    loss = graph.symbolic(loss)
    if loss.dims:
        from ..operations import elementary as operations
        loss = operations.reduce_sum(loss)
    flat = flatten(sources)
    types = [(_dtype(each), tuple(each.dims if hasattr(each, "dims") else each.shape)) for each in flat]
    op = graph.current().add("gradients", [loss], {"sources": flat, "missing": missing}, types, "gradients")
    return pack_like(sources, op.outputs)


class _OwnGradient:
    """A call of a function whose gradient the script gives."""

    def __init__(self, inputs, outputs, gradient, variables):
        self.inputs, self.outputs, self.gradient, self.variables = inputs, outputs, gradient, variables
        self.guards = graph.current().guards

    def of_inputs(self, of_outputs):
        """(tensor or variable, gradient) for each input, and for each variable that the function reads."""
        takes = inspect.signature(self.gradient).parameters
        if self.variables and "variables" in takes:
            made, of_variables = self.gradient(*of_outputs, variables=self.variables)
        else:
            made, of_variables = self.gradient(*of_outputs), []
        made = flatten(made if isinstance(made, (list, tuple)) else [made])
        return [*zip(self.inputs, map(self._of_branch, made)), *zip(self.variables, map(self._of_branch, flatten(of_variables)))]

    def _of_branch(self, gradient):
        """A gradient, which is 0 where the call is of a branch of tf.cond that is not taken."""
        from ..operations import elementary as operations
        from ..operations.control_flow import taken
        for guard in self.guards if gradient is not None else ():
            parts = gradient, operations.zeros_like(gradient)
            gradient = taken(guard.pred, *(parts if guard.is_taken else parts[::-1]), "tf.cond")
        return gradient


def custom_gradient(f=None):
    """tf.custom_gradient: f gives its value, and a function that makes the gradients by its arguments of that by the value."""
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        if graph.executing_eagerly():
            return f(*[graph.convert(each) for each in args], **kwargs)[0]
        from ..operations.control_flow import stop_gradient
        inputs, here = [graph.symbolic(each) for each in args], graph.current()
        begun = len(here.operations_)
        value, gradient = f(*inputs, **kwargs)
        read = {op.attributes["variable"]: None for op in here.operations_[begun:] if op.kind == "read"}
        outputs = [stop_gradient(graph.symbolic(each)) for each in flatten(value)]
        call = _OwnGradient(inputs, outputs, gradient, [v for v in read if v.trainable])
        for output in outputs:
            output.op.own_gradient = call
        return pack_like(value, outputs)
    return decorated


def with_own_gradients(loss):
    """A loss with the same gradient by all that it depends on, where scripts' own gradients are as they gave them: to the loss
    is added, for each input x of such a call, the sum of x times the gradient by x, which itself is held fixed."""
    from ..operations import elementary as operations
    from ..operations.control_flow import stop_gradient
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
                    fixed = stop_gradient(gradient)
                    total = operations.add(total, operations.reduce_sum(operations.multiply(fixed, source)))
        known[loss] = total
    return known.get(loss, loss)


def _dtype(source):
    return graph.as_dtype(source.dtype)


def refused_after_loop():
    return failures.refused("a gradient, after a loop of the device, of what was made in it or before it", "take it within the loop")


def _is_followed(op):
    """Whether gradients go on through an operation."""
    return op.kind != "stop_gradient" or hasattr(op, "own_gradient")


def check_loops(loss, sources):
    """Errors: refused where the loss depends through a loop of the device on what it is differentiated by, which the engine does not
    follow: there would be no gradient."""
    for loop in lowering.reachable([graph.symbolic(loss)], _is_followed, of_values=True):
        if loop.kind != "repeat":
            continue
        before = lowering.reachable(loop.inputs, _is_followed, of_values=True)
        known = {op.number for op in before}
        read = {id(op.attributes["variable"]) for op in [*before, *loop.attributes["body"].operations_] if op.kind == "read"}
        if any(each.op.number in known if graph.is_symbolic(each) else id(each) in read for each in sources):
            raise refused_after_loop()


def of_list(ys, xs, grad_ys=None, name="gradients", colocate_gradients_with_ops=False, gate_gradients=False,
            aggregation_method=None, stop_gradients=None, unconnected_gradients=None):
    """tf.gradients: those of the sum of all `ys`, each times its one of `grad_ys`; None, or zeros where that is wanted, by what they do not
    depend on."""
    if stop_gradients is not None:
        raise failures.refused("tf.gradients(stop_gradients=…)", "use tf.stop_gradient")
    from ..operations import elementary as operations
    from ..operations.control_flow import stop_gradient
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
    from ..operations import elementary as operations
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


def _loss_of(gradient):
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


def apply_gradients(optimizer, grads_and_vars, aggregated=True):
    """One update of the variables, from what gradients are given. `aggregated`: an optimiser of Keras sums those of the replicas."""
    pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
    if not pairs:
        raise ValueError("No gradients provided for any variable.")
    from . import own_updates
    if _exchange.share != 1 and not graph.executing_eagerly():
        from ..operations import elementary as operations
        pairs = [(operations.multiply(gradient, _exchange.share), variable) for gradient, variable in pairs]
    if own_updates.is_own(optimizer):
        return own_updates.apply(optimizer, pairs)
    if not own_updates.transforms(optimizer):
        return updated(optimizer, pairs, aggregated)
    return own_updates.by_assignments(pairs, lambda: updated(optimizer, optimizer._transform_gradients(pairs), aggregated),
                                      exchange_of(optimizer, aggregated))


def updated(optimizer, pairs, aggregated=True):
    """The engine's update of variables from their gradients."""
    if graph.executing_eagerly():
        from . import tape
        return tape.apply_now(optimizer, pairs)
    from ..keras import hyper as keras_hyper, slots as keras_slots
    from ..tf1 import slots as slots_1
    rate, variables = optimizer.rate_tensor(), [variable for _, variable in pairs]
    inputs = [_loss_of(pairs[0][0])] + [gradient for gradient, _ in pairs] + [each for each in (rate, _exchange.holds) if each is not None]
    slots_1.updates(optimizer, variables)
    keras_hyper.may_take_back(optimizer)
    return graph.current().add("minimize", inputs, {
        "optimizer": optimizer, "workload": optimizer.workload(), "label": keras_slots.label_of(optimizer), "computed_rate": rate is not None,
        "variables": variables, "exchange": exchange_of(optimizer, aggregated)}, [], "apply_gradients")


def exchange_of(optimizer, aggregated=True):
    """How the gradients of an update are exchanged: Keras' optimisers sum those of all replicas by themselves."""
    from ..keras.parts import Optimizer
    if not aggregated or _exchange.replicated or not isinstance(optimizer, Optimizer):
        return _exchange
    return Exchange(**{**vars(_exchange), "replicated": True, "of_replicas": "sum"})


def minimize(optimizer, loss, var_list=None):
    """One update of `var_list`, or of all that is trained, from one loss."""
    from . import own_updates
    from ..keras import hyper as keras_hyper, slots as keras_slots
    from ..tf1 import slots as slots_1, train as train_1
    if var_list is not None or own_updates.is_own(optimizer):
        return apply_gradients(optimizer, optimizer.compute_gradients(loss, var_list))
    loss, rate = graph.symbolic(loss), optimizer.rate_tensor()
    if loss.dims:  # what is differentiated is the sum of its numbers
        from ..operations import elementary as operations
        loss = operations.reduce_sum(loss)
    slots_1.updates(optimizer, train_1.trained_by(loss)[1])
    keras_hyper.may_take_back(optimizer)
    return graph.current().add("minimize", [with_own_gradients(loss)] + ([] if rate is None else [rate]), {
        "optimizer": optimizer, "workload": optimizer.workload(), "label": keras_slots.label_of(optimizer),
        "computed_rate": rate is not None, "variables": None, "exchange": _exchange}, [], "minimize")


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


def _check_made_of(lowered, what, made, given):
    """Errors: refused where what follows once for each update is made of what single micro-batches have, beside their gradients."""
    stops = {each.op.number for each in given}
    for each in lowering.reachable(made, lambda node: node.number not in stops):
        if each.kind == "dequeue" or each.kind == "argument" and lowered.of_many:
            raise failures.refused(f"{what} by apply_gradients(), from what a micro-batch has beside its gradients", "make it of gradients, "
                                   "variables and what the loop is given, or let each step update")


def _take_exchange(lowered, exchange):
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
    _check_made_of(lowered, f"an assignment to {key}", op.inputs, given)
    if is_of_many(lowered, exchange):
        _check_not_read(op, key)
    _take_exchange(lowered, exchange)
    reduction, scale = reduced(lowered, exchange)
    lowered.build.train(lowered.id_of(_loss_of(given[0])), json.dumps({"name": "sgd"}), reduction)  # which only says how they are added up
    return lowered.build.of_update(number, [lowered.id_of(each) for each in given if lowered.is_connected(each)], float(scale))


def lower(lowered, op):
    """The update of a program, as what the engine trains. `lowered`: as lowering.Lowering."""
    settings, exchange = op.attributes, op.attributes["exchange"]
    _take_exchange(lowered, exchange)
    lowered.updated.append((settings["optimizer"], [each.key for each in settings["variables"] or ()]))
    gradients = op.inputs[1:]
    holds = [each for each in (gradients.pop() if exchange.holds is not None else None, settings.get("counts")) if each is not None]
    accumulates = lowered.accumulates or exchange.accumulation > 1
    replicas = lowered.meeting if lowered.of_many or exchange.replicated else 1
    together = accumulates or replicas > 1
    rate = lowered.id_of(gradients.pop()) if settings["computed_rate"] else -1
    reduction, scale = reduced(lowered, exchange)
    loss, updates, changed = _scaled(lowered, lowered.id_of(op.inputs[0]), scale), [], []
    from . import own_updates
    tables = host_tables.looked_up(op)
    rows = [lowered.id_of(each.outputs[0]) for each in tables]
    read_later = _is_read_later(op)
    from ..keras import constraints as keras_constraints
    trained = [lowered.name_of(each) for each in settings["variables"]] if settings["variables"] is not None else \
        [key for key in lowered.assigned if lowered.variables[key] in lowered.build.trainable()]
    lost = [key for key in trained if key in lowered.assigned]
    if lost:
        raise failures.refused(f"an update of {lost[0]}, to which the same step has assigned before", "assign in a step of its "
                               "own, or after the update")
    own = keras_constraints.own_of_update(op, trained if settings["variables"] is not None else [
        *lowered.variables, *(lowered.name_of(each) for model in dict.fromkeys(lowered.keras) if model is not None
                              for each in model.trainable_variables)])
    others = sum(each.kind == "minimize" or each.kind == "assign" and "of_update" in each.attributes for each in op.graph.operations_)
    alone = not tables and not read_later and not own and not holds and others == 1  # else the engine is told what the update is made of
    if settings["variables"] is not None and not (
            alone and _as_they_are(lowered, gradients, settings["variables"], op.inputs[0])):
        pairs = [(gradient, variable) for gradient, variable in zip(gradients, settings["variables"]) if lowered.is_connected(gradient)]
        _tell_of_others(settings["variables"], [variable for _, variable in pairs])
        updates = [(lowered.variable_number(variable), _scaled(lowered, lowered.id_of(gradient), scale)) for gradient, variable in pairs]
        if together and "of_update" in settings:
            given = settings["of_update"][1]
            changed = [not any(gradient is each for each in given) for gradient, _ in pairs]
            own_updates.check_order(settings["optimizer"], accumulates, replicas, any(changed))
            _check_made_of(lowered, "an update", [gradient for (gradient, _), is_changed in zip(pairs, changed) if is_changed], given)
            known = [lowered.id_of(each) for each in given if lowered.is_connected(each)]
            updates = [(variable, lowered.build.of_update(lowered.id_of(gradient), known, float(scale)) if is_changed else number)
                       for (variable, number), (gradient, _), is_changed in zip(updates, pairs, changed)]
        of_rows = lowered.build.gradients(lowered.id_of(op.inputs[0]), rows) if rows else []
    elif rate >= 0 or not alone:
        trained = lowered.build.trainable()
        found = lowered.build.gradients(loss, trained + rows)
        updates = [each for each in zip(trained, found) if each[1] >= 0]
        of_rows = [each if each < 0 else _scaled(lowered, each, 1 / scale) for each in found[len(trained):]]
    if tables:
        host_tables.lower_updates(lowered, tables, of_rows)
    if own and accumulates:
        raise keras_constraints.refused(next(iter(own)))
    if "counts" in settings and (lowered.of_many or exchange.accumulation > 1):
        raise failures.refused("an update in a branch on a tensor, with accumulated gradients", "update in each step, by gradients that are 0 where "
                               "the branch is not taken")
    if read_later and accumulates:
        raise failures.refused("an update whose variables the same step reads again, with accumulated gradients",
                               "take gradients and read the variables before the first apply_gradients")
    numbers, of_count = [lowered.id_of(each) for each in holds], None
    if (read_later or own) and replicas > 1:
        if any(changed):
            raise failures.refused(f"an update by {type(settings['optimizer']).__name__}, which is given the gradients of all replicas, whose "
                                   "variables the same step reads again", "take gradients and read the variables before it")
        if exchange.holds is not None:
            raise failures.refused("an update of LossScaleOptimizer(dynamic=True), whose variables the same step reads again, on replicas",
                                   "take gradients and read the variables before it, or give a fixed scale with dynamic=False")
        times = replicas if reduction == "sum" else 1
        updates = [(number, _scaled(lowered, _mean_of(lowered, gradient, replicas), times)) for number, gradient in updates]
        of_count = [_taken_by_all(lowered, each, reduction, scale) for each in numbers]
        numbers = [_exceeds(lowered, _mean_of(lowered, _taken(lowered, each), replicas), 1 - 0.5 / replicas) for each in numbers]
        together = False
    if holds and tables:
        raise failures.refused("an update that may not hold, in a branch on a tensor or of LossScaleOptimizer(dynamic=True), with embeddings on "
                               "the host", "keep the table on the IPU")
    before = {number: (following, lowered.build.now(number)) for number, following in lowered.build.next_values()} if holds else {}
    lowered.build.train(loss, json.dumps(settings["workload"]), reduction, updates, rate,
                        settings["label"], read_later or bool(own) or bool(holds) and not together)
    keras_constraints.apply_own(lowered, own, op.shard)
    if holds:
        if together:  # worked out from the gradients of all micro-batches
            known = [lowered.id_of(each) for each in exchange.holds_by if lowered.is_connected(each)]
            numbers = [_taken_by_all(lowered, each, reduction, scale) if tensor is settings.get("counts") else
                       lowered.build.of_update(each, known, float(scale)) for tensor, each in zip(holds, numbers)]
        _take_back(lowered, op, [functools.reduce(lambda a, b: lowered.build.operation("logical_and", [a, b], {}, "holds")[0], each)
                                 for each in (numbers, of_count or numbers)], before)


def _mean_of(lowered, number, replicas):
    """What all replicas have of a value on average, while the step goes on: each of them updates by it what it reads again."""
    lowered.meets = True
    return lowered.build.operation("group_mean", [number], {"group": replicas}, "of_replicas")[0]


def _taken(lowered, holds):
    """A truth value as a number, which replicas can add up."""
    one, none = (lowered.build.constant("taken", np.asarray(each, np.float32)) for each in (1, 0))
    return lowered.where(holds, one, none, "taken")


def _exceeds(lowered, number, least):
    return lowered.build.operation("greater", [number, lowered.build.constant("taken", np.asarray(least, np.float32))], {}, "taken")[0]


def _taken_by_all(lowered, holds, reduction, scale):
    """Whether a truth value holds on all replicas, for their update."""
    part = _taken(lowered, holds)
    least = (1 - 0.5 / lowered.replicas) * scale * (lowered.replicas if reduction == "sum" else 1)
    return lowered.build.of_update(_exceeds(lowered, part, least), [part], float(scale))


def _take_back(lowered, op, holds, before):
    """Leaves variables, and what the optimiser keeps, as they were where an update does not hold. `holds`: whether it does, for variables and
    for the count of updates; `before`: (next value, value now) of variables."""
    count = lowered.build.variable_named(op.attributes["optimizer"].__dict__.get("count_", ""))  # for a rate that the program computes
    for number, following in lowered.build.next_values():
        if number == count:
            lowered.build.take_back(number, holds[1], number)
        elif following != before.get(number, (None,))[0]:
            lowered.build.take_back(number, holds[0], before[number][1] if number in before else number)


def _tell_of_others(variables, updated):
    """As TensorFlow does of variables that an update leaves as they are; ValueError where it would change none."""
    from .. import host
    others = [each.name for each in variables if not any(each is known for known in updated)]
    if not updated:
        raise ValueError("No gradients provided for any variable: " + str(others))
    if others:
        host.log("WARNING", f"Gradients do not exist for variables {others} when minimizing the loss.")


def _is_read_later(op):
    """Whether what is made after an update reads a variable that it changes."""
    keys = {each.key for each in op.attributes["variables"] or ()}
    keys |= {each.model.name_of_traced(each.key) for each in op.attributes["variables"] or () if hasattr(each, "model")}
    after = op.graph.operations_[op.graph.operations_.index(op) + 1:]
    if not op.graph.in_order:
        return any(each.kind in ("read", "assign") and each.control_inputs and
                   (each.attributes["variable"].key in keys or not keys and each.attributes["variable"].trainable) and
                   op in lowering.reachable([each], lambda _: True) for each in after)
    for later in after:
        if later.kind in ("read", "assign") and later.attributes["variable"].key in keys:
            return True
        if later.kind != "keras":
            continue
        layer = later.attributes.get("layer")
        if keys & set(later.attributes["model"].store.names()) if layer is None else \
                any(key.startswith(layer.name + "/") for key in keys):
            return True
    return False


def _scaled(lowered, number, scale):
    if scale == 1:
        return number
    dtype = lowered.build.type(number)[0]
    factor = lowered.build.constant("accumulated", np.asarray(scale, dtype))
    return lowered.build.operation("multiply", [number, factor], {}, "accumulated")[0]


def _as_they_are(lowered, gradients, variables, loss):
    """Whether all that is trained is updated from its own gradient."""
    return all(each.op.kind == "gradients" and each.op.inputs[0] is loss and
               each.op.attributes["sources"][each.value_index] is variable
               for each, variable in zip(gradients, variables)) and \
        {lowered.variable_number(each) for each in variables} >= set(lowered.build.trainable())
