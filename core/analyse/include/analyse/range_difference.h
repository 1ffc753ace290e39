// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "analyse/matching.h"
#include "analyse/time_line.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace tilescope::analyse {

/// What is the same in two runs, each within a range of its own.
struct TotalDifference {
    TimeTotal::Of of = TimeTotal::Of::Step;
    std::int64_t id = -1;      ///< of the new run's; -1: it has none, as what is no step
    std::int64_t base_id = -1; ///< the same of the base
    Difference cycles;         ///< 0 on a side that has it, but not within its range
    Difference runs;           ///< program steps
};

/// Rows of two tables, largest change first.
struct TotalDifferences {
    std::vector<TotalDifference> changed; ///< also what only one of the runs has
    std::int64_t unchanged = 0;           ///< rows that take as many cycles in both
    Difference unchanged_cycles;          ///< of these together
};

/// The totals of two runs, or of two parts of runs, side by side, in tile cycles of each. Each table of rows
/// adds up to the `phases` of both sides.
struct RangeDifference {
    profile::PhaseCycles base_phases, now_phases;
    std::array<Difference, time_kinds.size()> kinds; ///< in the order of time_kinds
    Difference cycles;                               ///< all of them
    TotalDifferences operations, layers, programs;
};
/// `steps`: as match_steps() gives them.
RangeDifference range_difference(const RangeTotals& base, const RangeTotals& now, const Matching& matching,
                                 const std::map<std::int64_t, std::int64_t>& steps);

} // namespace tilescope::analyse
