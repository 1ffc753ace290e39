// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "compile/passes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilescope::compile {

using graph::Operation;
using graph::ValueId;

void merge_common_subexpressions(graph::Graph& graph, const Compilation& c) {
    std::vector<ValueId> map = identity_map(graph);

    std::map<std::string, ValueId> constants; // equal constants are one
    for (const graph::Constant& constant : graph.constants) {
        if (constant.tensor.elements() > 64)
            continue;
        std::string key = graph::to_string(constant.tensor.type());
        for (std::int64_t i = 0; i < constant.tensor.elements(); ++i)
            key += "," + std::to_string(constant.tensor.at(i)) + "/" +
                   std::to_string(std::hash<double>{}(constant.tensor.at(i)));
        entry(map, constant.value) = constants.emplace(key, constant.value).first->second;
    }
    std::set<std::int32_t> left; // in variables, by the step
    for (const graph::Variable& variable : graph.variables)
        left.insert(variable.next.value);
    const std::int64_t batches = c.options.schedule.batches_per_update();
    std::map<std::string, std::vector<ValueId>> seen;
    std::vector<Operation> kept;
    for (Operation op : graph.operations()) {
        if (c.cancelled())
            return;
        std::string key = op.kind + op.attributes.json();
        for (ValueId& input : op.inputs) {
            input = entry(map, input);
            key += "," + std::to_string(input.value);
        }
        key += "@" + op.placement.device + "/" + std::to_string(op.placement.shard);
        // What an update takes from its batches, their gradients, is added up over them: what it computes
        // itself must not become theirs.
        // What it leaves in a variable must not be there before it reads the variable.
        const bool leaves = std::any_of(op.outputs.begin(), op.outputs.end(),
                                        [&](ValueId output) { return left.contains(output.value); });
        if (op.phase == Phase::Update && (batches > 1 || leaves))
            key += "/update";
        if (const graph::Operator& kind = c.registry.at(op.kind); !kind.random && !kind.stateful) {
            const auto [found, fresh] = seen.emplace(key, op.outputs);
            if (!fresh) {
                for (std::size_t k = 0; k < op.outputs.size(); ++k)
                    entry(map, op.outputs[k]) = found->second[k];
                continue;
            }
        }
        kept.push_back(std::move(op));
    }
    graph.set_operations(std::move(kept));
    replace_values(graph, map);
}

} // namespace tilescope::compile
