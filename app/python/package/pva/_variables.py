# SPDX-License-Identifier: GPL-3.0-or-later
"""compilation.loweredVariables: each variable on each tile that it takes bytes of, with the program steps where it is
live."""
from functools import cached_property, lru_cache

from ._absent import Lacking, Names


class EquivalenceClass(Lacking):
    """Variables that are live at the same steps; both ends of an interval count."""

    def __init__(self, number, start, end):
        self.id, self.steps = number, [Names(start=start, end=end)]


class BriefVar(Lacking):
    """What a variable takes of one tile."""

    def __init__(self, row, equivalence_class):
        self.id, self.bytes, self.tileId = int(row["id"]), int(row["bytes"]), int(row["tileId"])
        self.equivalenceClass = equivalence_class


class LoweredVar(BriefVar):
    """The same with where it lies, and what it is."""

    def __init__(self, row, equivalence_class):
        super().__init__(row, equivalence_class)
        self._id, self.size = self.id, self.bytes
        self.name, self.category, self.alwaysLive = str(row["name"]), str(row["category"]), bool(row["alwaysLive"])
        self.offset = None if row["offset"] is None else int(row["offset"])


class LoweredVariables(Lacking):
    def __init__(self, compilation):
        self._compilation = compilation
        self._held = lru_cache(16)(self._asked)

    @cached_property
    def _classes(self):
        """By first and last step."""
        classes = {}
        for row in self._compilation._variable_rows:
            ends = int(row["start"]), int(row["end"])
            classes.setdefault(ends, EquivalenceClass(len(classes), *ends))
        return classes

    def _class_of(self, row):
        return self._classes[int(row["start"]), int(row["end"])]

    @cached_property
    def allBriefVars(self):  # pylint: disable=invalid-name
        return [BriefVar(row, self._class_of(row)) for row in self._compilation._asked(
            'SELECT id, bytes, tileId, start, "end" FROM pva_loweredVariables ORDER BY tileId, id')]

    def forTile(self, tile):  # pylint: disable=invalid-name
        """Those of one tile."""
        return list(self._held(int(tile)))

    def _asked(self, tile):
        return [LoweredVar(row, self._class_of(row)) for row in self._compilation._asked(
            f"SELECT * FROM pva_loweredVariables WHERE ipu = {self._compilation._ipu_of(tile)} AND tileId = {tile} "
            "ORDER BY id")]
