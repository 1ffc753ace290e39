// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tiles_by_number.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using Bytes = std::vector<std::int64_t>;

// Three IPUs of two tiles: 0 and 2 hold as much on tile 0, IPU 1 the most on tile 1.
TEST(TilesByNumber, TakesOfEachNumberTheTileThatHoldsTheMost) {
    MemoryParts parts;
    parts.ipus = {0, 1, 2};
    parts.tiles_per_ipu = 2;
    parts.with_gaps = {31, 12, 21, 52, 31, 12};
    parts.parts = {{Lasting::Always, {10, 10, 10, 10, 20, 10}}, {Lasting::NotAlways, {20, 0, 10, 40, 10, 0}}};
    const TilesByNumber by = tiles_by_number(parts);
    EXPECT_EQ(by.ipus, (Bytes{0, 1}));
    EXPECT_EQ(by.least, (Bytes{20, 10}));
    EXPECT_EQ(by.fullest.parts[0].bytes, (Bytes{10, 10}));
    EXPECT_EQ(by.fullest.parts[1].bytes, (Bytes{20, 40}));
    EXPECT_EQ(by.fullest.with_gaps, (Bytes{31, 52}));
    EXPECT_EQ(by.fullest.totals(), (Bytes{30, 50}));
    EXPECT_TRUE(by.fullest.ipus.empty());
    EXPECT_TRUE(tiles_by_number({}).ipus.empty());
}

} // namespace
} // namespace tilescope::analyse
