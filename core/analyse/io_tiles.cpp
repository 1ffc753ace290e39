// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/io_tiles.h"

#include "base/try.h"

#include <map>

namespace tilescope::analyse {

bool is_io_wait(const StepWork& work) {
    return work.role == StepRole::Host && work.verb == "wait";
}

Result<IoTiles> io_tiles(const profile::Profile& profile, profile::ExecutionKind kind) {
    TRY(const auto programs, profile.device_programs());
    TRY(const auto schedules, profile.schedule_io());
    TRY(const auto groups, profile.execution_groups());
    IoTiles result;
    if (!programs.empty())
        result.tiles = programs.front().io_tiles;
    std::map<std::int64_t, std::int64_t> runs; // by schedule
    for (const profile::ExecutionGroupRecord& group : groups)
        if (group.kind == kind)
            runs[group.schedule_id] += group.count;
    for (const profile::ScheduleIoRecord& row : schedules)
        if (const auto found = runs.find(row.schedule_id); found != runs.end()) {
            result.cycles += row.cycles * found->second;
            result.hidden_cycles += row.hidden_cycles * found->second;
        }
    return result;
}

} // namespace tilescope::analyse
