# SPDX-License-Identifier: GPL-3.0-or-later
"""Debug contexts: what a profile says of the operation that a program is of."""
import json

from ._absent import Lacking
from ._memory import rows_of


class DebugContext(Lacking):
    """Of an operation: its number, `name`, `layer` (empty where it is of none), and `json` with its operator, inputs and outputs."""

    _lacks = {"location": "lines of the script are not recorded; it has `name` and `layer`",
              "parents": "operations are of layers, and of nothing above; it has `name` and `layer`"}

    def __init__(self, row, inputs, outputs):
        self.id, self.name, self.layer = int(row["operation_id"]), str(row["name"]), str(row["layer"] or "")
        self.json = json.dumps({"id": self.id, "instanceId": str(self.id), "op_name": self.name, "op_type": str(row["kind"]),
                                "layer": self.layer, "phase": str(row["phase"]), "inputs": inputs, "outputs": outputs})

    def __repr__(self):
        return f"<pva.DebugContext {self.id} {self.name}>"


def contexts_of(report):
    """By the numbers of operations."""
    ends = {"input": {}, "output": {}}
    for end, of_operation in ends.items():
        for row in rows_of(report.sql(f"SELECT e.operation_id AS id, t.name AS name FROM operation_{end} e JOIN tensor t ON "
                                      "t.id = e.tensor_id ORDER BY e.operation_id, e.position")):
            of_operation.setdefault(int(row["id"]), []).append(str(row["name"]))
    return {int(row["operation_id"]): DebugContext(row, *(each.get(int(row["operation_id"]), []) for each in ends.values()))
            for row in rows_of(report.table("operation_cost"))}
