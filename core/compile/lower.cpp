// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/passes.h"
#include "ipu/elementwise_cycles.h"
#include "program/exchange_traffic.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tilescope::compile {
namespace {

using graph::ValueId;
using program::Step;
using program::StepId;
using program::StepKind;

StepId sequence(program::Program& program, StepId parent, const std::string& name,
                std::int32_t operation = -1) {
    Step step;
    step.name = name;
    step.operation = operation;
    return program.add_step(std::move(step), parent);
}

/// The copies between host and device at one end of a step, in three parts: all tiles wait for the host
/// (begin), the data streams to or from message buffers in linear order (mid), the tiles go on together
/// (end). What is laid out otherwise goes between its buffer and its place by exchange.
class HostCopies {
  public:
    HostCopies(ops::LoweringState& state, StepId parent, std::string name, bool to_device)
        : state_(state), parent_(parent), name_(std::move(name)), to_device_(to_device) {}

    void add(ValueId id, const std::string& name) { values_.emplace_back(id, name); }

    void lower() {
        if (values_.empty())
            return;
        std::vector<ops::Placed> buffers;
        for (const auto& [id, name] : values_)
            buffers.push_back(buffer_of(id, name));
        if (!to_device_)
            rearrange(buffers);
        const ipu::Target& target = state_.target;
        step(StepKind::StreamCopy, name_ + "/begin", -1, target.global_sync_cycles,
             target.cycles_of_us(target.host_sync_us), {});
        for (std::size_t i = 0; i < values_.size(); ++i) {
            program::Exchange exchange =
                program::host_exchange(target, buffers[i].mapping, bytes_of(values_[i].first), to_device_);
            append(StepKind::StreamCopy, values_[i].second, std::move(exchange), 0, {buffers[i].variable});
        }
        step(StepKind::StreamCopy, name_ + "/end", -1, target.sync_cycles, 0, {});
        if (to_device_)
            rearrange(buffers);
    }

  private:
    std::int64_t bytes_of(ValueId id) const { return graph::element_bytes(state_.graph.type(id).dtype); }

    ops::Placed buffer_of(ValueId id, const std::string& name) {
        const ops::Placed& placed = state_.values[static_cast<std::size_t>(id.value)];
        const graph::TensorType& type = state_.graph.type(id);
        program::TileMapping linear = ops::linear_mapping(state_, type);
        if (linear == placed.mapping || placed.mapping.parts() == 1) // in order as it is
            return placed;
        program::Variable buffer = state_.program.variable(placed.variable);
        buffer.name = name + "/stream";
        buffer.category = program::Category::MessageBuffers;
        buffer.value = -1;
        buffer.always_live = false;
        const std::vector<std::int64_t> elements = linear.elements_per_tile();
        for (std::size_t t = 0; t < elements.size(); ++t)
            buffer.tile_bytes[t] = static_cast<std::int32_t>(elements[t] * bytes_of(id));
        return {state_.program.add_variable(std::move(buffer)), std::move(linear)};
    }

    void rearrange(const std::vector<ops::Placed>& buffers) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const ops::Placed& placed = state_.values[static_cast<std::size_t>(values_[i].first.value)];
            if (placed.variable == buffers[i].variable)
                continue;
            const ops::Placed& from = to_device_ ? buffers[i] : placed;
            const ops::Placed& to = to_device_ ? placed : buffers[i];
            auto exchange =
                program::exchange_between(state_.target, from.mapping, to.mapping.view(),
                                          bytes_of(values_[i].first), program::needs_of(to.mapping));
            if (exchange)
                append(StepKind::Exchange, values_[i].second + "/rearrange", std::move(*exchange),
                       state_.target.sync_cycles, {from.variable, to.variable});
        }
    }

    void append(StepKind kind, const std::string& name, program::Exchange exchange, std::int64_t sync,
                std::vector<program::VariableId> uses) {
        exchange.name = name;
        const std::int64_t cycles = exchange.cycles;
        state_.program.exchanges.push_back(std::move(exchange));
        step(kind, name, static_cast<std::int32_t>(state_.program.exchanges.size()) - 1, sync, cycles,
             std::move(uses));
    }

    void step(StepKind kind, const std::string& name, std::int32_t exchange, std::int64_t sync,
              std::int64_t cycles, std::vector<program::VariableId> uses) {
        Step step;
        step.kind = kind;
        step.name = name;
        step.exchange = exchange;
        step.sync_cycles = sync;
        step.exchange_cycles = cycles;
        step.uses = std::move(uses);
        state_.program.add_step(std::move(step), parent_);
    }

    ops::LoweringState& state_;
    StepId parent_;
    std::string name_;
    bool to_device_;
    std::vector<std::pair<ValueId, std::string>> values_;
};

