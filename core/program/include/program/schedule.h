// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "program/pipeline_schedule.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::program {

/// How often the parts of a model run in one engine run: the same value from the workload to the clock.
struct Schedule {
    std::int64_t steps_per_execution = 1;     ///< batches of all replicas, as Keras counts steps
    std::int32_t replicas = 1;                ///< of the model, each on IPUs of its own
    std::int32_t ipus_per_replica = 1;        ///< that the model's shards or stages may use
    std::int64_t accumulation = 1;            ///< batches of one replica (micro-batches) for each round
    std::optional<PipelineSchedule> pipeline; ///< of the shards, which are its stages; else they work in turn
    /// By shard: the IPU of its replica that runs it; empty: the one of its number.
    std::vector<std::int32_t> stage_ipus = {};

    /// Batches whose gradients make one weight update.
    std::int64_t batches_per_update() const { return replicas * accumulation; }
    /// Times that the loop within an engine run is gone through: its weight updates, where it trains.
    std::int64_t updates_per_execution() const { return steps_per_execution / batches_per_update(); }
    std::int32_t ipu_of(std::int32_t shard) const {
        const auto s = static_cast<std::size_t>(shard);
        return s < stage_ipus.size() ? stage_ipus[s] : shard;
    }
    /// Whether the stages of a pipeline work on different micro-batches at a time.
    bool stages_overlap() const { return pipeline && *pipeline != PipelineSchedule::Sequential; }
    std::int32_t ipus() const { return replicas * ipus_per_replica; }
};

} // namespace tilescope::program
