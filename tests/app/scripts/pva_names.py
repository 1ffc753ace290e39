# SPDX-License-Identifier: GPL-3.0-or-later
"""pva's names on a profile that is the argument, against SQL."""
import json
import sys

import pva
import tilescope

report, file = pva.openReport(sys.argv[1]), tilescope.open(sys.argv[1])
compilation, execution = report.compilation, report.execution


def number(question):
    return int(file.sql(f"SELECT {question} AS n")["n"][0])


print(compilation.target.numTiles, compilation.graph.numComputeSets == number("(SELECT count(*) FROM compute_set)"))
print(sum(tile.memory.total.includingGaps for tile in compilation.tiles) == file["memory.total_bytes_with_gaps"],
      max(tile.memory.total.excludingGaps for tile in compilation.tiles) == file["memory.max_tile_bytes"])
tile = compilation.tiles[0]
print(sum(vars(tile.memory.category)[name].total for name in vars(tile.memory.category)) == tile.memory.total.excludingGaps)


class Visitor(pva.ProgramVisitor):
    def __init__(self):
        super().__init__()
        self.sets = set()

    def visitOnTileExecute(self, program):
        self.sets.add(program.computeset._id)


visitor = Visitor()
for step in execution.steps:
    step.program.accept(visitor)
print(len(visitor.sets) == number("(SELECT count(DISTINCT compute_set_id) FROM program WHERE kind = 'execute')"))
print(sum(step.ipus[0].cycles for step in execution.steps)
      == number("(SELECT sum(sync + exchange + compute) FROM trace WHERE program_id IN (SELECT id FROM program))"),
      len(execution.runs) == number("(SELECT count(*) FROM execution)"))
print(max(step.notAlwaysLiveMemory.bytes for step in compilation.livenessProgramSteps)
      == number("(SELECT max(not_always_live_bytes) FROM liveness)"))
on_tile = compilation.alwaysLiveVariablesForTile(0)
print(0 < sum(each.size for each in on_tile) <= tile.memory.alwaysLiveBytes)
operations = pva.OperationAnalysis(report).operations
print(len(operations) == number("(SELECT count(*) FROM operation_cost)"), all(each.programs() for each in operations))
lowered = compilation.loweredVariables
fullest = max(compilation.tiles, key=lambda each: each.memory.total.excludingGaps)
own = lowered.forTile(fullest.tileId)
print(len({(each.id, each.tileId) for each in lowered.allBriefVars}) == len(lowered.allBriefVars),
      sum(each.size for each in own if each.alwaysLive) == fullest.memory.alwaysLiveBytes,
      all(each.offset + each.size <= compilation.target.bytesPerTile for each in own))
peak = max(sum(each.bytes for each in own if any(s.start <= step <= s.end for s in each.equivalenceClass.steps))
           for step in range(len(compilation.livenessProgramSteps)))
print(max(each.notAlwaysLiveMemoryForTile(fullest.tileId).bytes for each in compilation.livenessProgramSteps)
      + fullest.memory.alwaysLiveBytes == peak)
passes, device = pva.openTrace(sys.argv[1]).processes[0].threads
epochs = [event for event in device.events if event.label.startswith("Epoch")]
print(len(passes.events[0].children()) > 3, [event.label for event in epochs],
      sum(len(event.children()) for event in epochs) == number("(SELECT count(*) FROM execution WHERE kind = 'train')"))
print(compilation.programs[0].type is pva.Program.Type.Sequence, report.poplarVersion.string.endswith("simulated)"))

# The same of the tables.
rows = lambda question: [tuple(int(each) for each in row) for row in zip(*file.sql(question).values())]
print([file.tiles("memory", metric).tolist() for metric in ("total_with_gaps", "total", "always_live")] ==
      [[t.memory.total.includingGaps for t in compilation.tiles], [t.memory.total.excludingGaps for t in compilation.tiles],
       [t.memory.alwaysLiveBytes for t in compilation.tiles]])
recorded = {name: sum(int(each[0]) for metric in ("always_live", "not_always_live")
                      if len(each := file.tiles("category:" + name, metric)))
            for name in file.sql("SELECT DISTINCT category FROM category_memory")["category"]}
held = {k: v.total for k, v in vars(tile.memory.category).items() if v.total}
print(sorted(held.values()) == sorted(each for each in recorded.values() if each), held["vertexCode"] == recorded["Vertex Code"],
      held["variable"] == recorded["Variables"], len(vars(tile.memory.category)))
asked = file.table("program")
kinds = {each.type.name: str(asked["kind"][each._id]) for each in compilation.programs}
print(kinds["Sequence"], kinds["Repeat"], kinds["OnTileExecute"], kinds["DoExchange"], kinds["StreamCopyBegin"],
      [each.computeset._id if each.computeset else -1 for each in compilation.programs] == list(asked["compute_set_id"]))
