# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions of tiles by pva on the profiles that are the arguments, against a map of each byte and what the compiler recorded."""
import sys

import numpy as np
import pva

REGIONS = {"nonInterleaved": "non_interleaved", "interleaved": "interleaved", "overflowed": "overflowed"}


def by_hand(file, ipu, tile):
    """{(category, region): [bytes alone, bytes shared]} of the variables that are live at the fullest step."""
    rows = file.sql("SELECT category, always_live, live_from, live_to, a.value AS begin, a.value + b.value AS last FROM variable v, "
                    "tile_values('variable', v.id, v.ipu, 'bytes') b, tile_values('variable', v.id, v.ipu, 'address') a "
                    f"WHERE v.ipu = {ipu} AND b.tile = {tile} AND a.tile = {tile} AND b.value > 0")
    held = [(str(category), bool(always), *map(int, others)) for category, always, *others in zip(*rows.values())]
    steps = int(file.sql("SELECT max(step) AS n FROM liveness")["n"][0]) + 1
    live = np.zeros(steps, np.int64)
    for _, always, first, last, begin, end in held:
        live[0 if always else first:steps if always else last + 1] += end - begin
    peak = int(live.argmax())
    memory, = zip(*file.sql("SELECT bytes_per_tile - interleaved_bytes AS upper, bytes_per_tile FROM target").values())
    limits = [0, *map(int, memory), max([end for *_, end in held] + [int(memory[1])])]
    others = np.zeros(limits[-1], bool)
    for _, always, first, last, begin, end in held:
        if not (always or first <= peak <= last):
            others[begin:end] = True
    found = {}
    for category, always, first, last, begin, end in held:
        for region, low, high in zip(REGIONS, limits, limits[1:]):
            here = others[max(begin, low):max(min(end, high), max(begin, low))]
            if (always or first <= peak <= last) and len(here):
                sums = found.setdefault((category, region), [0, 0])
                sums[0] += int((~here).sum())
                sums[1] += int(here.sum())
    return found, int(live[peak])


for path in sys.argv[1:]:
    report = pva.openReport(path)
    file, tiles = report.tilescope, report.compilation.tiles
    each, right, shared = report.compilation.target.tilesPerIpu, [], 0
    fullest = max(tiles, key=lambda tile: tile.memory.total.excludingGaps)
    for tile in (tiles[0], tiles[-1], fullest):
        own = tile.tileId - tile.ipu * each
        wanted, most = by_hand(file, tile.ipu, own)
        got = {}
        for name, category in vars(tile.memory.category).items():
            for region in REGIONS:
                part = getattr(category, region)
                if part.nonOverlapped or part.overlapped:
                    got[name, region] = [part.nonOverlapped, part.overlapped]
                    shared += part.overlapped
        right.append(sorted(got.values()) == sorted(wanted.values()) and most == tile.memory.total.excludingGaps)
        right.append(all(sum(sum(sums) for (_, at), sums in got.items() if at == region)
                         == file.tiles("memory", metric, ipu=tile.ipu)[own] for region, metric in REGIONS.items()))
        right.append(sum(map(sum, got.values())) == sum(c.total for c in vars(tile.memory.category).values()) > 0)
    print(len(report.compilation.ipus), all(right), shared > 0, tiles[-1].tileId == len(tiles) - 1)
