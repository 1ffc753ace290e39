// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/engine_run_range.h"

#include <algorithm>
#include <string>

namespace tilescope::profile {

std::optional<ExecutionGroupRecord> part_of(const ExecutionGroupRecord& group, std::int64_t first,
                                            std::int64_t last) {
    const std::int64_t from = std::max(first, group.id);
    const std::int64_t to = std::min(last, group.id + group.count - 1);
    if (from > to)
        return std::nullopt;
    ExecutionGroupRecord part = group;
    const std::int64_t skipped = from - group.id;
    part.id = from;
    part.count = to - from + 1;
    part.start_cycle += skipped * group.period_cycles;
    if (group.executions_per_epoch == 0) {
        part.first_step += skipped * group.steps;
    } else {
        const std::int64_t index = group.first_step / std::max<std::int64_t>(group.steps, 1) + skipped;
        part.epoch += index / group.executions_per_epoch;
        part.first_step = index % group.executions_per_epoch * group.steps;
    }
    return part;
}

Failure no_engine_run(const std::vector<ExecutionGroupRecord>& groups, std::int64_t first,
                      std::int64_t last) {
    return bad_input("the range has no engine run", std::to_string(first) + ":" + std::to_string(last),
                     groups.empty() ? "the profile has none"
                                    : "the profile has 0 to " +
                                          std::to_string(groups.back().id + groups.back().count - 1));
}

} // namespace tilescope::profile
