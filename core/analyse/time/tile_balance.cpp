// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_balance.h"

#include <algorithm>

namespace tilescope::analyse {

TileBalance tile_balance(const std::vector<std::int64_t>& cycles_by_tile) {
    TileBalance balance;
    const auto slowest = std::max_element(cycles_by_tile.begin(), cycles_by_tile.end());
    if (slowest == cycles_by_tile.end() || *slowest <= 0)
        return balance;
    balance.slowest = *slowest;
    balance.slowest_tile = slowest - cycles_by_tile.begin();
    const std::int64_t width = (*slowest - 1) / TileBalance::most_classes + 1;
    for (std::int64_t from = 1; from <= *slowest; from += width)
        balance.classes.push_back({from, std::min(from + width - 1, *slowest), {}});
    for (std::size_t tile = 0; tile < cycles_by_tile.size(); ++tile)
        if (const std::int64_t cycles = cycles_by_tile[tile]; cycles > 0)
            balance.classes[static_cast<std::size_t>((cycles - 1) / width)].tiles.push_back(
                static_cast<std::int64_t>(tile));
        else
            ++balance.idle;
    return balance;
}

} // namespace tilescope::analyse
