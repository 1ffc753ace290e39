// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/time_line.h"
#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// From where to where the exchange of each program step goes.
class StepTraffic {
  public:
    /// Errors: those of reading the profile.
    static Result<StepTraffic> read(const profile::Profile& profile);

    enum class Way { BetweenTiles, In, Out };
    /// Bytes that an IPU moves that way in a run of each step; NaN: not known. Those of the exchange over the
    /// links of an all-reduce go out and come in. A stream of a program that the profile does not describe
    /// goes the way of the described one of its name.
    profile::StepFigure figure(Way way, const profile::IpuRecord& ipu) const;
    /// Bytes that go from one IPU to another, that is its next one where sums go around a ring.
    profile::StepFigure over_link(const profile::IpuRecord& from, const profile::IpuRecord& to) const;

  private:
    /// `host`: or streaming memory.
    static constexpr std::int64_t host = -2, other_replicas = -3, every_shard = -1, unknown = -4;
    struct Moves { ///< between shards of a replica, or what is named above
        std::int64_t from = unknown, to = unknown;
        double bytes = 0;      ///< -1: not known
        std::int64_t ring = 0; ///< replicas that an all-reduce goes around
    };
    void put(std::int64_t step, const Moves& moves);
    std::vector<Moves> steps_; ///< by program step
    std::vector<profile::LinkTrafficRecord> links_;
};

/// How an IPU spends a range, how well it uses its tiles, and what it moves; nullopt: not known, or of tiles:
/// nothing computes.
struct IpuUse {
    std::int64_t ipu = 0;
    profile::PhaseCycles cycles;
    std::optional<TileUtilisation> tiles;
    std::optional<double> between_tiles; ///< bytes; an exchange that the range cuts counts by its share
    std::optional<double> in;            ///< from other IPUs, the host and streaming memory
    std::optional<double> out;
};
/// Of one IPU, or of all (every_ipu) in their order.
Result<std::vector<IpuUse>> ipu_uses(const profile::Profile& profile, std::int64_t ipu, Range range,
                                     const StepBalances& balances, const StepTraffic& traffic);

} // namespace tilescope::analyse
