// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope::analyse {

/// In which order the tiles of an IPU are drawn.
enum class TileOrder { Physical, Numeric };

/// Where the tiles of an IPU are drawn: cells in columns and rows, each of which one tile has, or none.
struct FloorPlan {
    struct Place {
        std::int32_t column = 0; ///< from the left
        std::int32_t row = 0;    ///< from the top
        bool operator==(const Place&) const = default;
    };
    std::int32_t columns = 0; ///< of cells
    std::int32_t rows = 0;
    /// No source says where the tiles of such a chip lie: it is drawn as its maker describes the kind.
    bool schematic = false;
    /// The exchange fabric, or the line between two halves, is left of this column or above this row; 0: no
    /// such.
    std::int32_t parted_column = 0;
    std::int32_t parted_row = 0;
    std::vector<Place> places;      ///< by tile
    std::vector<std::int32_t> tile; ///< by row * columns + column; -1: no tile

    std::int32_t tile_at(std::int32_t column, std::int32_t row) const; ///< -1 where there is none
    /// The tiles in the rectangle of cells between those of two tiles, ascending.
    std::vector<std::int64_t> between(std::int64_t a, std::int64_t b) const;
    /// The next tile that way from one, (1, 0) to the right: itself where there is none.
    std::int64_t beside(std::int64_t of, std::int32_t columns_on, std::int32_t rows_on) const;
};

/// Numeric: rows of 32 tiles by their numbers (of small chips, a square). Physical, 1,472 tiles: 16 columns
/// of 23 rows of four tiles, two halves of eight columns (mapping/exchange_fabric.h). Other numbers of tiles:
/// schematic, 16 columns on either side of the exchange fabric with pairs outward from it (patents US
/// 11,269,806, 11,561,926, 11,698,883).
FloorPlan floor_plan(std::int64_t tiles, TileOrder order);

} // namespace tilescope::analyse
