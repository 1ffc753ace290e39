// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/pipeline_pace.h"

#include <algorithm>

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
    std::int64_t least = update.stages.empty() ? 0 : update.stages.front().cycles[PipelineActivity::Waiting];
    for (const PipelineStage& stage : update.stages)
        least = std::min(least, stage.cycles[PipelineActivity::Waiting]);
    const auto all = static_cast<double>(update.all_stages()[PipelineActivity::Waiting]);
    const auto count = static_cast<double>(std::max<std::size_t>(update.stages.size(), 1));
    pace.uneven_cycles = all / count - static_cast<double>(least);
    pace.even_cycles = static_cast<double>(update.cycles) - pace.uneven_cycles;
    return pace;
}

} // namespace tilescope::analyse
