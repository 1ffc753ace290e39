// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/tile_memory.h"
#include "base/error.h"
#include "profile/profile.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

using BytesByCategory = std::map<profile::MemoryCategory, std::int64_t>;

/// What fills the fullest tile (by the end of its allocations, which must fit) when it holds most. Layers and
/// gaps add up to `tile.bytes`.
struct TileUse {
    FullestTile tile;
    std::map<std::int64_t, BytesByCategory> by_layer; ///< -1: of no layer
    std::vector<profile::VariableOnTiles> variables;  ///< on the tile, also those that do not live then
    profile::LiveLevel peak;                          ///< when it holds most
    std::int64_t gaps = 0; ///< between the allocations, and what does not live at the same time
};

/// nullopt where no program was laid out.
Result<std::optional<TileUse>> fullest_use(const profile::Profile& profile);

bool is_code(profile::MemoryCategory category);
std::int64_t sum_of(const BytesByCategory& bytes);
/// "Vertex Code 12 KiB", the largest first, at most two; with signs where they are differences.
std::string categories_text(const BytesByCategory& bytes, bool differences);

} // namespace tilescope::analyse
