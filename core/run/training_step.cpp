// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/training_step.h"

#include <utility>

namespace tilescope::run {

TrainingStep training_step(std::int64_t first, std::int64_t lanes, const program::Schedule& schedule,
                           std::int64_t batch_size, std::uint64_t seed, StochasticRounding rounding,
                           TrainingStep kept) {
    const std::int64_t batches = schedule.batches_per_update();
    const std::int64_t of_update = first % batches;
    TrainingStep step = std::move(kept);
    step.random.clear();
    for (std::int64_t lane = 0; lane < lanes; ++lane)
        step.random.push_back({seed, static_cast<std::uint64_t>(first / batches),
                               (of_update + lane) * batch_size, true, rounding});
    step.ends_update = of_update + lanes == batches;
    return step;
}

} // namespace tilescope::run
