// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::analyse {

/// How many tiles take how many cycles.
struct TileBalance {
    static constexpr std::int64_t most_classes = 20;

    struct Class {
        std::int64_t from = 0; ///< cycles, both inclusive
        std::int64_t to = 0;
        std::vector<std::int64_t> tiles; ///< in order
    };
    std::int64_t slowest = 0; ///< cycles; 0: no tile does anything, and there are no classes
    std::int64_t slowest_tile = 0;
    std::int64_t idle = 0;      ///< tiles that do nothing, which are in no class
    std::vector<Class> classes; ///< of as many whole cycles each, from 1 to the slowest
};

TileBalance tile_balance(const std::vector<std::int64_t>& cycles_by_tile);

} // namespace tilescope::analyse
