// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/training_progress.h"

#include <algorithm>

namespace tilescope::analyse {

std::int64_t steps_per_epoch(const profile::ProgressRecord& progress,
                             const profile::ExecutionTotals& training) {
    return std::max(training.steps_per_epoch,
                    progress.activity == profile::RunActivity::Train ? progress.steps : 0);
}

std::optional<double> training_seconds_left(const profile::ProgressRecord& progress,
                                            const profile::ExecutionTotals& training) {
    const std::int64_t left = progress.epochs * steps_per_epoch(progress, training) - training.steps;
    if (progress.activity != profile::RunActivity::Train || training.steps == 0 || left <= 0)
        return {};
    return static_cast<double>(training.wall_us) * 1e-6 / static_cast<double>(training.steps) *
           static_cast<double>(left);
}

} // namespace tilescope::analyse
