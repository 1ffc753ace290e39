# SPDX-License-Identifier: GPL-3.0-or-later
"""report.execution: runs and their steps, in simulated cycles."""
from functools import cached_property

import numpy as np

from ._absent import Lacking, Names
from ._memory import rows_of
from ._program import Type


class IpuStep(Lacking):
    """A step on one IPU."""

    def __init__(self, start, cycles):
        self.cycles = self.allCycles = cycles
        self.activeCycles = Names(cyclesFrom=Names(min=start, max=start),
                                            cyclesTo=Names(min=start + cycles, max=start + cycles))


class Step(Lacking):
    """A program step as it ran: on the IPUs that ran it, in `ipus` at their places; the others have no cycles."""

    def __init__(self, program, row, count):
        self.program = program
        start, cycles = int(row["cyclesFrom"]), int(row["cycles"])
        self.ipus = [IpuStep(start, cycles if ipu == row["ipu"] else 0) for ipu in range(count)]
        self.cycles = cycles

    @property
    def computeSets(self):  # pylint: disable=invalid-name
        return [self.program.computeset] if self.program.computeset else []

    @property
    def cyclesByTile(self):  # pylint: disable=invalid-name
        """What each tile computes in it; none where tiles exchange or wait for the host."""
        return self.program.estimatedCyclesByTile


class Block(Lacking):
    """A program step as one tile ran it, from sync to the end."""

    isBlockFlush = isOverflow = False  # nothing is measured, and no buffer fills

    def __init__(self, program, tile, row):
        self.program, self.tile = program, tile
        self.cyclesFrom, self.cyclesTo = int(row["cyclesFrom"]), int(row["cyclesTo"])
        self.isStreamCopy = program.type in (Type.StreamCopyBegin, Type.StreamCopyMid, Type.StreamCopyEnd)
        self.isCommon = not self.isStreamCopy


class Execution(Lacking):
    def __init__(self, report, compilation):
        self._report, self._compilation = report, compilation

    @cached_property
    def _programs(self):
        return {each._id: each for each in self._compilation.programs}

    @cached_property
    def runs(self):
        """The engine runs, each with its steps: of other programs than the compilation's (an evaluation) the cycles
        alone."""
        count = self._compilation.target.numIPUs
        runs = rows_of(self._report.sql("SELECT * FROM pva_runs ORDER BY _id"))
        steps = {int(row["_id"]): [] for row in runs}
        for row in rows_of(self._report.sql("SELECT * FROM pva_steps ORDER BY cyclesFrom, ipu")):
            steps[int(row["run"])].append(Step(self._programs[int(row["program"])], row, count))
        return [Names(name=str(row["name"]), cycles=int(row["cycles"]), steps=steps[int(row["_id"])]) for row in runs]

    def blocks(self, tile=0):
        """What a tile did, in order: all steps of its IPU, as all of an IPU's tiles go from step to step together."""
        rows = rows_of(self._report.sql("SELECT program, cyclesFrom, cyclesTo FROM pva_steps WHERE ipu = "
                                        f"{self._compilation._ipu_of(tile)} ORDER BY cyclesFrom"))
        return [Block(self._programs[int(row["program"])], int(tile), row) for row in rows]

    @property
    def steps(self):
        return [step for run in self.runs for step in run.steps]

    @property
    def totalCycles(self):  # pylint: disable=invalid-name
        return Names(total=int(self._report["timing.cycles_total"]))
