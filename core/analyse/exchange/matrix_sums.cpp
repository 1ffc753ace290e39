// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/matrix_sums.h"

#include <algorithm>
#include <numeric>

namespace tilescope::analyse {

TileSums tile_sums(const std::vector<std::int64_t>& matrix, std::int64_t tiles) {
    const auto count = static_cast<std::size_t>(tiles);
    TileSums sums{std::vector<std::int64_t>(count, 0), std::vector<std::int64_t>(count, 0)};
    for (std::size_t from = 0; from < count; ++from)
        for (std::size_t to = 0; to < count; ++to) {
            sums.sent[from] += matrix[from * count + to];
            sums.received[to] += matrix[from * count + to];
        }
    return sums;
}

std::int64_t sum_over(const std::vector<std::int64_t>& by_tile, TileRange tiles) {
    const auto begin = by_tile.begin() + tiles.first;
    return std::accumulate(begin, begin + tiles.count, std::int64_t{0});
}

std::int64_t bytes_between(const std::vector<std::int64_t>& matrix, std::int64_t tiles, TileRange from,
                           TileRange to) {
    std::int64_t sum = 0;
    for (std::int64_t row = from.first; row < from.first + from.count; ++row)
        sum += sum_over(matrix, {row * tiles + to.first, to.count});
    return sum;
}

TileRange block_of(TileRange range, std::int64_t block, std::int64_t index) {
    const std::int64_t first = index * block;
    return {range.first + first, std::min(block, range.count - first)};
}

std::vector<std::int64_t> bytes_of_blocks(const std::vector<std::int64_t>& matrix, std::int64_t tiles,
                                          TileRange from, TileRange to, std::int64_t block) {
    const std::int64_t down = (from.count + block - 1) / block;
    const std::int64_t across = (to.count + block - 1) / block;
    std::vector<std::int64_t> cells(static_cast<std::size_t>(down * across), 0);
    for (std::int64_t r = 0; r < from.count; ++r) {
        const std::int64_t* line = matrix.data() + (from.first + r) * tiles + to.first;
        std::int64_t* into = cells.data() + r / block * across;
        for (std::int64_t c = 0; c < to.count; ++c)
            into[c / block] += line[c];
    }
    return cells;
}

} // namespace tilescope::analyse
