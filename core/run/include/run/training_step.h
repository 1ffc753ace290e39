// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"
#include "program/schedule.h"

#include <cstdint>
#include <vector>

namespace tilescope::run {

/// Micro-batches of a training that are computed together, one in each lane.
struct TrainingStep {
    /// What each lane's operations draw from. Masks are those that all micro-batches of the update would have
    /// as one batch.
    std::vector<graph::RandomState> random;
    bool ends_update = false; ///< the variables are updated behind it
};
/// `first`: the number of the first of these `lanes` micro-batches of all replicas since the training began;
/// all of them are of one update. `batch_size`: samples of a micro-batch. `kept`: an earlier step, whose
/// memory is taken.
TrainingStep training_step(std::int64_t first, std::int64_t lanes, const program::Schedule& schedule,
                           std::int64_t batch_size, std::uint64_t seed, StochasticRounding rounding,
                           TrainingStep kept = {});

} // namespace tilescope::run
