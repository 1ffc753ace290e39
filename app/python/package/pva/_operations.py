# SPDX-License-Identifier: GPL-3.0-or-later
"""pva.OperationAnalysis: programs by the operation that they are of."""
from ._absent import Lacking


class Operation(Lacking):
    _lacks = {"replacedDebugContext": "an operation has the context that it began with, `debugContext`"}

    def __init__(self, row, programs, variables, context):
        self.debugContext = context
        self._id, self.name, self.kind, self.layer = int(row["_id"]), row["name"], row["kind"], row["layer"]
        self._programs, self.vars = programs, variables
        self.firstStepIndex, self.lastStepIndex = int(row["firstStepIndex"]), int(row["lastStepIndex"])

    def programs(self):
        return self._programs


class OperationAnalysis(Lacking):
    """report.compilation's operations, in the order of execution."""

    def __init__(self, report):
        compilation = report.compilation
        programs, held = {}, {}
        for each in compilation.programs:
            programs.setdefault(each.operation_id, []).append(each)
        for row, variable in zip(compilation._variable_rows, compilation.variables):
            held.setdefault(int(row["operation"]), []).append(variable)
        self.operations = [Operation(row, programs.get(int(row["_id"]), []), held.get(int(row["_id"]), []),
                                     compilation._debug_contexts[int(row["_id"])])
                           for row in compilation._asked("SELECT * FROM pva_operations ORDER BY _id")]
