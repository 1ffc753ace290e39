// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/graph_cost.h"

namespace tilescope::analyse {
namespace {

LiveBytes held(const std::map<std::int64_t, LiveBytes>& bytes, std::int64_t id) {
    const auto found = bytes.find(id);
    return found == bytes.end() ? LiveBytes{} : found->second;
}

} // namespace

GraphCost together(std::span<const GraphCost* const> parts) {
    GraphCost sum;
    for (const GraphCost* part : parts) {
        sum.time += part->time;
        sum.bytes += part->bytes;
    }
    return sum;
}

Cost together(std::span<const Cost* const> parts) {
    Cost sum;
    for (const Cost* part : parts)
        sum += *part;
    return sum;
}

GraphCost cost_of_operation(const Costs& costs, const LiveVariables& live, std::int64_t id) {
    return {costs.operation(id), held(live.by_operation, id)};
}

GraphCost cost_of_source(const LiveVariables& live, std::int64_t tensor) {
    return {{}, held(live.by_tensor, tensor)};
}

GraphCost cost_of_graph(const Costs& costs, const LiveVariables& live,
                        const std::vector<profile::OperationRecord>& operations) {
    GraphCost all{{}, live.all};
    for (const profile::OperationRecord& operation : operations)
        all.time += costs.operation(operation.id);
    return all;
}

std::int64_t bytes_along(const std::vector<profile::TensorRecord>& tensors,
                         std::span<const std::size_t> line) {
    std::int64_t bytes = 0;
    for (const std::size_t tensor : line)
        bytes += tensors.at(tensor).bytes;
    return bytes;
}

} // namespace tilescope::analyse
