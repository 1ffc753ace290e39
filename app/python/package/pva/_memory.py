# SPDX-License-Identifier: GPL-3.0-or-later
"""report.compilation: target, graph, memory of tiles, compute sets, programs, liveness, variables. All of it is asked of the
views whose names begin with pva_ (page "profile file")."""
from functools import cached_property, lru_cache

from ._absent import Lacking, Names
from ._program import ComputeSet, Program, Vertices, VertexType
from ._regions import Categories, CategoryBytes, Regions


def rows_of(columns):
    names = list(columns)
    return [dict(zip(names, values)) for values in zip(*columns.values())] if names else []


class Variable(Lacking):
    def __init__(self, row, bytes_):
        self._id, self.name, self.type, self.category = int(row["id"]), row["name"], row["type"], row["category"]
        self.size = self.bytes = int(bytes_)
        self.alwaysLive = bool(row["alwaysLive"])
        self.live = (-1, -1) if self.alwaysLive else (int(row["start"]), int(row["end"]))


class TileMemory(Lacking):
    """The bytes of one tile."""

    def __init__(self, compilation, row):
        self.total = Names(excludingGaps=int(row["excludingGaps"]), includingGaps=int(row["includingGaps"]))
        self.alwaysLiveBytes, self.notAlwaysLiveBytes = int(row["alwaysLiveBytes"]), int(row["notAlwaysLiveBytes"])
        self._compilation, self._tile = compilation, int(row["tileId"])

    @property
    def category(self):
        """By libpva's names; 0 where nothing of a category is on the tile."""
        held = self._compilation._categories.get(self._tile, {})
        return Categories(**{name: CategoryBytes(held.get(name, 0), lambda name=name: self._regions.of(name))
                             for name in self._compilation._category_names})

    @cached_property
    def _regions(self):
        ipu, tile = divmod(self._tile, self._compilation.target.tilesPerIpu)
        return Regions(self._compilation._asked(
            "SELECT c.name AS category, replace(r.region, 'non_i', 'nonI') AS region, r.non_overlapped AS nonOverlapped, r.overlapped "
            f"FROM tile_regions({ipu}, {tile}) r JOIN pva_categories c ON c.category = r.category"))

    @cached_property
    def vertices(self):
        """The code of each kind of vertex that the tile runs."""
        return [VertexCode(each.name, each.bytes) for each in self._compilation.loweredVariables.forTile(self._tile)
                if each.category == "vertexCode"]


class VertexCode(Lacking):
    """The code of one kind of vertex on a tile."""

    def __init__(self, codelet, bytes_):
        self.type, self.codeBytes = VertexType(codelet), bytes_


class Tile(Lacking):
    """`tileId` counts over all IPUs."""

    def __init__(self, compilation, row):
        self.ipu, self.tileId = int(row["ipu"]), int(row["tileId"])
        self.memory = TileMemory(compilation, row)


class LivenessStep(Lacking):
    """What is live, but not always, at a program step."""

    def __init__(self, compilation, number, program, by_ipu):
        self._compilation, self._number, self.program, self._by_ipu = compilation, number, program, by_ipu

    @property
    def notAlwaysLiveMemory(self):  # pylint: disable=invalid-name
        return Names(bytes=sum(self._by_ipu.values()), variables=self._live(self._compilation.variables))

    def notAlwaysLiveMemoryForIpu(self, ipu):  # pylint: disable=invalid-name
        return Names(bytes=self._by_ipu.get(ipu, 0))

    def notAlwaysLiveMemoryForTile(self, tile):  # pylint: disable=invalid-name
        on_tile = self._live(self._compilation._on_tile(tile))
        return Names(bytes=sum(each.bytes for each in on_tile), variables=on_tile)

    def _live(self, variables):
        return [each for each in variables if not each.alwaysLive and each.live[0] <= self._number <= each.live[1]]


class GraphCounts(Names):
    _lacks = {"numEdges": "there are numbers of vertices, and not what each is connected to"}


