// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/flops.h"

#include "graph/scan.h"

namespace tilescope::graph {
namespace {

std::vector<TensorType> types_of(const Graph& graph, const std::vector<ValueId>& ids) {
    std::vector<TensorType> types;
    types.reserve(ids.size());
    for (const ValueId id : ids)
        types.push_back(graph.type(id));
    return types;
}

} // namespace

std::int64_t flops_of(const Graph& graph, const Operation& operation, const OperatorRegistry& registry) {
    if (operation.kind == "scan") {
        const Scan scan(operation.attributes);
        std::int64_t sum = 0;
        for (const Operation& op : scan.body->operations())
            sum += flops_of(*scan.body, op, registry);
        return sum * scan.steps;
    }
    const Operator& kind = registry.at(operation.kind);
    const std::vector<TensorType> outputs = types_of(graph, operation.outputs);
    const std::int64_t flops =
        kind.flops         ? kind.flops(types_of(graph, operation.inputs), outputs, operation.attributes)
        : kind.elementwise ? outputs.at(0).elements()
                           : 0;
    return flops / operation.attributes.integer("shares", 1); // of one replica
}

} // namespace tilescope::graph
