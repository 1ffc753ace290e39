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
    const double waiting = static_cast<double>(update.all_stages()[PipelineActivity::Waiting]);
    const auto count = static_cast<double>(update.stages.size());
    pace.even_cycles = static_cast<double>(update.cycles) - (count > 0 ? waiting / count : 0);
    return pace;
}

} // namespace tilescope::analyse
