# SPDX-License-Identifier: GPL-3.0-or-later
"""report.compilation: target, graph, memory of tiles, compute sets, programs, liveness, variables."""
from functools import cached_property, lru_cache

from ._absent import Lacking, Names
from ._program import ComputeSet, Program, Type, Vertices, VertexType
from ._regions import Categories, CategoryBytes, Layout

_NAMES = {"Variables": "variable", "Message Buffers": "message", "Rearrangement Buffers": "rearrangement",
          "Constants": "constant"}


def category_name(category):
    """Tilescope's "Vertex Code" as libpva's "vertexCode"."""
    first, *rest = category.split()
    return _NAMES.get(category, first.lower() + "".join(rest))


def rows_of(columns):
    names = list(columns)
    return [dict(zip(names, values)) for values in zip(*columns.values())] if names else []


class Variable(Lacking):
    def __init__(self, row, bytes_):
        self._id, self.name, self.type = int(row["id"]), row["name"], row["dtype"]
        self.size = self.bytes = int(bytes_)
        self.alwaysLive = bool(row["always_live"])
        self.category = category_name(row["category"])
        self.live = (-1, -1) if self.alwaysLive else (int(row["live_from"]), int(row["live_to"]))


class TileMemory(Lacking):
    """The bytes of one tile."""

    def __init__(self, compilation, ipu, tile):
        read = lambda metric: int(compilation.tile_array("memory", metric, 0, ipu)[tile])
        self.total = Names(excludingGaps=read("total"), includingGaps=read("total_with_gaps"))
        self.alwaysLiveBytes = read("always_live")
        self.notAlwaysLiveBytes = self.total.excludingGaps - self.alwaysLiveBytes
        self._compilation, self._ipu, self._tile = compilation, ipu, tile

    @property
    def category(self):
        """By libpva's names; 0 where nothing of a category is on the tile."""
        found, regions = {}, lambda name: lambda: self._layout.regions_of(name)
        for category in self._compilation.categories:
            arrays = [self._compilation.tile_array("category:" + category, metric, 0, self._ipu)
                      for metric in ("always_live", "not_always_live")]
            name = category_name(category)
            found[name] = CategoryBytes(sum(int(each[self._tile]) for each in arrays if len(each)), regions(name))
        return Categories(**found)

    @cached_property
    def _layout(self):
        target = self._compilation.target
        return Layout(self._compilation.loweredVariables.forTile(self._ipu * target.tilesPerIpu + self._tile),
                      target.bytesPerTile, self._compilation.interleaved_bytes)

    @cached_property
    def vertices(self):
        """The code of each kind of vertex that the tile runs."""
        held = ((row, self._compilation.tile_array("variable", "bytes", int(row["id"]), self._ipu))
                for row in self._compilation.vertex_code if int(row["ipu"]) == self._ipu)
        return [VertexCode(str(row["name"]), int(each[self._tile])) for row, each in held if len(each) and each[self._tile]]


class VertexCode(Lacking):
    """The code of one kind of vertex on a tile."""

    def __init__(self, codelet, bytes_):
        self.type, self.codeBytes = VertexType(codelet), bytes_


class Tile(Lacking):
    def __init__(self, compilation, ipu, tile):
        self._compilation, self.ipu, self.tileId = compilation, ipu, tile

    @cached_property
    def memory(self):
        return TileMemory(self._compilation, self.ipu, self.tileId)


class LivenessStep(Lacking):
    """What is live, but not always, at a program step."""

    def __init__(self, compilation, number, program, by_ipu):
        self._compilation, self._number, self.program, self._by_ipu = compilation, number, program, by_ipu

    @property
    def notAlwaysLiveMemory(self):  # pylint: disable=invalid-name
        return Names(bytes=sum(self._by_ipu.values()), variables=self._compilation.live_at(self._number))

    def notAlwaysLiveMemoryForIpu(self, ipu):  # pylint: disable=invalid-name
        return Names(bytes=self._by_ipu.get(ipu, 0))

    def notAlwaysLiveMemoryForTile(self, tile):  # pylint: disable=invalid-name
        on_tile = self._compilation.live_at(self._number, tile)
        return Names(bytes=sum(each.bytes for each in on_tile), variables=on_tile)


class GraphCounts(Names):
    _lacks = {"numEdges": "there are numbers of vertices, and not what each is connected to"}


