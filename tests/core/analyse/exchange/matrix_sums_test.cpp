// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/matrix_sums.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using Values = std::vector<std::int64_t>;

/// Three tiles: tile 0 sends 1 to tile 1 and 2 to tile 2, tile 2 sends 30 to tile 0.
const Values matrix = {0,  1, 2, //
                       0,  0, 0, //
                       30, 0, 0};

} // namespace

TEST(MatrixSums, OfATileAreItsRowAndItsColumn) {
    const TileSums sums = tile_sums(matrix, 3);
    EXPECT_EQ(sums.sent, (Values{3, 0, 30}));
    EXPECT_EQ(sums.received, (Values{30, 1, 2}));
    EXPECT_EQ(sum_over(sums.sent, {1, 2}), 30);
    EXPECT_TRUE(tile_sums({}, 0).sent.empty());
}

TEST(MatrixSums, OfACellAreWhatGoesFromSomeTilesToSome) {
    EXPECT_EQ(bytes_between(matrix, 3, {0, 2}, {1, 2}), 3);
    EXPECT_EQ(bytes_between(matrix, 3, {0, 3}, {0, 3}), 33);
    EXPECT_EQ(block_of({0, 3}, 2, 1), (TileRange{2, 1})) << "the last block is what is left";
    EXPECT_EQ(bytes_of_blocks(matrix, 3, {0, 3}, {0, 3}, 2), (Values{1, 2, 30, 0}));
    EXPECT_EQ(bytes_of_blocks(matrix, 3, {0, 1}, {1, 2}, 1), (Values{1, 2}));
}

} // namespace tilescope::analyse
