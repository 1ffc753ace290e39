// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/floor_plan.h"

#include "mapping/exchange_fabric.h"

#include <algorithm>
#include <cmath>

namespace tilescope::analyse {
namespace {

constexpr std::int64_t places_in_row = mapping::known_chip_tiles / mapping::known_chip_rows;

/// A cell of four tiles is drawn as two by two: its even and odd blocks side by side, the tiles of a pair
/// above each other.
FloorPlan::Place known_place(std::int64_t tile) {
    const std::int64_t number = mapping::physical_tile(tile);
    return {static_cast<std::int32_t>(2 * (number / 4 % mapping::known_chip_columns) + number % 2),
            static_cast<std::int32_t>(2 * (number / places_in_row) + number / 2 % 2)};
}

/// Pairs of tiles outward from the fabric, above and below it by turns of columns.
FloorPlan::Place schematic_place(std::int64_t tile, std::int64_t depth) {
    const std::int64_t pair = tile / 2;
    const std::int64_t place = pair % depth;
    const std::int64_t line = pair / depth; // column and side
    const std::int64_t row = line % 2 == 0 ? depth - 1 - place : depth + place;
    return {static_cast<std::int32_t>(line / 2 * 2 + tile % 2), static_cast<std::int32_t>(row)};
}

void set_cells(FloorPlan& plan) {
    for (const FloorPlan::Place& place : plan.places) {
        plan.columns = std::max(plan.columns, place.column + 1);
        plan.rows = std::max(plan.rows, place.row + 1);
    }
    plan.tile.assign(static_cast<std::size_t>(plan.columns) * static_cast<std::size_t>(plan.rows), -1);
    for (std::size_t t = 0; t < plan.places.size(); ++t)
        plan.tile[static_cast<std::size_t>(plan.places[t].row) * static_cast<std::size_t>(plan.columns) +
                  static_cast<std::size_t>(plan.places[t].column)] = static_cast<std::int32_t>(t);
}

} // namespace

std::int32_t FloorPlan::tile_at(std::int32_t column, std::int32_t row) const {
    if (column < 0 || column >= columns || row < 0 || row >= rows)
        return -1;
    return tile[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                static_cast<std::size_t>(column)];
}

std::vector<std::int64_t> FloorPlan::between(std::int64_t a, std::int64_t b) const {
    const auto count = static_cast<std::int64_t>(places.size());
    if (a < 0 || b < 0 || a >= count || b >= count)
        return {};
    const Place& one = places[static_cast<std::size_t>(a)];
    const Place& other = places[static_cast<std::size_t>(b)];
    std::vector<std::int64_t> result;
    for (std::int32_t row = std::min(one.row, other.row); row <= std::max(one.row, other.row); ++row)
        for (std::int32_t column = std::min(one.column, other.column);
             column <= std::max(one.column, other.column); ++column)
            if (const std::int32_t t = tile_at(column, row); t >= 0)
                result.push_back(t);
    std::sort(result.begin(), result.end());
    return result;
}

std::int64_t FloorPlan::beside(std::int64_t of, std::int32_t columns_on, std::int32_t rows_on) const {
    if (of < 0 || of >= static_cast<std::int64_t>(places.size()))
        return of;
    Place at = places[static_cast<std::size_t>(of)];
    while (true) {
        at.column += columns_on;
        at.row += rows_on;
        if (at.column < 0 || at.column >= columns || at.row < 0 || at.row >= rows ||
            (columns_on == 0 && rows_on == 0))
            return of;
        if (const std::int32_t t = tile_at(at.column, at.row); t >= 0)
            return t;
    }
}

FloorPlan floor_plan(std::int64_t tiles, TileOrder order) {
    FloorPlan plan;
    const std::int64_t pairs = (tiles + 1) / 2;
    const std::int64_t depth = std::max<std::int64_t>(1, (pairs + 2 * mapping::known_chip_columns - 1) /
                                                             (2 * mapping::known_chip_columns));
    constexpr std::int64_t large = 1024;
    const std::int64_t across =
        tiles >= large ? 2 * mapping::known_chip_columns
                       : static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(tiles))));
    for (std::int64_t t = 0; t < tiles; ++t)
        if (order == TileOrder::Numeric)
            plan.places.push_back(
                {static_cast<std::int32_t>(t % across), static_cast<std::int32_t>(t / across)});
        else
            plan.places.push_back(tiles == mapping::known_chip_tiles ? known_place(t)
                                                                     : schematic_place(t, depth));
    set_cells(plan);
    if (order == TileOrder::Physical) {
        plan.schematic = tiles != mapping::known_chip_tiles;
        plan.parted_column = plan.schematic ? 0 : static_cast<std::int32_t>(mapping::known_chip_columns);
        plan.parted_row = plan.schematic && plan.rows > depth ? static_cast<std::int32_t>(depth) : 0;
    }
    return plan;
}

} // namespace tilescope::analyse
