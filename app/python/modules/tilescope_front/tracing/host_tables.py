# SPDX-License-Identifier: GPL-3.0-or-later
"""How a program updates tables that stay with the host, as ipu.embedding_ops has them, by the gradients of the rows that it looked up."""
import numpy as np


def looked_up(op):
    """The look-ups of trained tables in the graph of an update, each the operation that gives the rows."""
    return [each for each in op.graph.operations_ if each.number < op.number and getattr(each, "looked_up", None) is not None
            and each.looked_up.spec.learning_rate]


def lower_updates(lowered, found, gradients):
    """What tables are after a step, by the gradients of the rows that were looked up."""
    build, latest = lowered.build, {}
    for op, gradient in zip(found, gradients):
        if gradient < 0:  # the loss does not depend on them
            continue
        embedding = op.looked_up
        table, ids = lowered.variable(embedding.table), lowered.id_of(op.inputs[1])
        build.place("", "", -1, host=True)
        rate = build.constant(f"{embedding.name}/rate", np.asarray(-embedding.spec.learning_rate, build.type(gradient)[0]))
        change = build.operation("multiply", [gradient, rate], {}, f"{embedding.name}/change")[0]
        places = build.operation("reshape", [ids], {"shape": [op.outputs[0].dims[0], 1]}, f"{embedding.name}/rows")[0]
        made = build.operation("scatter_nd", [latest.get(table, table), places, change], {"reduction": "add"}, f"{embedding.name}/update")[0]
        latest[table] = made
    for table, made in latest.items():
        build.set_next(table, made)
