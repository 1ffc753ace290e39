// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/pipeline.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <utility>

namespace tilescope::analyse {

/// What the cycles of a stage by activity (PipelineStage) are of: by stage and activity, the cycles of each
/// layer in one engine run; -1: operations of no layer. Divided by the weight
/// updates of an engine run, the layers of a stage's pass add up to its figure. Waiting and idling are of no
/// layer. Copies are of both of their stages.
using StageWork = std::map<std::pair<std::int64_t, PipelineActivity>, std::map<std::int64_t, std::int64_t>>;

/// Empty without a pipeline. Errors: those of reading.
Result<StageWork> stage_work(const profile::Profile& profile);

} // namespace tilescope::analyse
