// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tilescope::analyse {

/// Share of the weight update that a stage which sets the pace waits, at most.
inline constexpr double most_wait_of_pace = 0.02;

/// Who sets the pace of a pipeline, and what it would take if all had as much to do.
struct PipelinePace {
    std::vector<std::int64_t> stages; ///< that do (most_wait_of_pace); empty: there are none
    /// Share of the time of the others that they wait: of the engine runs, copies included, where these are
    /// known; else within the slots. 0: there are none.
    double others_wait = 0;
    double even_cycles = 0; ///< of the weight update, without PipelineUpdate::uneven_cycles
};
/// `update`: by IPU where IPUs have several stages; then `stages` are IPUs. `of_runs`: phases of the engine
/// runs, by its stages.
PipelinePace pipeline_pace(const PipelineUpdate& update,
                           const std::map<std::int64_t, profile::PhaseCycles>& of_runs = {});

} // namespace tilescope::analyse
