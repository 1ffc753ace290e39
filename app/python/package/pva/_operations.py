# SPDX-License-Identifier: GPL-3.0-or-later
"""pva.OperationAnalysis: programs by the operation that they are of."""
from ._absent import Lacking
from ._memory import rows_of


class Operation(Lacking):
    _lacks = {"replacedDebugContext": "an operation has the context that it began with, `debugContext`"}

    def __init__(self, row, programs, variables, steps, context):
        self.debugContext = context
        self._id, self.name, self.kind, self.layer = int(row["operation_id"]), row["name"], row["kind"], row["layer"]
        self._programs, self.vars = programs, variables
        self.firstStepIndex, self.lastStepIndex = (min(steps), max(steps)) if steps else (-1, -1)

    def programs(self):
        return self._programs


class OperationAnalysis(Lacking):
    """report.compilation's operations, in the order of execution."""

    def __init__(self, report):
        compilation = report.compilation
        programs, steps = {}, {}
        for each in compilation.programs:
            programs.setdefault(each.operation_id, []).append(each)
        for number, step in enumerate(compilation.livenessProgramSteps):
            if step.program is not None:
                steps.setdefault(step.program.operation_id, []).append(number)
        owners = dict(report.tilescope.sql("SELECT id, operation_id FROM variable").items())
        held = {}
        for variable, owner in zip(compilation.variables, owners.get("operation_id", [])):
            held.setdefault(int(owner), []).append(variable)
        self.operations = [Operation(row, programs.get(int(row["operation_id"]), []), held.get(int(row["operation_id"]), []),
                                     steps.get(int(row["operation_id"]), []), compilation._debug_contexts[int(row["operation_id"])])
                           for row in rows_of(report.tilescope.table("operation_cost"))]
