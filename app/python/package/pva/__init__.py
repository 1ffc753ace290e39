# SPDX-License-Identifier: GPL-3.0-or-later
"""pva over Tilescope's files: the names of PopVision's analysis library, so that scripts written for it run.

    import pva
    report = pva.openReport("run.tilescope")
    for tile in report.compilation.tiles: tile.memory.total.includingGaps
    for step in report.execution.steps: step.ipus[0].cycles, step.program.name
    for event in pva.openTrace("run.tilescope").processes[0].threads[1].events: event.label, event.duration

What a profile of Tilescope has not (edges of the graph, vertices of each tile, code of each program) is not there: asking for
it is an AttributeError that says why. Cycles and bytes are those of page "figures". Needs the package tilescope.
"""
import enum

from ._absent import Lacking, nearest as _nearest
from ._execution import Execution
from ._memory import Compilation
from ._operations import OperationAnalysis
from ._program import Program, ProgramVisitor
from ._trace import Event, Trace, openTrace

import tilescope as _tilescope

__all__ = ["Event", "OperationAnalysis", "Program", "ProgramVisitor", "Report", "Trace", "openReport", "openTrace"]


class PoplarVersion(Lacking):
    """Of what wrote the file."""

    def __init__(self, version):
        numbers = version.split("+")[0].split(".")
        self.major, self.minor, self.point = (int(each) for each in (numbers + ["0", "0", "0"])[:3])
        self.packageHash = version.partition("+")[2]
        self.string = f"{version} (Tilescope, simulated)"


class FileVersion(Lacking):
    """Of the file's schema."""

    isUnstableFormat = False

    def __init__(self, number):
        self.major, self.minor, self.point = number, 0, 0
        self.string = f"{number}.0.0"


class Instrumentation(enum.Enum):
    """How fine cycles are: those of a simulation are of every tile."""

    Off, Vertex, Tile, Ipu, Device = range(5)


class InstrumentationSettings:
    compute = externalExchange = Instrumentation.Tile


class Report(Lacking):
    """A report of a profile: compilation and execution."""

    def __init__(self, path):
        self.tilescope = _tilescope.open(path)
        self.compilation = Compilation(self.tilescope)
        self.execution = Execution(self.tilescope, self.compilation)
        self.poplarVersion = PoplarVersion(self.tilescope["run.tool_version"])
        self.version = FileVersion(int(self.tilescope.sql("SELECT user_version AS n FROM pragma_user_version")["n"][0]))
        self.instrumentationSettings = InstrumentationSettings()


def openReport(profile, debug=None):  # pylint: disable=invalid-name
    """Opens a profile; Tilescope's files hold what `debug` has beside those of Poplar."""
    return Report(profile)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'pva' has no attribute '{name}'")
    raise AttributeError(f"pva.{name} is not there: {_nearest(name, __all__)}")
