// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/try.h"
#include "compile/operation_stages.h"
#include "compile/passes.h"
#include "graph/update.h"
#include "reordering.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tilescope::compile {

using graph::Operation;
using graph::Source;
using graph::ValueId;

namespace {

/// What is added to an accumulator: the gradient, or where stages of a pipeline that work on different
/// micro-batches have their parts of it, each part (IPU TensorFlow,
/// driver/passes/pipeline_gradient_accumulation_optimizer.cc).
class Parts {
  public:
    Parts(const graph::Graph& graph, const program::Schedule& schedule)
        : graph_(graph), overlap_(schedule.stages_overlap()), stages_(operation_stages(graph)) {}

    std::vector<ValueId> of(ValueId gradient) const {
        const Operation& sum = graph_.operation(graph_.value(gradient).producer);
        if (!overlap_ || sum.kind != "add" || sum.inputs.size() != 2)
            return {gradient};
        std::vector<ValueId> parts;
        for (const ValueId input : sum.inputs) {
            if (graph_.value(input).source != Source::Operation ||
                graph_.type(input) != graph_.type(gradient))
                return {gradient};
            for (const ValueId part : of(input))
                parts.push_back(part);
        }
        std::sort(parts.begin(), parts.end(),
                  [&](ValueId a, ValueId b) { return graph_.value(a).producer < graph_.value(b).producer; });
        const bool one = std::all_of(parts.begin(), parts.end(),
                                     [&](ValueId part) { return stage_of(part) == stage_of(parts[0]); });
        return one ? std::vector<ValueId>{gradient} : parts;
    }

  private:
    std::int32_t stage_of(ValueId id) const { return entry(stages_, graph_.value(id).producer); }

    const graph::Graph& graph_;
    bool overlap_;
    std::vector<std::int32_t> stages_;
};

} // namespace

Result<std::string> reduce_gradients(Compilation& c) {
    graph::Graph& graph = c.graph();
    const std::int64_t batches = c.options.schedule.batches_per_update();
    const auto& operations = graph.operations();
    if (batches == 1 ||
        (!graph.training && std::none_of(operations.begin(), operations.end(), graph::is_sum_for_the_host)))
        return std::string("one batch for each update");
    const std::size_t before = operations.size();
    const Parts parts(graph, c.options.schedule);
    Reordering order(c);
    const bool mean = graph.training && graph.training->reduction == graph::GradientReduction::Mean;
    const double scale = mean ? 1.0 / static_cast<double>(batches) : 1.0;
    std::map<ValueId, ValueId> together; // gradients that several operations read, and what is made of each
    // New operations come before those that use them, but what accumulates a gradient behind what makes it.
    std::map<std::int32_t, std::vector<Operation>> accumulating; // by the operation behind which it comes
    TRY(auto ordered, order.each([&](Operation& op) -> Result<void> {
        graph::Builder& build = order.build;
        for (ValueId& input : op.inputs) {
            const graph::Value value = graph.value(input);
            if (op.phase != Phase::Update || value.source != Source::Operation ||
                graph.operation(value.producer).phase == Phase::Update)
                continue;
            const ValueId gradient = input;
            if (const auto known = together.find(gradient);
                known != together.end() && !is_sum_for_the_host(op)) {
                input = known->second;
                continue;
            }
            const Phase made_in = graph.operation(value.producer).phase;
            build.scope.placement = graph.operation(value.producer).placement;
            if (c.options.schedule.accumulation > 1) {
                build.scope.phase = is_sum_for_the_host(op) ? made_in : Phase::Backward;
                TRY(const ValueId accumulator,
                    build.variable(op.name + "/accumulator", graph::InitialValue::filled(value.type, 0),
                                   false));
                ValueId sum = accumulator;
                for (const ValueId part : is_sum_for_the_host(op) ? std::vector{input} : parts.of(input)) {
                    const graph::OpId made_by = graph.value(part).producer;
                    build.scope.placement = graph.operation(made_by).placement;
                    TRY(sum, build.emit("accumulate", {sum, part}, {}, op.name + "/accumulate"));
                    accumulating[made_by.value].push_back(graph.operation(graph.value(sum).producer));
                }
                input = sum;
            }
            if (is_sum_for_the_host(op))
                continue;
            together[gradient] = input;
            if (c.options.schedule.replicas == 1 && !mean)
                continue; // the accumulator has the sum, or the running mean
            build.scope.phase = Phase::Update;
            TRY(input, order.emit("all_reduce", {input},
                                  {{"replicas", static_cast<std::int64_t>(c.options.schedule.replicas)},
                                   {"scale", scale}},
                                  op.name + "/all_reduce"));
            together[gradient] = input;
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