/// For each value, the last operation that reads its memory. A view has the memory of what it views.
std::vector<std::int32_t> last_uses(const graph::Graph& graph, const graph::OperatorRegistry& registry) {
    const auto outlives = static_cast<std::int32_t>(graph.operations().size());
    std::vector<std::size_t> memory(graph.values().size());
    std::iota(memory.begin(), memory.end(), std::size_t{0});
    std::vector<std::int32_t> last(graph.values().size(), -1);
    const auto of = [&](ValueId id) { return memory[static_cast<std::size_t>(id.value)]; };
    for (const graph::Operation& op : graph.operations()) {
        if (registry.at(op.kind).view)
            memory[static_cast<std::size_t>(op.outputs[0].value)] = of(op.inputs[0]);
        for (const ValueId input : op.inputs)
            last[of(input)] = op.id.value;
    }
    for (const graph::Fetch& fetch : graph.fetches)
        last[of(fetch.value)] = outlives;
    for (const graph::Variable& variable : graph.variables)
        if (variable.next != graph::no_value)
            last[of(variable.next)] = outlives;
    std::vector<std::int32_t> result(last.size());
    for (std::size_t v = 0; v < last.size(); ++v)
        result[v] = last[memory[v]];
    return result;
}

/// State whose new value was made elsewhere than in place is copied back at the end of the step.
void write_back(ops::LoweringState& state, const graph::Variable& variable, StepId parent) {
    const ops::Placed& now = state.values[static_cast<std::size_t>(variable.next.value)];
    const ops::Placed& home = state.values[static_cast<std::size_t>(variable.value.value)];
    if (now.variable == home.variable)
        return;
    const graph::Value& next = state.graph.value(variable.next);
    if (next.source != graph::Source::Operation)
        return;
    const graph::Operation& op = state.graph.operation(next.producer);
    ops::LoweringContext context(state, op, parent);
    const std::int64_t bytes = graph::element_bytes(next.type.dtype);
    std::vector<program::VariableId> uses{home.variable};
    context.bring(now, bytes, variable.name, home.mapping.view(), program::needs_of(home.mapping), uses);
    std::vector<std::int64_t> cycles = home.mapping.elements_per_tile();
    for (std::int64_t& value : cycles)
        value = ipu::copy_cycles(state.target, value * bytes, bytes);
    context.execute("WriteVariable", "Copy", cycles, std::move(uses));
}

} // namespace

Result<std::string> lower(Compilation& c) {
    const graph::Graph& graph = c.graph();
    program::Program& program = c.executable.program;
    program.tiles = c.options.target.tiles_per_ipu;
    ipu::ConvPlanner planner(c.options.target, c.options.available_memory_proportion);
    ops::LoweringState state{graph,
                             c.options.target,
                             program,
                             planner,
                             std::vector<ops::Placed>(graph.values().size()),
                             {},
                             0,
                             last_uses(graph, c.registry)};

    const StepId root = sequence(program, StepId(-1), graph.name);
    Step repeat;
    repeat.kind = StepKind::Repeat;
    repeat.name = "steps";
    repeat.repeats = c.options.steps_per_execution;
    const StepId loop = program.add_step(std::move(repeat), root);
    const StepId infeed = sequence(program, loop, "infeed");
    for (const graph::Feed& feed : graph.feeds)
        if (feed.linear)
            ops::place_value(state, feed.value, ops::linear_mapping(state, graph.type(feed.value)));
    for (const graph::Operation& op : graph.operations()) {
        ops::LoweringContext context(state, op, sequence(program, loop, op.name, op.id.value));
        c.registry.at(op.kind).lower(context);
    }
    const StepId write = sequence(program, loop, "write variables");
    for (const graph::Variable& variable : graph.variables) {
        if (state.values[static_cast<std::size_t>(variable.value.value)].variable == program::no_variable)
            ops::place_value(state, variable.value, ops::linear_mapping(state, graph.type(variable.value)));
        if (variable.next != graph::no_value)
            write_back(state, variable, write);
    }
    HostCopies into(state, infeed, "infeed", true);
    for (const graph::Feed& feed : graph.feeds)
        if (state.values[static_cast<std::size_t>(feed.value.value)].variable != program::no_variable)
            into.add(feed.value, feed.name);
    into.lower();
    HostCopies out(state, sequence(program, loop, "outfeed"), "outfeed", false);
    for (const graph::Fetch& fetch : graph.fetches) {
        if (state.values[static_cast<std::size_t>(fetch.value.value)].variable == program::no_variable)
            ops::place_value(state, fetch.value, ops::linear_mapping(state, graph.type(fetch.value)));
        out.add(fetch.value, fetch.name);
    }
    out.lower();
    c.executable.plans = std::move(state.plans);
    return std::to_string(program.leaves().size()) + " program steps, " +
           std::to_string(program.compute_sets.size()) + " compute sets, " +
           std::to_string(program.exchanges.size()) + " exchanges, " +
           std::to_string(program.variables.size()) + " variables";
}

} // namespace tilescope::compile
