// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "analyse/matching.h"
#include "analyse/tile_memory.h"

#include <map>
#include <string>

namespace tilescope::analyse {

using BytesByCategory = std::map<MemoryCategory, std::int64_t>;

/// What fills the fullest tile (by the end of its allocations, which must fit) when it holds most. Layers and
/// gaps add up to `tile.bytes`.
struct TileUse {
    FullestTile tile;
    std::map<std::int64_t, BytesByCategory> by_layer; ///< -1: of no layer
    std::int64_t gaps = 0; ///< between the allocations, and what does not live at the same time
};

/// nullopt where no program was laid out.
Result<std::optional<TileUse>> fullest_use(const profile::Profile& profile);

/// What makes the fullest tile of the new run fuller or less full than that of the base, what explains most
/// first and gaps last; the bytes add up to the change.
std::vector<Cause> memory_causes(const TileUse& base, const TileUse& now, const Parts& base_parts,
                                 const Parts& now_parts, const Matching& matching);

std::int64_t sum_of(const BytesByCategory& bytes);
/// "Vertex Code 12 KiB", the largest first, at most two; with signs where they are differences.
std::string categories_text(const BytesByCategory& bytes, bool differences);

} // namespace tilescope::analyse
