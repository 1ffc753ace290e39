// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/link_traffic.h"
#include "analyse/tile_memory.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// An IPU as its replica counts it.
struct IpuOfReplica {
    profile::IpuRecord record;
    std::optional<FullestTile> fullest; ///< nullopt: no memory is recorded
    std::int64_t total_bytes = 0;       ///< over its tiles, each at its own peak
    profile::PhaseCycles phases;
};

/// What the IPUs of a replica come to.
struct ReplicaFigures {
    std::int64_t replica = 0;
    std::vector<std::int64_t> ipus;
    std::optional<FullestTile> fullest; ///< of all of them
    std::int64_t total_bytes = 0;
    profile::PhaseCycles phases;
    double reduced_bytes = 0; ///< that they send in collectives, per what the traffic is
};

/// In their order.
std::vector<ReplicaFigures> replica_figures(const std::vector<IpuOfReplica>& ipus,
                                            const LinkTraffic& traffic);

} // namespace tilescope::analyse
