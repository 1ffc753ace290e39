// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/operation_stages.h"

#include "base/entry.h"

#include <algorithm>

namespace tilescope::compile {

std::vector<std::int32_t> operation_stages(const graph::Graph& graph) {
    std::vector<std::int32_t> stages;
    std::vector<std::int32_t> homes(graph.values().size(), -1); // what an operation makes, or reads first
    for (const graph::Operation& op : graph.operations()) {
        std::int32_t stage = op.placement.shard;
        for (const graph::ValueId input : op.inputs)
            stage = stage < 0 ? entry(homes, input) : stage;
        stage = std::max(stage, 0);
        for (const graph::ValueId input : op.inputs)
            if (std::int32_t& home = entry(homes, input); home < 0)
                home = stage;
        for (const graph::ValueId output : op.outputs)
            entry(homes, output) = stage;
        stages.push_back(stage);
    }
    return stages;
}

std::int32_t stage_on(const program::Schedule& schedule, std::int32_t stage, std::int32_t ipu) {
    if (stage >= 0 && schedule.ipu_of(stage) == ipu)
        return stage;
    const std::vector<std::int32_t>& ipus = schedule.stage_ipus;
    const auto first = std::find(ipus.begin(), ipus.end(), ipu);
    return first == ipus.end() ? ipu : static_cast<std::int32_t>(first - ipus.begin());
}

} // namespace tilescope::compile
