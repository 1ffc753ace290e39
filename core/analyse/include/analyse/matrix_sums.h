// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

/// Sums of a matrix of bytes from tile to tile, [from * tiles + to], as a picture of it shows them.
namespace tilescope::analyse {

struct TileRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool operator==(const TileRange&) const = default;
};

/// Of each tile: what it sends to all, and what it receives of all.
struct TileSums {
    std::vector<std::int64_t> sent, received;
};
TileSums tile_sums(const std::vector<std::int64_t>& matrix, std::int64_t tiles);
/// What these send, or receive, together.
std::int64_t sum_over(const std::vector<std::int64_t>& by_tile, TileRange tiles);
/// What goes from some to some.
std::int64_t bytes_between(const std::vector<std::int64_t>& matrix, std::int64_t tiles, TileRange from,
                           TileRange to);

/// The `index`th block of so many tiles of a range, the last one as long as is left.
TileRange block_of(TileRange range, std::int64_t block, std::int64_t index);
/// Row by row what goes from block to block.
std::vector<std::int64_t> bytes_of_blocks(const std::vector<std::int64_t>& matrix, std::int64_t tiles,
                                          TileRange from, TileRange to, std::int64_t block);

} // namespace tilescope::analyse
