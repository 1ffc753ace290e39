// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_memory.h"

#include "base/try.h"

#include <algorithm>
#include <numeric>

namespace tilescope::analyse {

void FullestTile::raise(std::int64_t of_ipu, const std::vector<std::int64_t>& bytes_by_tile) {
    const auto most = std::max_element(bytes_by_tile.begin(), bytes_by_tile.end());
    if (most != bytes_by_tile.end() && *most > bytes)
        *this = {of_ipu, most - bytes_by_tile.begin(), *most};
}

Result<std::vector<FullestTile>> fullest_tiles(const profile::Profile& profile,
                                               const std::vector<profile::IpuRecord>& ipus) {
    std::vector<FullestTile> result;
    result.reserve(ipus.size());
    for (const auto& ipu : ipus) {
        TRY(const auto with_gaps, profile.tile_values("memory", 0, ipu.id, "total_with_gaps"));
        result.push_back({ipu.id, 0, 0});
        result.back().raise(ipu.id, with_gaps);
    }
    return result;
}

std::optional<FullestTile> fullest_of(const std::vector<FullestTile>& tiles) {
    const auto fullest = std::max_element(tiles.begin(), tiles.end(),
                                          [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    return fullest != tiles.end() && fullest->bytes > 0 ? std::optional(*fullest) : std::nullopt;
}

Result<std::optional<FullestTile>> fullest_tile(const profile::Profile& profile) {
    TRY(const auto ipus, profile.ipus());
    TRY(const auto tiles, fullest_tiles(profile, ipus));
    return fullest_of(tiles);
}

std::vector<std::int64_t> fullest_tiles(const std::vector<std::int64_t>& bytes_by_tile, std::size_t count) {
    std::vector<std::int64_t> tiles(bytes_by_tile.size());
    std::iota(tiles.begin(), tiles.end(), std::int64_t{0});
    const auto bytes = [&](std::int64_t tile) { return bytes_by_tile[static_cast<std::size_t>(tile)]; };
    std::stable_sort(tiles.begin(), tiles.end(),
                     [&](std::int64_t a, std::int64_t b) { return bytes(a) > bytes(b); });
    tiles.resize(std::min(tiles.size(), count));
    std::sort(tiles.begin(), tiles.end());
    return tiles;
}

Result<std::optional<IpuMemory>> ipu_memory(const profile::Profile& profile, std::int64_t ipu) {
    TRY(const auto total, profile.tile_values("memory", 0, ipu, "total"));
    TRY(const auto with_gaps, profile.tile_values("memory", 0, ipu, "total_with_gaps"));
    TRY(const auto always, profile.tile_values("memory", 0, ipu, "always_live"));
    if (total.empty())
        return std::optional<IpuMemory>();
    IpuMemory memory;
    memory.fullest.raise(ipu, with_gaps);
    if (const auto tile = static_cast<std::size_t>(memory.fullest.tile); tile < always.size())
        memory.fullest_always_live = always[tile];
    memory.total_bytes = std::accumulate(total.begin(), total.end(), std::int64_t{0});
    memory.always_live_bytes = std::accumulate(always.begin(), always.end(), std::int64_t{0});
    return std::optional(memory);
}

profile::LiveLevel live_peak(const std::vector<profile::VariableOnTiles>& variables) {
    profile::LiveSums live;
    for (const auto& [variable, bytes] : variables)
        live.add(variable, bytes);
    return live.peak();
}

} // namespace tilescope::analyse