class Compilation(Lacking):
    def __init__(self, report):
        self._report = report
        row, = self._asked("SELECT * FROM pva_target")
        words = {name: str(row.pop(name)) for name in ("type", "architecture")}
        clock = float(row.pop("clockFrequency"))
        self.target = Names(**words, clockFrequency=clock, **{name: int(value) for name, value in row.items()})
        self._cycles_of = lru_cache(None)(lambda number: report._tiles("compute_set", "cycles", number))

    def _asked(self, question):
        return rows_of(self._report.sql(question))

    @cached_property
    def graph(self):
        row, = self._asked("SELECT * FROM pva_graph")
        return GraphCounts(**{name: int(value) for name, value in row.items()})

    @cached_property
    def _category_names(self):
        return [str(row["name"]) for row in self._asked("SELECT name FROM pva_categories")]

    @cached_property
    def _categories(self):
        """{name: bytes} of each tile."""
        found = {}
        for row in self._asked("SELECT tileId, category, total FROM pva_tile_categories"):
            found.setdefault(int(row["tileId"]), {})[str(row["category"])] = int(row["total"])
        return found

    @cached_property
    def tiles(self):
        return [Tile(self, row) for row in self._asked("SELECT * FROM pva_tiles ORDER BY tileId")]

    @cached_property
    def ipus(self):
        held = sorted({tile.ipu for tile in self.tiles})
        return [Names(tiles=[tile for tile in self.tiles if tile.ipu == ipu]) for ipu in held]

    @cached_property
    def computeSets(self):  # pylint: disable=invalid-name
        vertices = {}
        for row in self._asked("SELECT * FROM pva_vertices"):
            vertices.setdefault(int(row["computeset"]), []).append(
                Vertices(str(row["type"]), int(row["count"]), int(row["tiles"])))
        return [ComputeSet(row, vertices.get(int(row["_id"]), []), self._cycles_of)
                for row in self._asked("SELECT * FROM pva_computeSets ORDER BY _id")]

    @cached_property
    def programs(self):
        """Each at the place of its `_id`."""
        rows, sets = self._asked("SELECT * FROM pva_programs ORDER BY _id"), {each._id: each for each in self.computeSets}
        made = {int(row["_id"]): Program(row, sets.get(int(row["computeset"])), self._variables_of,
                                         lambda: self._debug_contexts)
                for row in rows}
        for row in sorted(rows, key=lambda row: row["position"]):
            if int(row["parent"]) in made:
                made[int(row["parent"])].children.append(made[int(row["_id"])])
        return list(made.values())

    @cached_property
    def _debug_contexts(self):
        """By the numbers of operations."""
        from ._debug import contexts_of
        return contexts_of(self._report)

    def _variables_of(self, step):
        return [each for each in self.variables if step >= 0 and step in each.live]

    @cached_property
    def _variable_rows(self):
        return self._asked("SELECT * FROM pva_variables ORDER BY id, ipu")

    @cached_property
    def variables(self):
        return [Variable(row, row["bytes"]) for row in self._variable_rows]

    @cached_property
    def loweredVariables(self):  # pylint: disable=invalid-name
        from ._variables import LoweredVariables
        return LoweredVariables(self)

    @property
    def alwaysLiveVariables(self):  # pylint: disable=invalid-name
        return [each for each in self.variables if each.alwaysLive]

    def _on_tile(self, tile):
        """The variables that take bytes on a tile, with those."""
        held = {each.id: each.bytes for each in self.loweredVariables.forTile(tile)}
        return [Variable(row, held[int(row["id"])]) for row in self._variable_rows
                if int(row["ipu"]) == self._ipu_of(tile) and int(row["id"]) in held]

    def _ipu_of(self, tile):
        return int(tile) // self.target.tilesPerIpu

    def alwaysLiveVariablesForTile(self, tile):  # pylint: disable=invalid-name
        return [each for each in self._on_tile(tile) if each.alwaysLive]

    @cached_property
    def livenessProgramSteps(self):  # pylint: disable=invalid-name
        programs, steps = {each._id: each for each in self.programs}, {}
        for row in self._asked("SELECT * FROM pva_livenessProgramSteps ORDER BY step, ipu"):
            own = steps.setdefault(int(row["step"]), [programs.get(int(row["program"])), {}])
            own[1][int(row["ipu"])] = int(row["notAlwaysLiveMemory"])
        return [LivenessStep(self, number, program, by_ipu) for number, (program, by_ipu) in steps.items()]
