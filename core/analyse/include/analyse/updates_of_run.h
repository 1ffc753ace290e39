// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <algorithm>
#include <cstdint>

namespace tilescope::analyse {

/// The weight updates of an engine run (without training: its steps), one after another.
struct UpdatesOfRun {
    std::int64_t count = 1;
    std::int64_t steps = 1;  ///< of each
    std::int64_t cycles = 0; ///< of each, on average, from the begin of the first to the end of the run
};
/// Of an engine run of so many cycles and steps that keeps to a schedule.
inline UpdatesOfRun updates_of_run(const profile::ScheduleSpan& schedule, std::int64_t cycles,
                                   std::int64_t steps) {
    const std::int64_t count = std::max<std::int64_t>(1, schedule.updates);
    return {count, std::max<std::int64_t>(1, steps / count), (cycles - schedule.first_step_cycle) / count};
}

} // namespace tilescope::analyse
