# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of variables, as nodes of a program and as what the engine trains."""
import functools
import json

import numpy as np

from . import at_once, hyper, own_constraints, own_updates, session_slots, slots
from .. import failures, structure
from ..operations import elementary as operations
from ..tracing import gradients, graph_variables, host_tables, lowering
from ..tensors import graph
from ..tracing.gradients import check_made_of, exchange, loss_of, reduced, take_exchange, with_own_gradients


def trained_by(loss, var_list=None):
    """(the variables that minimising a loss lists: `var_list`, or all that is trained; those of them that it depends on)."""
    reached = lowering.reachable([graph.symbolic(loss)], lambda op: True)
    read = dict.fromkeys(op.attributes["variable"] for op in reached if op.kind == "read")
    of_layers = [v for model in dict.fromkeys(op.attributes["model"] for op in reached if op.kind == "keras")
                 for v in model.trainable_variables]
    own = [v for v in read if v.is_trained and not isinstance(v, graph_variables.GraphVariable)]  # of layers that are Python
    listed = structure.flatten(var_list) if var_list is not None else graph_variables.of_graph(graph_variables.TRAINABLE) + of_layers + own
    gradients.check_loops(loss, listed)
    known = {(v.key, id(v.model)) for v in of_layers}
    beside = graph.current().outermost().keras_models  # of the graph, which the loss may not depend on
    return listed, [v for v in listed if v in read or not isinstance(v, graph_variables.GraphVariable) and (
        id(getattr(v, "model", None)) not in beside or (v.key, id(v.model)) in known)]


def apply_gradients(optimizer, grads_and_vars, aggregated=True):
    """One update of the variables, from what gradients are given. `aggregated`: an optimiser of Keras sums those of the replicas."""
    pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
    if not pairs:
        raise ValueError("No gradients provided for any variable.")
    if exchange().share != 1 and not graph.values_at_hand():
        pairs = [(operations.multiply(gradient, exchange().share), variable) for gradient, variable in pairs]
    if own_updates.is_own(optimizer):
        return own_updates.apply(optimizer, pairs)
    if not own_updates.transforms(optimizer):
        return updated(optimizer, pairs, aggregated)
    return own_updates.by_assignments(pairs, lambda: updated(optimizer, optimizer._transform_gradients(pairs), aggregated),
                                      own_updates.exchange_of(optimizer, aggregated))


def updated(optimizer, pairs, aggregated=True):
    """The engine's update of variables from their gradients."""
    if graph.values_at_hand():
        return at_once.apply(optimizer, pairs)
    rate, variables = optimizer.rate_tensor(), [variable for _, variable in pairs]
    inputs = [loss_of(pairs[0][0])] + [gradient for gradient, _ in pairs] + [each for each in (rate, exchange().holds) if each is not None]
    session_slots.updates(optimizer, variables)
    hyper.may_take_back(optimizer)
    return graph.current().add("minimize", inputs, {
        "optimizer": optimizer, "workload": optimizer.workload(), "label": slots.label_of(optimizer), "computed_rate": rate is not None,
        "variables": variables, "exchange": own_updates.exchange_of(optimizer, aggregated), "lower": lower}, [], "apply_gradients")


def minimize(optimizer, loss, var_list=None):
    """One update of `var_list`, or of all that is trained, from one loss."""
    if var_list is not None or own_updates.is_own(optimizer):
        return apply_gradients(optimizer, optimizer.compute_gradients(loss, var_list))
    loss, rate = graph.symbolic(loss), optimizer.rate_tensor()
    if loss.dims:  # what is differentiated is the sum of its numbers
        loss = operations.reduce_sum(loss)
    session_slots.updates(optimizer, trained_by(loss)[1])
    hyper.may_take_back(optimizer)
    return graph.current().add("minimize", [with_own_gradients(loss)] + ([] if rate is None else [rate]), {
        "optimizer": optimizer, "workload": optimizer.workload(), "label": slots.label_of(optimizer),
        "computed_rate": rate is not None, "variables": None, "exchange": exchange(), "lower": lower}, [], "minimize")


def lower(lowered, op):
    """The update of a program, as what the engine trains. `lowered`: as lowering.Lowering."""
    settings, exchange = op.attributes, op.attributes["exchange"]
    take_exchange(lowered, exchange)
    lowered.updated.append((settings["optimizer"], [lowered.prefixes.key_of(each) for each in settings["variables"] or ()]))
    gradients = op.inputs[1:]
    holds = [each for each in (gradients.pop() if exchange.holds is not None else None, settings.get("counts")) if each is not None]
    accumulates = lowered.accumulates or exchange.accumulation > 1
    replicas = lowered.meeting if lowered.of_many or exchange.replicated else 1
    together = accumulates or replicas > 1
    rate = lowered.id_of(gradients.pop()) if settings["computed_rate"] else -1
    reduction, scale = reduced(lowered, exchange)
    loss, updates, changed = _scaled(lowered, lowered.id_of(op.inputs[0]), scale), [], []
    tables = host_tables.looked_up(op)
    rows = [lowered.id_of(each.outputs[0]) for each in tables]
    read_later = _is_read_later(op)
    trained = [lowered.name_of(each) for each in settings["variables"]] if settings["variables"] is not None else \
        [key for key in lowered.assigned if lowered.variables[key] in lowered.build.trainable()]
    lost = [key for key in trained if key in lowered.assigned]
    if lost:
        raise failures.refused(f"an update of {lost[0]}, to which the same step has assigned before", "assign in a step of its "
                               "own, or after the update")
    own = own_constraints.own_of_update(op, trained if settings["variables"] is not None else [
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
            check_made_of(lowered, "an update", [gradient for (gradient, _), is_changed in zip(pairs, changed) if is_changed], given)
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
        raise own_constraints.refused(next(iter(own)))
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
    own_constraints.apply_own(lowered, own, op.shard)
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
