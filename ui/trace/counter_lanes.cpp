// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "ui/trace/trace_lanes.h"

#include <algorithm>

namespace tilescope::ui {

Result<void> add_counters(std::vector<TimelineLane>& lanes, const profile::Profile& file,
                          const analyse::Counters& counters, const TraceWindow& window, double clock_hz,
                          const LaneChoice& wanted) {
    for (const LaneKind kind : LaneChoice::kinds) {
        const auto counter = counterOf(kind);
        if (!counter || !wanted.shows(window.ipu, kind) || counters.most(*counter) <= 0)
            continue;
        TimelineLane lane{kind, laneKindName(kind, false), {}, {}, -1, {}, {}};
        lane.curve.from = window.from;
        lane.curve.width = std::max<std::int64_t>(1, window.resolution);
        lane.curve.top = *counter == analyse::Counter::BusyTiles ? 1 : counters.most(*counter);
        lane.curve.clock_hz = clock_hz;
        const std::int64_t length = window.to - window.from;
        const auto count = static_cast<std::size_t>((length + lane.curve.width - 1) / lane.curve.width);
        TRY(lane.curve.stretches, file.trace_figure(window.ipu, window.from, lane.curve.width, count,
                                                    counters.figure(*counter, window.ipu)));
        lanes.push_back(std::move(lane));
    }
    return {};
}

} // namespace tilescope::ui
