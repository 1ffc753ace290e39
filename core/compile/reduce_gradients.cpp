// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "compile/passes.h"
#include "reordering.h"

#include <map>
#include <utility>
#include <vector>

namespace tilescope::compile {

using graph::Operation;
using graph::Source;
using graph::ValueId;

Result<std::string> reduce_gradients(Compilation& c) {
    graph::Graph& graph = c.graph();
    const std::int64_t batches = c.options.schedule.batches_per_update();
    if (batches == 1 || !graph.training)
        return std::string("one batch for each update");
    const std::size_t before = graph.operations().size();
    Reordering order(c);
    const graph::GradientReduction reduction = graph.training->reduction;
    const bool mean = reduction == graph::GradientReduction::Mean;
    const double scale = mean ? 1.0 / static_cast<double>(batches) : 1.0;
    // New operations come before those that use them, but what accumulates a gradient behind what makes it.
    std::map<std::int32_t, std::vector<Operation>> accumulating; // by the operation behind which it comes
    TRY(auto ordered, order.each([&](Operation& op) -> Result<void> {
        graph::Builder& build = order.build;
        for (ValueId& input : op.inputs) {
            const graph::Value value = graph.value(input);
            if (op.phase != Phase::Update || value.source != Source::Operation ||
                graph.operation(value.producer).phase == Phase::Update)
                continue;
            build.scope.placement = graph.operation(value.producer).placement;
            if (c.options.schedule.accumulation > 1) {
                build.scope.phase = Phase::Backward;
                TRY(const ValueId accumulator,
                    build.variable(op.name + "/accumulator", graph::InitialValue::filled(value.type, 0),
                                   false));
                TRY(input, build.emit("accumulate", {accumulator, input}, {}, op.name + "/accumulate"));
                accumulating[value.producer.value].push_back(graph.operation(graph.value(input).producer));
            }
            if (c.options.schedule.replicas == 1 && !mean)
                continue; // the accumulator has the sum, or the running mean
            build.scope.phase = Phase::Update;
            TRY(input, order.emit("all_reduce", {input},
                                  {{"replicas", static_cast<std::int64_t>(c.options.schedule.replicas)},
                                   {"scale", scale}},
                                  op.name + "/all_reduce"));
        }
        order.place(std::move(op));
        return {};
    }));
    std::vector<Operation> placed;
    for (Operation& op : ordered) {
        const std::int32_t id = op.id.value;
        placed.push_back(std::move(op));
        for (Operation& next : accumulating[id])
            placed.push_back(std::move(next));
    }
    graph.set_operations(std::move(placed));
    return change(before, graph.operations().size(), "operations");
}

} // namespace tilescope::compile