class Compilation(Lacking):
    def __init__(self, report):
        self._report = report
        target = report.document["target"]
        each, count = int(target["tiles_per_ipu"]), int(target["ipus"])
        self.target = Names(
            numIPUs=count, tilesPerIpu=each, numTiles=each * count, architecture=target["generation"],
            bytesPerTile=int(target["bytes_per_tile"]), totalMemory=each * count * int(target["bytes_per_tile"]),
            clockFrequency=target["clock_hz"], type="Tilescope",
            numReplicas=len({int(each["replica"]) for each in report.document["ipus"]}) or 1)
        self.tile_array = lru_cache(None)(report._tiles)

    @cached_property
    def interleaved_bytes(self):
        """Of a tile's memory, at its end; None in files of older versions."""
        found = self._report.sql("SELECT interleaved_bytes AS n FROM target WHERE interleaved_bytes IS NOT NULL").get("n", [])
        return int(found[0]) if len(found) else None

    @cached_property
    def vertex_code(self):
        """The variables that hold the code of vertices."""
        return rows_of(self._report.sql("SELECT id, ipu, name FROM variable WHERE category = 'Vertex Code' ORDER BY id"))

    @cached_property
    def graph(self):
        count = lambda table: int(self._report.sql(f"SELECT count(*) AS n FROM {table}")["n"][0])
        return GraphCounts(
            numComputeSets=count("compute_set"), numVars=count("variable"),
            numVertices=int(self._report.sql("SELECT coalesce(sum(count), 0) AS n FROM vertex")["n"][0]))

    @cached_property
    def categories(self):
        found = self._report.sql("SELECT DISTINCT category FROM category_memory")
        return [str(each) for each in found.get("category", [])]

    @cached_property
    def tiles(self):
        return [tile for ipu in self.ipus for tile in ipu.tiles]

    @cached_property
    def ipus(self):
        held = [ipu for ipu in range(self.target.numIPUs) if len(self.tile_array("memory", "total", 0, ipu))]
        return [Names(tiles=[Tile(self, ipu, tile) for tile in range(self.target.tilesPerIpu)])
                for ipu in held]

    @cached_property
    def computeSets(self):  # pylint: disable=invalid-name
        vertices = {}
        for row in rows_of(self._report.table("vertex")):
            vertices.setdefault(int(row["compute_set_id"]), []).append(
                Vertices(str(row["codelet"]), int(row["count"]), int(row["tiles"])))
        cycles = lambda number: self.tile_array("compute_set", "cycles", number, 0)
        return [ComputeSet(row, vertices.get(int(row["id"]), []), cycles)
                for row in rows_of(self._report.sql("SELECT id, name, cycles FROM compute_set ORDER BY id"))]

    @cached_property
    def programs(self):
        """Each at the place of its `_id`."""
        question = ("SELECT p.*, e.kind AS exchange_kind FROM program p LEFT JOIN exchange e ON e.id = p.exchange_id "
                    "ORDER BY p.id")
        rows, sets = rows_of(self._report.sql(question)), {each._id: each for each in self.computeSets}
        made = {int(row["id"]): Program(row, _kind(row), sets.get(int(row["compute_set_id"])), self._variables_of,
                                      lambda: self._debug_contexts)
                for row in rows}
        for row in sorted(rows, key=lambda row: row["position"]):
            if int(row["parent_id"]) in made:
                made[int(row["parent_id"])].children.append(made[int(row["id"])])
        self._step_of = {int(row["id"]): int(row["liveness_step"]) for row in rows}
        return list(made.values())

    @cached_property
    def _debug_contexts(self):
        """By the numbers of operations."""
        from ._debug import contexts_of
        return contexts_of(self._report)

    def _variables_of(self, program):
        step = self._step_of.get(program._id, -1)
        return [each for each in self.variables if step >= 0 and step in each.live]

    @cached_property
    def variables(self):
        return [Variable(row, row["bytes"]) for row in rows_of(self._report.table("variable"))]

    @cached_property
    def loweredVariables(self):  # pylint: disable=invalid-name
        from ._variables import LoweredVariables
        return LoweredVariables(self, self._report)

    @property
    def alwaysLiveVariables(self):  # pylint: disable=invalid-name
        return [each for each in self.variables if each.alwaysLive]

    def on_tile(self, tile):
        """The variables that take bytes on a tile, with those."""
        ipu, own = divmod(int(tile), self.target.tilesPerIpu)
        found = []
        for row in rows_of(self._report.sql(f"SELECT * FROM variable WHERE ipu = {ipu}")):
            held = self.tile_array("variable", "bytes", int(row["id"]), ipu)
            if len(held) and held[own]:
                found.append(Variable(row, held[own]))
        return found

    def alwaysLiveVariablesForTile(self, tile):  # pylint: disable=invalid-name
        return [each for each in self.on_tile(tile) if each.alwaysLive]

    def live_at(self, step, tile=None):
        return [each for each in (self.variables if tile is None else self.on_tile(tile))
                if not each.alwaysLive and each.live[0] <= step <= each.live[1]]

    @cached_property
    def livenessProgramSteps(self):  # pylint: disable=invalid-name
        programs, steps = {each._id: each for each in self.programs}, {}
        for row in rows_of(self._report.sql("SELECT step, ipu, program_id, not_always_live_bytes FROM liveness "
                                            "ORDER BY step, ipu")):
            own = steps.setdefault(int(row["step"]), [programs.get(int(row["program_id"])), {}])
            own[1][int(row["ipu"])] = int(row["not_always_live_bytes"])
        return [LivenessStep(self, number, program, by_ipu) for number, (program, by_ipu) in steps.items()]


def _kind(row):
    if row["kind"] == "exchange":
        return Type.GlobalExchange if row["exchange_kind"] == "inter_ipu" else Type.DoExchange
    if row["kind"] == "stream_copy" and row["verb"] in ("begin", "end"):
        return Type.StreamCopyBegin if row["verb"] == "begin" else Type.StreamCopyEnd
    return {"sequence": Type.Sequence, "repeat": Type.Repeat, "execute": Type.OnTileExecute,
            "stream_copy": Type.StreamCopyMid, "load": Type.StreamCopyMid, "store": Type.StreamCopyMid}[row["kind"]]
