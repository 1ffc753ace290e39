// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// The first time that steps of `wanted` run, on the first of `ipus` on which any do: from the first of them
/// to where another one, or nothing, follows, as one slice that counts them in `merged`.
Result<std::optional<TraceHit>> first_pass(const profile::Profile& file,
                                           const std::vector<profile::IpuRecord>& ipus,
                                           const std::vector<std::int64_t>& wanted);

} // namespace tilescope::ui
