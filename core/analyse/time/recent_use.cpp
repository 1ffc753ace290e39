// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/recent_use.h"

#include "base/try.h"

#include <algorithm>
#include <cmath>

namespace tilescope::analyse {

Result<std::optional<RecentUse>> recent_use(const profile::Profile& profile, double seconds) {
    TRY(const auto groups, profile.execution_groups());
    TRY(const auto on_ipus, profile.schedule_ipus());
    RecentUse use;
    std::map<std::int64_t, std::int64_t> runs; // by schedule
    for (auto group = groups.rbegin(); group != groups.rend() && use.seconds < seconds; ++group) {
        const double all = static_cast<double>(group->wall_us) * 1e-6;
        const double each = all / static_cast<double>(std::max<std::int64_t>(group->count, 1));
        std::int64_t count = group->count;
        if (all > seconds - use.seconds && each > 0)
            count = std::min(count, static_cast<std::int64_t>(std::ceil((seconds - use.seconds) / each)));
        use.seconds += each * static_cast<double>(count);
        use.executions += count;
        runs[group->schedule_id] += count;
    }
    if (use.seconds <= 0)
        return std::optional<RecentUse>();
    for (const profile::ScheduleIpuRecord& on : on_ipus)
        if (const auto found = runs.find(on.schedule_id); found != runs.end())
            use.by_ipu[on.ipu] +=
                profile::PhaseCycles{on.compute, on.exchange, on.sync, on.inter_ipu, on.host, on.waiting}
                    .times(found->second);
    return std::optional(std::move(use));
}

} // namespace tilescope::analyse
