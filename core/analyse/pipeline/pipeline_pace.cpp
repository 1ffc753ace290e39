// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/pipeline_pace.h"

#include "analyse/phases.h"

namespace tilescope::analyse {

PipelinePace pipeline_pace(const PipelineUpdate& update,
                           const std::map<std::int64_t, profile::PhaseCycles>& of_runs) {
    PipelinePace pace;
    PipelineCycles others;
    profile::PhaseCycles ran;
    for (const PipelineStage& stage : update.stages)
        if (stage.cycles.share(PipelineActivity::Waiting) <= most_wait_of_pace) {
            pace.stages.push_back(stage.stage);
        } else {
            others += stage.cycles;
            if (const auto found = of_runs.find(stage.stage); found != of_runs.end())
                ran += found->second;
        }
    pace.others_wait =
        phase_share(ran, &profile::PhaseCycles::waiting).value_or(others.share(PipelineActivity::Waiting));
    pace.even_cycles = static_cast<double>(update.cycles) - update.uneven_cycles;
    return pace;
}

} // namespace tilescope::analyse
