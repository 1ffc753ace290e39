// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/share.h"
#include "profile/live_levels.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// The fullest tile of all IPUs.
struct FullestTile {
    std::int64_t ipu = 0;
    std::int64_t tile = 0;
    std::int64_t bytes = 0;
    /// Of the memory of a tile; nullopt where tiles have none, as on the CPU.
    std::optional<double> share(std::int64_t bytes_per_tile) const { return share_of(bytes, bytes_per_tile); }
    /// Takes the fullest tile of an IPU, where that is fuller: of equally full ones the first stays.
    void raise(std::int64_t of_ipu, const std::vector<std::int64_t>& bytes_by_tile);
};
/// Of each of `ipus`, in their order, by bytes with gaps; of 0 bytes where nothing was laid out.
Result<std::vector<FullestTile>> fullest_tiles(const profile::Profile& profile,
                                               const std::vector<profile::IpuRecord>& ipus);
/// The fullest of these, the first of several; none where they hold nothing.
std::optional<FullestTile> fullest_of(const std::vector<FullestTile>& tiles);
/// By bytes with gaps, since they must fit; none where no program was laid out.
Result<std::optional<FullestTile>> fullest_tile(const profile::Profile& profile);

/// So many tiles that hold most of these bytes, by their numbers; of equally full ones the first.
std::vector<std::int64_t> fullest_tiles(const std::vector<std::int64_t>& bytes_by_tile, std::size_t count);

/// What the tiles of one IPU hold, each at its own peak.
struct IpuMemory {
    FullestTile fullest;                  ///< by bytes with gaps, since they must fit
    std::int64_t fullest_always_live = 0; ///< of its bytes
    std::int64_t total_bytes = 0;
    std::int64_t always_live_bytes = 0; ///< of these
};
/// nullopt where no memory is recorded.
Result<std::optional<IpuMemory>> ipu_memory(const profile::Profile& profile, std::int64_t ipu);

/// When variables with their bytes on some tiles hold the most together: the first such step. They add up to
/// what is live there.
profile::LiveLevel live_peak(const std::vector<profile::VariableOnTiles>& variables);

} // namespace tilescope::analyse
