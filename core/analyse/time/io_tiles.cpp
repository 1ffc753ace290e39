// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/io_tiles.h"

#include "base/host_work.h"
#include "base/try.h"

#include <algorithm>

namespace tilescope::analyse {

bool is_io_wait(const StepWork& work) {
    return is_host_work(work, HostWork::Wait);
}

Result<IoTiles> io_tiles(const profile::Profile& profile, profile::ExecutionKind kind) {
    TRY(const auto programs, profile.device_programs());
    TRY(const auto schedules, profile.schedule_io());
    TRY(const auto groups, profile.execution_groups());
    IoTiles result;
    if (!programs.empty())
        result.tiles = programs.front().io_tiles;
    for (const profile::ExecutionGroupRecord& group : groups)
        for (const profile::ScheduleIoRecord& row : schedules) {
            if (group.kind != kind || row.schedule_id != group.schedule_id)
                continue;
            const std::int64_t runs = std::max<std::int64_t>(group.count, 1);
            if (row.hidden_cycles < 0 || row.hidden_cycles > row.cycles ||
                row.cycles > profile::most_cycles / runs - result.cycles)
                return bad_input("the file is damaged: I/O tiles exchange for longer than any can",
                                 profile.path(), "record the run again");
            result.cycles += row.cycles * runs;
            result.hidden_cycles += row.hidden_cycles * runs;
        }
    return result;
}

} // namespace tilescope::analyse
