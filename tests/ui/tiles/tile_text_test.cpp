// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_text.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using Tiles = std::vector<std::int64_t>;
const std::vector<std::int64_t> four{0, 1, 2, 3};

TEST(TileText, NamesTilesRunsIpusAndTheFullest) {
    EXPECT_EQ(parseTiles(QStringLiteral("2-4, 700,3"), 1472, four).tiles, (Tiles{2, 3, 4, 700}));
    EXPECT_EQ(parseTiles(QStringLiteral("4-2"), 1472, four).tiles, (Tiles{2, 3, 4}));
    EXPECT_EQ(parseTiles(QStringLiteral("IPU 3: 45"), 1472, four).ipu, 3);
    EXPECT_EQ(parseTiles(QStringLiteral("IPU 3: 45"), 1472, four).tiles, (Tiles{45}));
    EXPECT_EQ(parseTiles(QStringLiteral("45"), 1472, four).ipu, -1);
    EXPECT_EQ(parseTiles(QStringLiteral("ipu2"), 1472, four).ipu, 2);
    EXPECT_TRUE(parseTiles(QStringLiteral("all"), 1472, four).tiles.empty());
    EXPECT_EQ(parseTiles(QStringLiteral("fullest"), 1472, four).fullest, 1);
    EXPECT_EQ(parseTiles(QStringLiteral("Fullest 5"), 1472, four).fullest, 5);
}

TEST(TileText, SaysWhatIsWrong) {
    EXPECT_EQ(parseTiles(QStringLiteral("1480"), 1472, four).error,
              QStringLiteral("tile 1,480: an IPU has tiles 0 to 1,471"));
    EXPECT_EQ(parseTiles(QStringLiteral("IPU 4: 1"), 1472, four).error,
              QStringLiteral("IPU 4: this run has IPUs 0 to 3"));
    EXPECT_TRUE(parseTiles(QStringLiteral("tile x"), 1472, four)
                    .error.contains(QStringLiteral("“tile x” is no tile")));
    EXPECT_TRUE(parseTiles(QStringLiteral("7"), 1472, four).error.isEmpty());
    // Of a file that was trimmed to two IPUs.
    EXPECT_EQ(parseTiles(QStringLiteral("IPU 5: 1"), 1472, {3, 5}).ipu, 5);
    EXPECT_EQ(parseTiles(QStringLiteral("IPU 0: 1"), 1472, {3, 5}).error,
              QStringLiteral("IPU 0: this file has IPU 3, 5"));
}

TEST(TileText, WritesWhatItReads) {
    EXPECT_EQ(tilesText(-1, {}), QStringLiteral("all"));
    EXPECT_EQ(tilesText(3, {45}), QStringLiteral("IPU 3: 45"));
    EXPECT_EQ(tilesText(-1, {0, 1, 2, 7, 9, 10}), QStringLiteral("0-2, 7, 9-10"));
    EXPECT_EQ(parseTiles(tilesText(1, {0, 1, 2, 7}), 64, {0, 1}).tiles, (Tiles{0, 1, 2, 7}));
}

} // namespace
} // namespace tilescope::ui
