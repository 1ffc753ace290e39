// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// Where a program step ran.
struct TraceHit {
    std::int64_t ipu = 0;
    profile::TraceSlice slice;
};

/// Where program steps of `wanted` ran, on `ipus`, in order of time, at most `most`: what a search steps
/// through. Passes over what has none of them.
Result<std::vector<TraceHit>> find_hits(const profile::Profile& file,
                                        const std::vector<profile::IpuRecord>& ipus,
                                        const std::vector<std::int64_t>& wanted, std::size_t most);

} // namespace tilescope::ui
