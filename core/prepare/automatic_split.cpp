// SPDX-License-Identifier: GPL-3.0-or-later
#include "automatic_split.h"

#include "base/balanced_cuts.h"
#include "base/entry.h"
#include "base/try.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tilescope::prepare {
namespace {

/// What each layer costs: cycles of a step, and bytes of what it holds between operations.
struct LayerCosts {
    std::vector<double> cycles, bytes;
};

void add_cycles(const compile::Executable& e, program::StepId id, std::int64_t times,
                std::vector<double>& cycles) {
    const program::Step& step = e.program.step(id);
    if (step.leaf() && step.operation >= 0)
        if (const graph::LayerId layer = e.graph.operation(graph::OpId(step.operation)).layer;
            layer != graph::no_layer)
            entry(cycles, layer) += static_cast<double>(times * step.cycles());
    for (const program::StepId child : step.children)
        add_cycles(e, child, e.program.loops_over_batches(id) ? times : times * step.repeats, cycles);
}

LayerCosts costs_of(const compile::Executable& e) {
    const std::size_t layers = e.graph.layers.size();
    LayerCosts costs{std::vector<double>(layers, 0), std::vector<double>(layers, 0)};
    add_cycles(e, e.program.root, 1, costs.cycles);
    for (const program::Variable& variable : e.program.variables)
        if (variable.layer >= 0 && variable.value >= 0)
            costs.bytes[static_cast<std::size_t>(variable.layer)] +=
                static_cast<double>(variable.total_bytes());
    return costs;
}

/// Before each layer: cycles to copy over a link what earlier layers make and it or a later one reads, and in
/// training its gradient back.
std::vector<double> cut_cycles(const compile::Executable& e) {
    std::vector<double> bytes(e.graph.layers.size(), 0);
    std::map<std::int32_t, std::int32_t> last_reader; // layer, by value
    for (const graph::Operation& op : e.graph.operations())
        for (const graph::ValueId input : op.inputs)
            if (op.phase == graph::Phase::Forward && op.layer != graph::no_layer)
                last_reader[input.value] = std::max(last_reader[input.value], op.layer.value);
    for (const auto& [id, reader] : last_reader) {
        const graph::Value& value = e.graph.value(graph::ValueId(id));
        if (value.source != graph::Source::Operation || value.layer == graph::no_layer)
            continue;
        for (std::int32_t layer = value.layer.value + 1; layer <= reader; ++layer)
            bytes[static_cast<std::size_t>(layer)] += static_cast<double>(value.type.bytes().value);
    }
    for (double& cost : bytes)
        cost *= (e.graph.training ? 2 : 1) / e.target.link_bytes_per_cycle;
    return bytes;
}

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

void divide(std::vector<double>& values, double whole) {
    for (double& value : values)
        value = whole > 0 ? value / whole : 0;
}

} // namespace

Result<void> split_automatically(workload::Workload& workload, const graph::OperatorRegistry& registry,
                                 compile::Options options, const CancelToken& cancel) {
    const std::int64_t parts = workload.automatic_stages;
    if (parts == 0)
        return {};
    workload::Workload whole = workload;
    whole.automatic_stages = 0;
    whole.pipeline.reset();
    TRY(auto graph,
        workload::build_graph(whole, registry,
                              workload.trains() ? workload::Mode::Train : workload::Mode::Evaluate));
    options.schedule = {};
    options.attachment = {};
    options.dump_directory.clear();
    TRY(const auto executable, compile::compile(std::move(graph), registry, options, {}, &cancel));
    const std::vector<graph::Layer>& layers = executable.graph.layers;
    if (static_cast<std::int64_t>(layers.size()) < parts)
        return bad_input("a model of " + std::to_string(layers.size()) + " layers cannot be cut into " +
                             std::to_string(parts),
                         workload.path, "use " + std::to_string(layers.size()) + " shards or stages at most");
    LayerCosts costs = costs_of(executable);
    std::vector<double> cuts = cut_cycles(executable);
    divide(cuts, sum(costs.cycles));
    divide(costs.cycles, sum(costs.cycles));
    divide(costs.bytes, sum(costs.bytes));
    const std::vector<std::size_t> starts =
        balanced_cuts({costs.cycles, costs.bytes}, static_cast<std::size_t>(parts), cuts);
    for (std::size_t shard = 1; shard < starts.size(); ++shard)
        workload.shards[layers[starts[shard]].name] = static_cast<std::int32_t>(shard);
    workload.automatic_stages = 0;
    return {};
}

} // namespace tilescope::prepare
