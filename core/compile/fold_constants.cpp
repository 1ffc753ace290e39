// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "compile/passes.h"
#include "graph/builder.h"
#include "operators/interpreter.h"

#include <utility>
#include <vector>

namespace tilescope::compile {

using graph::no_value;
using graph::Operation;
using graph::ValueId;

void fold_constants(graph::Graph& graph, const Compilation& c) {
    constexpr std::int64_t largest = 1 << 20; ///< elements: larger results would only move work into memory
    WorkerPool pool(1);
    const operators::Machine machine{c.registry, pool, kernels::best_kernels()};
    std::vector<ValueId> map = identity_map(graph);
    std::vector<Operation> kept;
    const std::vector<Operation> operations = graph.operations();
    for (Operation op : operations) {
        if (c.cancelled())
            return;
        std::vector<const graph::HostTensor*> inputs;
        for (ValueId& input : op.inputs) {
            input = entry(map, input);
            inputs.push_back(graph.constant(input));
        }
        const graph::Operator& kind = c.registry.at(op.kind);
        bool foldable = !kind.random && !kind.stateful && !inputs.empty() && op.outputs.size() == 1 &&
                        graph.type(op.outputs[0]).elements() <= largest;
        for (const auto* input : inputs)
            foldable = foldable && input != nullptr;
        if (!foldable) {
            kept.push_back(std::move(op));
            continue;
        }
        std::vector<graph::HostTensor> results =
            operators::computed(kind, inputs, {graph.type(op.outputs[0])}, op.attributes, machine);
        graph::Builder build(graph, c.registry);
        build.scope.layer = op.layer;
        entry(map, op.outputs[0]) = build.constant(op.name, std::move(results[0]));
    }
    graph.set_operations(std::move(kept));
    map.resize(graph.values().size(), no_value);
    for (std::size_t i = 0; i < map.size(); ++i)
        if (map[i] == no_value)
            map[i] = ValueId(static_cast<std::int32_t>(i));
    replace_values(graph, map);
}

} // namespace tilescope::compile
