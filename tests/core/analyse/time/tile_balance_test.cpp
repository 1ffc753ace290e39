// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_balance.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

TEST(TileBalance, CountsTheTilesOfEachClass) {
    // Of 30 cycles in at most 20 classes: two cycles each.
    const TileBalance balance = tile_balance({2, 0, 30, 3, 4, 0, 29});
    EXPECT_EQ(balance.slowest, 30);
    EXPECT_EQ(balance.slowest_tile, 2);
    EXPECT_EQ(balance.idle, 2);
    ASSERT_EQ(balance.classes.size(), 15U);
    EXPECT_EQ(balance.classes[0].to, 2);
    EXPECT_EQ(balance.classes[0].tiles, (std::vector<std::int64_t>{0}));
    EXPECT_EQ(balance.classes[1].from, 3);
    EXPECT_EQ(balance.classes[1].tiles, (std::vector<std::int64_t>{3, 4}));
    EXPECT_EQ(balance.classes.back().from, 29);
    EXPECT_EQ(balance.classes.back().tiles, (std::vector<std::int64_t>{2, 6}));
}

TEST(TileBalance, EachTileIsInTheClassThatNamesItsCycles) {
    for (const std::int64_t slowest : {1, 7, 19, 20, 21, 33, 40, 41, 1009}) {
        std::vector<std::int64_t> cycles;
        for (std::int64_t c = 1; c <= slowest; ++c)
            cycles.push_back(c);
        const TileBalance balance = tile_balance(cycles);
        EXPECT_LE(std::ssize(balance.classes), TileBalance::most_classes);
        EXPECT_EQ(balance.classes.back().to, slowest);
        std::int64_t next = 1;
        for (const auto& each : balance.classes) {
            EXPECT_EQ(each.from, next);
            next = each.to + 1;
            ASSERT_EQ(std::ssize(each.tiles), each.to - each.from + 1);
            EXPECT_EQ(each.tiles.front(), each.from - 1);
        }
    }
}

TEST(TileBalance, NothingIsDone) {
    EXPECT_TRUE(tile_balance({0, 0}).classes.empty());
    EXPECT_TRUE(tile_balance({}).classes.empty());
}

} // namespace
} // namespace tilescope::analyse
