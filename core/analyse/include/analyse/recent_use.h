// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <optional>

namespace tilescope::analyse {

/// What IPUs did of late.
struct RecentUse {
    double seconds = 0;          ///< of wall time on the host that simulates, in which it was done
    std::int64_t executions = 0; ///< engine runs
    std::map<std::int64_t, profile::PhaseCycles> by_ipu;
};

/// The newest engine runs that together took so many seconds of wall time on the host that simulates (all
/// where they took less), of any kind; those of a group that were run together took the same each. nullopt:
/// none has ended, or, as of an estimate, none took any wall time. Errors: those of reading.
Result<std::optional<RecentUse>> recent_use(const profile::Profile& profile, double seconds);

} // namespace tilescope::analyse
