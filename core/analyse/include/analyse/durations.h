// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/time_line.h"
#include "base/error.h"

#include <cstdint>
#include <map>

namespace tilescope::analyse {

/// How long the passes of a layer, an operation or a program step take, in cycles from the beginning of a
/// pass to its end. A pass is a run of its program steps on one IPU that follow each other without a gap,
/// within one step of an engine run.
struct Durations {
    std::int64_t passes = 0;
    double mean = 0;
    std::int64_t p50 = 0; ///< nearest rank: the shortest of which at least half are no longer
    std::int64_t p99 = 0; ///< the same of 99 in 100
    std::int64_t longest = 0;
    Range where{};         ///< cycles of the first of the longest
    std::int64_t ipu = -1; ///< that it is on
};

/// By id; what has no pass that lies whole within the range is missing.
struct RangeDurations {
    std::map<std::int64_t, Durations> operations, layers, programs;
};
/// On one IPU or every_ipu. Executions of one schedule repeat exactly, so that one of them stands for all.
/// Errors: those of reading the profile.
Result<RangeDurations> range_durations(const profile::Profile& profile, std::int64_t ipu, Range range);

} // namespace tilescope::analyse
