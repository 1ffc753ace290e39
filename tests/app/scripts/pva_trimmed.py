# SPDX-License-Identifier: GPL-3.0-or-later
"""pva on a profile, the argument, that was trimmed with --no-tiles: what it has not is empty or 0, and the rest is there."""
import sys

import pva
import tilescope

report = pva.openReport(sys.argv[1])
compilation, file = report.compilation, tilescope.open(sys.argv[1])
print(sum(tile.memory.total.excludingGaps for tile in compilation.tiles) == file["memory.total_bytes"],
      compilation.alwaysLiveVariablesForTile(0), compilation.livenessProgramSteps[0].notAlwaysLiveMemoryForTile(0).bytes)
print({len(each.estimatedCyclesByTile) for each in compilation.computeSets}, compilation.loweredVariables.forTile(0),
      compilation.loweredVariables.allBriefVars)
try:
    file.tiles("variable", "bytes", 1)
except KeyError as error:
    print(error)
try:
    compilation.tiles[0].memory.category.variable.nonInterleaved
except AttributeError as error:
    print(error, compilation.tiles[0].memory.vertices)
