// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/trace/trace_lanes.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tilescope::ui {

using Stretch = std::pair<std::int64_t, std::int64_t>; ///< cycles [first, second)

/// What loops in the window in turns of a few pixels and less (executions, weight updates or steps,
/// micro-batches of a pipeline), as stretches of the fewest whole turns that can be seen, in order. Pixels
/// and shorter stretches would beat against each other: those of a steady state would look as if they
/// differed.
std::vector<Stretch> whole_turns(const TraceTables& tables, const TraceWindow& window);

/// `slices` with those that begin in the same stretch as one, which therefore ends where the last of them
/// does; neighbours that are in none are one while it is shorter than `resolution`. Their cycles stay what
/// they are.
std::vector<profile::TraceSlice> joined(const std::vector<profile::TraceSlice>& slices,
                                        const std::vector<Stretch>& stretches, std::int64_t resolution);

/// Slices of a time line for the window, of whole turns where these are narrow. Errors: those of reading.
Result<std::vector<profile::TraceSlice>> seen_slices(const TraceTables& tables, const profile::Profile& file,
                                                     const TraceWindow& window);

} // namespace tilescope::ui
