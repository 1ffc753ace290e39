# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs, compute sets, and who visits them."""
import enum


class Type(enum.Enum):
    """The kinds of programs that a profile of Tilescope has, by libpva's names."""

    Sequence, Repeat, OnTileExecute, DoExchange, GlobalExchange, StreamCopyMid = range(6)


class VertexType:
    def __init__(self, name):
        self.name = name


class Vertices:
    """The vertices of one codelet in a compute set."""

    def __init__(self, codelet, count, tiles):
        self.type, self.count, self.tiles = VertexType(codelet), count, tiles


class ComputeSet:
    def __init__(self, row, vertices, cycles):
        self._id, self.name, self.cycles, self.vertices = int(row["id"]), row["name"], int(row["cycles"]), vertices
        self._cycles_by_tile = cycles

    @property
    def estimatedCyclesByTile(self):  # pylint: disable=invalid-name
        return self._cycles_by_tile(self._id)

    cyclesByTile = estimatedCyclesByTile


class Program:
    """A step of the program."""

    Type = Type

    def __init__(self, row, kind, computeset, variables):
        self._id, self.name, self.type, self.computeset = int(row["id"]), row["name"], kind, computeset
        self.children, self._variables = [], variables
        self.cycles = int(row["sync_cycles"] + row["exchange_cycles"] + row["compute_cycles"])
        self.operation_id = int(row["operation_id"])

    @property
    def vars(self):
        """The variables that come to be or end with it."""
        return self._variables(self)

    def accept(self, visitor):
        """Calls visit… of the program's kind; those within it are its children."""
        return getattr(visitor, "visit" + self.type.name)(self)

    def __repr__(self):
        return f"<pva.Program {self._id} {self.type.name} {self.name}>"


class ProgramVisitor:
    """Base of what is called with programs: override the kinds that matter."""


for _kind in Type:
    setattr(ProgramVisitor, "visit" + _kind.name, lambda self, program: None)
