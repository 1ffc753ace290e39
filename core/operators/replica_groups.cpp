// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/replica_groups.h"

#include "base/try.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <cstddef>
#include <numeric>
#include <vector>

namespace tilescope::operators {
namespace {

void mean_of_group(std::span<graph::ComputeContext> lanes) {
    const double share = 1 / static_cast<double>(lanes.size());
    for (std::size_t i = 0; i < lanes[0].outputs.size(); ++i) {
        const std::size_t count = lanes[0].outputs[i]->floats().size();
        for (std::size_t k = 0; k < count; ++k) {
            double sum = 0;
            for (const graph::ComputeContext& c : lanes)
                sum += static_cast<double>(c.inputs[i]->floats()[k]);
            for (const graph::ComputeContext& c : lanes)
                c.outputs[i]->floats()[k] = static_cast<float>(sum * share);
        }
    }
}

Result<std::vector<graph::TensorType>> infer_each(std::span<const graph::TensorType> in,
                                                  const graph::Attributes&) {
    return std::vector<graph::TensorType>(in.begin(), in.end());
}

} // namespace

OfGroup of_group(const std::string& kind) {
    return kind == "group_moments" ? moments_of_group : kind == "group_mean" ? mean_of_group : nullptr;
}

std::int64_t replicas_of_group(const graph::Graph& graph) {
    std::int64_t count = 1;
    for (const graph::Operation& op : graph.operations())
        if (of_group(op.kind) != nullptr)
            count = std::lcm(count, op.attributes.integer(group_attribute, 1));
    return count;
}

void add_replica_group_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "group_mean";
    op.summary = "y = the mean of x over `group` replicas, the same on each of them; of several x at once.";
    op.infer = of_floats(infer_each);
    op.compute = [](graph::ComputeContext& c) { mean_of_group({&c, 1}); };
    // That of the sum, `group` times the mean, is the sum of the replicas' gradients, as in IPU TensorFlow
    // (python/ipu/ops/cross_replica_ops_grad.py).
    op.gradient = [](graph::GradientContext& g) -> Result<std::vector<graph::ValueId>> {
        std::vector<graph::ValueId> given = g.output_gradients;
        for (std::size_t i = 0; i < given.size(); ++i)
            if (const graph::ValueId y = g.operation.outputs[i]; given[i] == graph::no_value) {
                TRY(given[i], g.build.emit("subtract", {y, y}));
            }
        return g.build.add("group_mean", given, g.operation.attributes);
    };
    op.stateful = true; // the other replicas of the group compute it at the same time
    registry.add(std::move(op));
}

} // namespace tilescope::operators
