// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/floor_plan.h"

#include <gtest/gtest.h>
#include <set>

namespace tilescope::analyse {
namespace {

using Place = FloorPlan::Place;

/// The number that the chip itself has for the tile drawn at a place, as bits: row, column of four tiles,
/// side of the pair, column within the four.
std::int64_t physical(const Place& p) {
    return 64 * (p.row / 2) + 4 * (p.column / 2) + 2 * (p.row % 2) + p.column % 2;
}

TEST(FloorPlan, TilesOfAC600LieWhereItsAssemblerHasThem) {
    const FloorPlan plan = floor_plan(1472, TileOrder::Physical);
    EXPECT_FALSE(plan.schematic);
    EXPECT_EQ(plan.columns, 32);
    EXPECT_EQ(plan.rows, 46);
    EXPECT_EQ(plan.parted_column, 16); // the halves
    // By hand: tile 45 is pair 22, side 1: block 0, row 22, physical 64 * 22 + 2. Tile 46 is pair 23: block
    // 1, which runs back up from row 22, physical 64 * 22 + 1. Tile 1471: pair 735, block 31, row 0.
    EXPECT_EQ(physical(plan.places[0]), 0);
    EXPECT_EQ(physical(plan.places[1]), 2);
    EXPECT_EQ(physical(plan.places[45]), 64 * 22 + 2);
    EXPECT_EQ(physical(plan.places[46]), 64 * 22 + 1);
    EXPECT_EQ(physical(plan.places[1471]), 4 * 15 + 1 + 2);
    std::set<std::int64_t> numbers;
    for (const Place& place : plan.places)
        numbers.insert(physical(place));
    EXPECT_EQ(numbers.size(), 1472U); // a permutation of 0 to 1,471
    EXPECT_EQ(*numbers.rbegin(), 1471);
}

TEST(FloorPlan, OtherChipsAreSchematicWithTheFabricBetweenTwoSides) {
    const FloorPlan plan = floor_plan(1216, TileOrder::Physical); // 608 pairs: 16 columns, 2 sides, 19 deep
    EXPECT_TRUE(plan.schematic);
    EXPECT_EQ(plan.columns, 32);
    EXPECT_EQ(plan.rows, 38);
    EXPECT_EQ(plan.parted_row, 19);
    EXPECT_EQ(plan.places[0], (Place{0, 18})); // next to the fabric
    EXPECT_EQ(plan.places[1], (Place{1, 18}));
    EXPECT_EQ(plan.places[2], (Place{0, 17}));  // outward
    EXPECT_EQ(plan.places[38], (Place{0, 19})); // the other side
    EXPECT_EQ(plan.places[76], (Place{2, 18})); // the next column
}

TEST(FloorPlan, SmallAndOddNumbersOfTilesHaveAPlaceEach) {
    for (const std::int64_t tiles : {1, 2, 3, 4, 7, 64, 150, 1000, 1472, 1473})
        for (const TileOrder order : {TileOrder::Physical, TileOrder::Numeric}) {
            const FloorPlan plan = floor_plan(tiles, order);
            for (std::int64_t t = 0; t < tiles; ++t)
                EXPECT_EQ(plan.tile_at(plan.places[static_cast<std::size_t>(t)].column,
                                       plan.places[static_cast<std::size_t>(t)].row),
                          t)
                    << tiles;
            EXPECT_LT(plan.parted_row, plan.rows) << tiles;
            EXPECT_LT(plan.parted_column, plan.columns) << tiles;
        }
}

TEST(FloorPlan, WalksAndRectanglesGoByPlaces) {
    const FloorPlan numbers = floor_plan(1472, TileOrder::Numeric);
    EXPECT_EQ(numbers.beside(0, 1, 0), 1);
    EXPECT_EQ(numbers.beside(0, 0, 1), 32);
    EXPECT_EQ(numbers.beside(0, -1, 0), 0); // the edge
    EXPECT_EQ(numbers.between(0, 33), (std::vector<std::int64_t>{0, 1, 32, 33}));
    const FloorPlan chip = floor_plan(1472, TileOrder::Physical);
    EXPECT_EQ(chip.beside(0, 0, 1), 1);  // the other of the pair
    EXPECT_EQ(chip.beside(0, 1, 0), 90); // block 1, row 0: pair 45
    EXPECT_EQ(chip.between(91, 0), (std::vector<std::int64_t>{0, 1, 90, 91}));
    EXPECT_TRUE(chip.between(0, 1472).empty());
}

} // namespace
} // namespace tilescope::analyse
