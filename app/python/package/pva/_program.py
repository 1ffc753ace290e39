# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs, compute sets, and who visits them."""
import enum

import numpy as np

from ._absent import Lacking


class Type(enum.Enum):
    """The kinds of programs, by libpva's names; profiles of Tilescope have none of the last four, as tiles wait within the step
    that needs it."""

    (Sequence, Repeat, OnTileExecute, DoExchange, GlobalExchange, StreamCopyBegin, StreamCopyMid, StreamCopyEnd, OnEveryTileSwitch,
     Sync, SyncAns, Sans) = range(12)


class VertexType(Lacking):
    _lacks = {"size": "the state of vertices is that of each operation; tile.memory.category.vertexInstanceState has its bytes"}

    def __init__(self, name):
        self.name = name


class Vertices(Lacking):
    """The vertices of one codelet in a compute set."""

    _lacks = {"countByTile": "it has how many vertices there are, `count`, on how many tiles, `tiles`"}

    def __init__(self, codelet, count, tiles):
        self.type, self.count, self.tiles = VertexType(codelet), count, tiles


class ComputeSet(Lacking):
    def __init__(self, row, vertices, cycles):
        self._id, self.name, self.cycles, self.vertices = int(row["_id"]), row["name"], int(row["cycles"]), vertices
        self._cycles_by_tile = cycles

    @property
    def estimatedCyclesByTile(self):  # pylint: disable=invalid-name
        return self._cycles_by_tile(self._id)

    cyclesByTile = estimatedCyclesByTile


class Program(Lacking):
    """A step of the program."""

    _lacks = {"controlCodeByTile": "control code is that of all programs; tile.memory.category.controlCode has its bytes",
              "codeBytesByTile": "exchange code is that of all exchanges; tile.memory.category.internalExchangeCode and its like have "
                                 "its bytes"}

    Type = Type

    def __init__(self, row, computeset, variables, contexts):
        self._contexts = contexts
        self._id, self.name, self.type, self.computeset = int(row["_id"]), row["name"], Type[row["type"]], computeset
        self.children, self._variables, self._step = [], variables, int(row["livenessProgramStep"])
        self.cycles, self.operation_id = int(row["cycles"]), int(row["operation"])

    @property
    def debugContext(self):  # pylint: disable=invalid-name
        """That of its operation; None of what is of none, as a sequence."""
        return self._contexts().get(self.operation_id)

    @property
    def vars(self):
        """The variables that come to be or end with it."""
        return self._variables(self._step)

    @property
    def estimatedCyclesByTile(self):  # pylint: disable=invalid-name
        """What each tile computes in it; none where tiles exchange or wait for the host."""
        return self.computeset.estimatedCyclesByTile if self.computeset else np.array([], np.int64)

    def accept(self, visitor):
        """Calls visit… of the program's kind; those within it are its children."""
        return getattr(visitor, "visit" + self.type.name)(self)

    def __repr__(self):
        return f"<pva.Program {self._id} {self.type.name} {self.name}>"


class ProgramVisitor:
    """Base of what is called with programs: override the kinds that matter."""


for _kind in Type:
    setattr(ProgramVisitor, "visit" + _kind.name, lambda self, program: None)
