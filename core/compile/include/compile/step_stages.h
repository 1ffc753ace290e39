// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"
#include "profile/kinds.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::compile {

/// What a program step is to the stages of a pipeline. This is the one rule: the clock goes by it, and the
/// profile has it as columns of `program`.
struct StepStage {
    /// Of a leaf that does it, of a copy that sends; of what has steps in it that all of them are of, where a
    /// copy counts for the one that it comes to. -1: none, several, or in an update all stages.
    std::int32_t stage = -1;
    std::int32_t peer_stage = -1; ///< of a copy: that it comes to. Both ends are busy with it
    /// Of a leaf: as what it counts. nullopt: it is none of the time of a stage, as what I/O tiles do beside
    /// the passes and the wait for them.
    std::optional<profile::PipelineActivity> activity;
};

/// By program step; of no stage where there is no pipeline.
std::vector<StepStage> step_stages(const Executable& executable);

} // namespace tilescope::compile
