# SPDX-License-Identifier: GPL-3.0-or-later
"""compilation.loweredVariables: each variable on each tile that it takes bytes of, with the program steps where it is
live."""
from functools import cached_property

import numpy as np

from ._absent import Lacking, Names
from ._memory import category_name, rows_of


class EquivalenceClass(Lacking):
    """Variables that are live at the same steps; both ends of an interval count."""

    def __init__(self, number, start, end):
        self.id, self.steps = number, [Names(start=start, end=end)]


class BriefVar(Lacking):
    """What a variable takes of one tile."""

    def __init__(self, number, bytes_, tile, equivalence_class):
        self.id, self.bytes, self.tileId, self.equivalenceClass = number, bytes_, tile, equivalence_class


class LoweredVar(BriefVar):
    """The same with where it lies, and what it is."""

    def __init__(self, number, bytes_, tile, equivalence_class, row, offset):
        super().__init__(number, bytes_, tile, equivalence_class)
        self._id = number
        self.name, self.category, self.offset, self.size = row["name"], category_name(row["category"]), offset, bytes_
        self.alwaysLive = bool(row["always_live"])


class LoweredVariables(Lacking):
    def __init__(self, compilation, report):
        self._compilation, self._report = compilation, report

    @cached_property
    def _rows(self):
        """(row, its equivalence class) of each variable."""
        last = max(len(self._compilation.livenessProgramSteps) - 1, 0)
        classes, rows = {}, []
        for row in rows_of(self._report.table("variable")):
            ends = (0, last) if row["always_live"] else (int(row["live_from"]), int(row["live_to"]))
            if ends not in classes:
                classes[ends] = EquivalenceClass(len(classes), *ends)
            rows.append((row, classes[ends]))
        return rows

    @cached_property
    def allBriefVars(self):  # pylint: disable=invalid-name
        found = []
        for row, live in self._rows:
            first = int(row["ipu"]) * self._compilation.target.tilesPerIpu
            held = self._compilation.tile_array("variable", "bytes", int(row["id"]), int(row["ipu"]))
            found += [BriefVar(int(row["id"]), int(held[tile]), first + int(tile), live) for tile in np.flatnonzero(held)]
        return found

    def forTile(self, tile):  # pylint: disable=invalid-name
        """Those of one tile."""
        ipu, own = divmod(int(tile), self._compilation.target.tilesPerIpu)
        found = []
        for row, live in self._rows:
            if int(row["ipu"]) != ipu:
                continue
            held, at = (self._compilation.tile_array("variable", metric, int(row["id"]), ipu) for metric in ("bytes", "address"))
            if len(held) and held[own]:
                found.append(LoweredVar(int(row["id"]), int(held[own]), int(tile), live, row,
                                        int(at[own]) if len(at) else None))
        return found
