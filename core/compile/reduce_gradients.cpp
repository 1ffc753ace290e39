// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "compile/passes.h"
#include "emit_next.h"

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
    graph::Builder build(graph, c.registry);
    const graph::GradientReduction reduction = graph.training->reduction;
    const bool mean = reduction == graph::GradientReduction::Mean;
    const double scale = mean ? 1.0 / static_cast<double>(batches) : 1.0;
    // New operations come at the end; they are moved to before those that use them, what accumulates a
    // gradient to behind what makes it.
    std::vector<Operation> ordered;
    std::map<std::int32_t, std::vector<Operation>> accumulating; // by the operation behind which it comes
    const std::vector<Operation> operations = graph.operations();
    const auto add = [&](ValueId& value, const char* kind, const std::vector<ValueId>& inputs,
                         graph::Attributes attributes, const std::string& name) -> Result<void> {
        TRY(value, emit_next(build, graph, ordered, kind, inputs, std::move(attributes), name));
        return {};
    };
    for (Operation op : operations) {
        if (c.cancelled())
            return cancelled();
        for (ValueId& input : op.inputs) {
            const graph::Value value = graph.value(input);
            if (op.phase != Phase::Update || value.source != Source::Operation ||
                graph.operation(value.producer).phase == Phase::Update)
                continue;
            build.scope.layer = op.layer;
            build.scope.placement = graph.operation(value.producer).placement;
            if (c.options.schedule.accumulation > 1) {
                build.scope.phase = Phase::Backward;
                TRY(const ValueId accumulator,
                    build.variable(op.name + "/accumulator", graph::InitialValue::filled(value.type, 0),
                                   false));
                TRY(add(input, "accumulate", {accumulator, input}, {}, op.name + "/accumulate"));
                accumulating[value.producer.value].push_back(std::move(ordered.back()));
                ordered.pop_back();
            }
            if (c.options.schedule.replicas == 1 && !mean)
                continue; // the accumulator has the sum, or the running mean
            build.scope.phase = Phase::Update;
            TRY(add(input, "all_reduce", {input},
                    {{"replicas", static_cast<std::int64_t>(c.options.schedule.replicas)}, {"scale", scale}},
                    op.name + "/all_reduce"));
        }
        ordered.push_back(std::move(op));
    }
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
