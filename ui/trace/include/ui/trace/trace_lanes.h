// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_lane.h"
#include "ui/trace/lane_choice.h"
#include "ui/trace/trace_tables.h"

#include <cstdint>
#include <set>
#include <vector>

namespace tilescope::ui {

/// What Profile::trace was asked for, and gave.
struct TraceWindow {
    std::int64_t ipu = 0;
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t resolution = 0;
    std::vector<profile::TraceSlice> slices;
};

/// Reads the program for slices that have names of it.
Result<void> read_names(const TraceTables& tables, const profile::Profile& file,
                        const std::vector<profile::TraceSlice>& slices);

/// Lanes of one IPU: execution, step or weight update, micro-batch of a pipeline, layer, operation, program
/// step, phases. Neighbours that belong to the same layer or operation are one slice; what was merged and
/// belongs to several has no label. Names are those that were read.
std::vector<TimelineLane> trace_lanes(const TraceTables& tables, const TraceWindow& window);

/// The rest of a path below `parent`, which the lane above shows.
QString within(const QString& path, const QString& parent);

/// A program step as the lane of program steps has it.
TimelineSlice program_slice(const TraceTables& tables, const profile::TraceSlice& row);

/// Lanes of the host: when it launches engine runs, and its streams from and to each IPU that has any.
Result<std::vector<TimelineLane>> host_lanes(const TraceTables& tables, const profile::Profile& file,
                                             const TraceWindow& window);

/// A lane for each link that something was sent over by an IPU that is shown: the bytes that go over it. What
/// they end with is the most of any link at any time.
Result<std::vector<TimelineLane>> link_lanes(const TraceTables& tables, const profile::Profile& file,
                                             const TraceWindow& window, const LaneChoice& wanted);

/// Adds a lane for each counter of the IPU that is known of any step and shown.
Result<void> add_counters(std::vector<TimelineLane>& lanes, const profile::Profile& file,
                          const analyse::Counters& counters, const TraceWindow& window, double clock_hz,
                          const LaneChoice& wanted);

} // namespace tilescope::ui
