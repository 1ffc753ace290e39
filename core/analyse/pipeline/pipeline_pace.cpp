// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/pipeline_pace.h"

namespace tilescope::analyse {

PipelinePace pipeline_pace(const PipelineUpdate& update) {
    PipelinePace pace;
    PipelineCycles others;
    for (const PipelineStage& stage : update.stages)
        if (stage.cycles.share(PipelineActivity::Waiting) <= most_wait_of_pace)
            pace.stages.push_back(stage.stage);
        else
            others += stage.cycles;
    pace.others_wait = others.share(PipelineActivity::Waiting);
    pace.even_cycles = static_cast<double>(update.cycles) - update.uneven_cycles;
    return pace;
}

} // namespace tilescope::analyse
