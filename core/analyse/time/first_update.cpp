// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/first_update.h"

#include "analyse/costs.h"
#include "analyse/updates_of_run.h"
#include "base/try.h"

namespace tilescope::analyse {

Result<std::optional<std::pair<std::int64_t, std::int64_t>>> first_update(const profile::Profile& profile) {
    TRY(const auto kind, main_kind(profile));
    TRY(const auto executions, profile.executions());
    TRY(const auto schedules, profile.schedule_spans());
    for (const profile::ExecutionRecord& execution : executions)
        for (const profile::ScheduleSpan& schedule : schedules) {
            if (execution.kind != kind || schedule.schedule_id != execution.schedule_id)
                continue;
            const std::int64_t from = execution.start_cycle + schedule.first_step_cycle;
            return std::pair(from, from + updates_of_run(schedule, execution.cycles, execution.steps).cycles);
        }
    return std::nullopt;
}

} // namespace tilescope::analyse
