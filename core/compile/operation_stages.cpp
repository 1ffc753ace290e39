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

} // namespace tilescope::compile
