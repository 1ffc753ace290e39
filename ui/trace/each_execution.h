// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/trace/trace_lanes.h"

#include <algorithm>
#include <cstdint>

namespace tilescope::ui {

/// Calls `visit(group, first, count)` for the executions of the window, for as many at once as are shorter
/// together than `shortest` cycles.
template<class Visit>
void each_execution(const TraceTables& tables, const TraceWindow& window, std::int64_t shortest,
                    const Visit& visit) {
    for (const profile::ExecutionGroupRecord& group : tables.executions) {
        if (group.end_cycle() <= window.from || group.start_cycle >= window.to)
            continue;
        const std::int64_t most =
            group.cycles < shortest ? 1 + (shortest - 1 - group.cycles) / group.period() : std::int64_t{1};
        std::int64_t first = group.index_at(window.from);
        for (first -= first % most; first < group.begun_before(window.to); first += most)
            visit(group, first, std::min(most, group.count - first));
    }
}

} // namespace tilescope::ui
