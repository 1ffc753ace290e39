// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/try.h"
#include "compile/passes.h"
#include "graph/builder.h"

#include <map>

namespace tilescope::compile {

using graph::Operation;
using graph::Source;
using graph::ValueId;

namespace {

/// In a pipeline each variable is on one IPU: PopART copies none to another ("all pipeline stages using this
/// tensor should be on the same graph", willow/src/transforms/pipeline.cpp), and IPU TensorFlow wants the
/// stages of a variable on one (python/ipu/ops/pipelining_ops.py).
Result<void> check_variables(const graph::Graph& graph, const program::Schedule& schedule) {
    std::map<std::int32_t, std::int32_t> stages; // by value: the first that reads the variable
    for (const Operation& op : graph.operations())
        for (const ValueId input : op.inputs) {
            if (graph.value(input).source != Source::Variable || op.placement.shard < 0 ||
                op.phase == Phase::Update)
                continue;
            const std::int32_t stage = op.placement.shard;
            const std::int32_t first = stages.try_emplace(input.value, stage).first->second;
            if (schedule.ipu_of(first) != schedule.ipu_of(stage))
                return bad_input(
                    "variable \"" + graph.value(input).name + "\" is read by stage " + std::to_string(first) +
                        " on IPU " + std::to_string(schedule.ipu_of(first)) + " and by stage " +
                        std::to_string(stage) + " on IPU " + std::to_string(schedule.ipu_of(stage)) +
                        ": in a pipeline it is on one IPU",
                    graph.name,
                    "put the layers that share it on one IPU (pipeline.stages or "
                    "pipeline.device_mapping)");
        }
    return {};
}

} // namespace

Result<std::string> verify(Compilation& c) {
    const graph::Graph& graph = c.graph();
    if (graph.operations().empty())
        return bad_input("the graph has no operations", graph.name, "give it at least one node");
    if (graph.fetches.empty())
        return bad_input("the graph fetches nothing", graph.name, "name an output, a loss or a metric");
    for (const graph::Value& value : graph.values())
        if (const auto size = graph::check_size(value.type.shape); !size)
            return bad_input(size.error().message, value.name, size.error().remedy);
    if (c.options.schedule.pipeline)
        TRY(check_variables(graph, c.options.schedule));
    for (const Operation& op : graph.operations()) {
        if (c.cancelled())
            return cancelled();
        const graph::Operator* kind = c.registry.find(op.kind);
        if (kind == nullptr || !kind->compute)
            return bad_input("operation \"" + op.kind + "\" cannot be run on an IPU", op.name);
        for (const ValueId input : op.inputs)
            if (graph.value(input).source == Source::Operation && graph.value(input).producer >= op.id)
                return bad_input("an input is made after it is used", op.name);
    }
    return counted_text(std::ssize(graph.operations()), "operation") + ", " +
           counted_text(std::ssize(graph.variables), "variable");
}

} // namespace tilescope::compile
