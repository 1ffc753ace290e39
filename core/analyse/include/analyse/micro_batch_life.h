// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// A pass of a micro-batch, in cycles, and what lies between the pass before it and this one: copies are the
/// cycles in which the stage of the pass before copies, whatever it copies, and waiting is the rest.
struct LifePass {
    profile::PipelineSlotRecord pass;
    std::int64_t copied = 0;
    std::int64_t waited = 0;
    /// Since its forward pass on this stage ended: so long its activations are kept, in a stash where there
    /// is one. nullopt: it is a forward pass, or goes on from the recomputation.
    std::optional<std::int64_t> kept;
};

/// The way of a micro-batch through a weight update. cycles = work + copies + waiting.
struct MicroBatchLife {
    std::vector<LifePass> passes; ///< in order of time
    std::int64_t work = 0;
    std::int64_t copies = 0;
    std::int64_t waiting = 0;
    std::int64_t cycles() const { return work + copies + waiting; } ///< from the first pass to the last
};
/// `records` by stage and time, as Profile::pipeline_slots gives them. No passes where it has none.
MicroBatchLife micro_batch_life(const std::vector<profile::PipelineSlotRecord>& records,
                                std::int64_t micro_batch);

} // namespace tilescope::analyse