print(rows("SELECT v.id, b.value, iif(always_live, 0, live_from), iif(always_live, (SELECT max(step) FROM liveness), live_to) "
           "FROM variable v, tile_values('variable', v.id, 0, 'bytes') b WHERE b.tile = 5 AND b.value > 0 ORDER BY v.id")
      == sorted((each.id, each.bytes, each.equivalenceClass.steps[0].start, each.equivalenceClass.steps[0].end)
                for each in compilation.loweredVariables.forTile(5)))
print(rows("SELECT count(*), sum(sync + exchange + compute) FROM trace WHERE program_id IN (SELECT id FROM program)") ==
      [(len(execution.steps), sum(step.cycles for step in execution.steps))],
      [f"{kind} {number}" for kind, number in zip(*file.sql("SELECT kind, id FROM execution").values())]
      == [run.name for run in execution.runs])
live = {each._id: [number for number, step in enumerate(compilation.livenessProgramSteps)
                   if step.program.operation_id == each._id] or [-1] for each in operations}
print(rows("SELECT count(p.id) FROM operation o LEFT JOIN program p ON p.operation_id = o.id GROUP BY o.id ORDER BY o.id")
      == [(len(each.programs()),) for each in operations],
      all((each.firstStepIndex, each.lastStepIndex) == (min(live[each._id]), max(live[each._id])) for each in operations))
print(rows("SELECT (SELECT count(*) FROM compute_set), (SELECT count(*) FROM variable), (SELECT sum(count) FROM vertex)") == [
    (compilation.graph.numComputeSets, compilation.graph.numVars, compilation.graph.numVertices)])
executed = next(step for step in execution.steps if step.computeSets)
print(compilation.target.numReplicas, report.version.major == number("(SELECT user_version FROM pragma_user_version)"),
      report.instrumentationSettings.compute.name, int(executed.cyclesByTile.max()) == executed.computeSets[0].cycles,
      next(step for step in execution.steps if not step.computeSets).cyclesByTile.tolist())

# Regions of a tile, code of its vertices, blocks.
parts = [[sum(vars(part).values()) for part in (each.nonInterleaved, each.interleaved, each.overflowed)]
         for each in vars(fullest.memory.category).values()]
print([sum(part) for part in parts] == [each.total for each in vars(fullest.memory.category).values()],
      [sum(part) for part in zip(*parts)] == [int(file.tiles("memory", metric)[fullest.tileId])
                                              for metric in ("non_interleaved", "interleaved", "overflowed")],
      sum(part[1] for part in parts) > 0)
print(sum(each.codeBytes for each in fullest.memory.vertices) == fullest.memory.category.vertexCode.total > 0,
      {each.type.name for each in fullest.memory.vertices} <= {v.type.name for each in compilation.computeSets for v in each.vertices},
      fullest.memory.category.vectorListDescriptor.total, fullest.memory.category.controlId.interleaved.overlapped)
blocks = execution.blocks(3)
print([(each.program._id, each.cyclesTo - each.cyclesFrom) for each in blocks] ==
      [(each.program._id, each.cycles) for each in execution.steps],
      all(a.cyclesTo <= b.cyclesFrom for a, b in zip(blocks, blocks[1:])),
      sum(each.isStreamCopy for each in blocks) == number(
          "(SELECT count(*) FROM trace t JOIN program p ON p.id = t.program_id WHERE p.kind = 'stream_copy')"))
kinds = [each.type for each in compilation.programs]
print(kinds.count(pva.Program.Type.StreamCopyBegin) == kinds.count(pva.Program.Type.StreamCopyEnd) > 0,
      executed.program.estimatedCyclesByTile.max() == executed.computeSets[0].cycles, own[0]._id == own[0].id)
context = executed.program.debugContext
own = [each for each in operations if each._id == context.id][0]
document = json.loads(context.json)
print((context.name, context.layer, document["op_type"]) == (own.name, own.layer, own.kind), own.debugContext is context,
      document["op_name"] == context.name, document["inputs"][0] == str(file.sql(
          "SELECT t.name FROM operation_input e JOIN tensor t ON t.id = e.tensor_id "
          f"WHERE e.operation_id = {context.id} ORDER BY e.position")["name"][0]),
      {each.type for each in compilation.programs if each.debugContext is None} >= {pva.Program.Type.Sequence})
for absent in (lambda: compilation.graph.numEdges, lambda: executed.computeSets[0].vertices[0].countByTile,
               lambda: executed.program.controlCodeByTile, lambda: operations[0].debugContext.location, lambda: tile.memory.category.code):
    try:
        absent()
    except AttributeError as error:
        print(str(error).partition(":")[0])
for wrong in (lambda: compilation.tile, lambda: execution.steps[0].ipus[0].cycle, lambda: pva.openReprt, lambda: report.popliner):
    try:
        wrong()
    except AttributeError as error:
        print(error)
