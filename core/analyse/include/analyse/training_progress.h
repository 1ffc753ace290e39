// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <optional>

namespace tilescope::analyse {

/// Steps of one training epoch, 0 where that is not known yet.
std::int64_t steps_per_epoch(const profile::ProgressRecord& progress,
                             const profile::ExecutionTotals& training);
/// Wall time that the rest of training takes at the mean speed so far, seconds; nullopt before the first
/// execution and after the last. `progress`: of a run under way.
std::optional<double> training_seconds_left(const profile::ProgressRecord& progress,
                                            const profile::ExecutionTotals& training);

} // namespace tilescope::analyse
