// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/tiles/tile_map.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// A column of an answer that tells tiles, and one that tells their IPUs, if there is any.
struct TileColumns {
    std::size_t tile = 0;
    std::optional<std::size_t> ipu;
};

/// nullopt: no column is called "tile" or "…_tile", or it has other than whole numbers.
std::optional<TileColumns> tileColumns(const profile::QueryResult& answer);

/// A number of an answer by tile, as a floor plan shows it.
struct AnswerTiles {
    std::vector<std::int64_t> ipus;   ///< none: the answer tells none
    std::int64_t per_ipu = 0;         ///< tiles
    std::vector<std::int64_t> values; ///< multiples of `step`; TileMap::none where no row is of the tile
    double step = 1;
    std::int64_t full = 1; ///< the most
    TileMap::Scale scale = TileMap::Scale::Number;
    std::map<std::int64_t, std::int64_t> rows; ///< the first row of a tile
    bool negative = false;                     ///< some are below 0, which the scale does not show
    bool added = false;                        ///< several rows are of one tile: their numbers are added up
};

/// `tiles_per_ipu`: of the file; where the answer has tiles beyond, the plan is of as many as it needs.
AnswerTiles answerTiles(const profile::QueryResult& answer, const TileColumns& columns, std::size_t value,
                        std::int64_t tiles_per_ipu);

} // namespace tilescope::ui
